#include "event_sentence.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace headgate::observe {
namespace {

/// The pattern of a sentence. `{field}` stands for the value of a field, `{message}` for the event's message, and
/// `{message+server}` for the message in which "the server" is replaced by the server and its upstream. A part in
/// brackets is left out if one of its fields is missing or empty. If an event has several rows, the first one whose
/// fields all exist is used.
struct SentenceRow {
  std::string_view name;
  std::string_view pattern;
};

constexpr SentenceRow kSentences[] = {
    // Process.
    {"started", "Version {version} of headgate started with {workers} workers."},
    {"stopped", "The gateway has stopped."},
    {"draining", "The gateway is draining after {signal}; requests in flight are still answered."},
    {"draining", "Another process serves now; this one finishes its requests within {at_most}."},
    {"listening", "The gateway listens on {address}."},
    {"listener_changed", "New connections to {address} use the changed options."},
    {"listener_closed", "The gateway no longer listens on {address}; open connections may finish within \"drain\"."},
    {"config_reloaded",
     "A configuration with {routes} routes, {limits} limits and {upstreams} upstreams is in force[; changed: "
     "{changed}][; new limits: {new_limits}][; removed limits: {limits_gone}]."},
    {"config_refused", "The configuration[ in {file}] was refused, and the previous one stays in force."},
    {"config_error", "Configuration error[ in {file}][ at line {line}, column {column}]: {message}."},
    {"config_warning", "Configuration warning[ for {file}][ at line {line}, column {column}]: {message}."},
    {"config_rolled_back", "An operator went back to the previous configuration[ from {file}]."},
    {"config_needs_restart", "Some changes take effect only after a restart: {keys}."},
    {"limits_begin_anew", "The counters of these limits were reset: {limits} ({why})."},
    {"upgrade_begun", "Process {pid} was started to take over."},
    {"upgraded", "Process {pid} has taken over."},
    {"upgrade_failed", "The upgrade failed, and this process continues to serve: {reason}."},
    {"passed_socket_unused", "The inherited descriptor {descriptor} cannot be used: {reason}."},
    {"passed_socket_unused", "The inherited socket at {address} is unused, because no listener is configured there."},
    {"state_taken_over",
     "{counters} counters, {suspensions} suspensions, {overrides} overrides and the state of {servers} servers were "
     "taken over from the previous process."},
    {"state_not_taken_over", "State of the previous process was lost ({what}): {reason}."},
    {"few_descriptors",
     "Only {fit} of {connections} connections fit into the limit of {limit} open files: raise that limit, or lower "
     "\"bounds.connections\"."},
    {"descriptors_short",
     "File descriptors ran out {times} times, and connections to servers could not be opened: raise the limit of open "
     "files ({limit}), or lower \"bounds.connections\"."},
    {"accept_paused",
     "No new connections are accepted until some have ended ({reason}): raise the limit of open files, or lower "
     "\"bounds.connections\"."},
    {"bug", "An unexpected exception occurred in the task \"{task}\": {what}."},
    {"candidate_bug", "An unexpected exception occurred in the candidate."},

    // Reasons.
    {"reason_began", "{what}[: {why}]."},
    {"reason_ended", "Resolved after {seconds} s: {what}."},

    // Admin interface.
    {"admin_listening", "The admin interface listens on http://{address}."},
    {"admin_off", "The admin interface is off: {reason}."},
    {"admin_change", "An admin call from {address} ({by}), {what}[ with {target}], was answered with {status}."},
    {"admin_refused", "The admin interface refused {method} {path} from {address} with {status}: {reason}."},
    {"admin_token_guesses", "{address} sent too many wrong tokens to the admin interface and is refused for {for}."},

    // Candidates.
    {"candidate_set",
     "A candidate[ from {file}] with {routes} routes and {limits} limits is compared with the policy "
     "in force."},
    {"candidate_promoted", "The candidate[ from {file}] was put in force."},
    {"candidate_dropped", "The candidate[ from {file}] was dropped."},
    {"candidate_differs",
     "The candidate would have rejected {hit} requests that passed, and allowed {freed} that were rejected."},

    // Limits, suspensions, overrides and quotas.
    {"suspended", "{message}: client {client}, limit \"{limit}\", for {for}."},
    {"suspended", "An operator suspended key {key_id} under limit \"{limit}\" for {for}."},
    {"suspension_lifted", "An operator lifted the suspension of key {key_id} under limit \"{limit}\"."},
    {"suspensions_dropped",
     "Limit \"{limit}\" has more suspended keys than it has room for: {dropped} suspensions ended early."},
    {"override_begun", "An operator overrode limit \"{limit}\" for key {key_id} with {rate}[: {why}]."},
    {"override_ended", "The override of limit \"{limit}\" for key {key_id} has ended ({message})."},
    {"override_without_effect", "The override of limit \"{limit}\" for key {key_id} has no effect[: {reason}]."},
    {"quota_reached",
     "Key {key_id} has used {percent} % of its quota under limit \"{limit}\" ({used} of {size}, {rate})."},
    {"billed_use_lost", "The use of {requests} requests ({used} units) will not be billed: {reason}."},

    // Servers and upstreams.
    {"server_unhealthy",
     "Server {server} of upstream \"{upstream}\" failed {checks} health checks and gets no requests while another "
     "server is available: {reason}."},
    {"server_healthy", "{message+server}."},
    {"server_healthy", "Server {server} of upstream \"{upstream}\" gets requests again."},
    {"server_ejected", "{message+server}[; the next trial is in {next_trial_in}]."},
    {"server_ejected", "Server {server} of upstream \"{upstream}\" gets no requests for now ({reason})."},
    {"server_returned", "{message+server}."},
    {"server_returned", "Server {server} of upstream \"{upstream}\" gets requests again."},
    {"server_trial_failed",
     "Server {server} of upstream \"{upstream}\" failed its trial request and gets no requests for now[; the next "
     "trial is in "
     "{next_trial_in}]."},
    {"server_size_ended",
     "The configuration of server {server} of upstream \"{upstream}\" changed, and its values that were set at run "
     "time no longer apply."},
    {"circuit_opened",
     "Too many requests to upstream \"{upstream}\" fail, so all are refused[; the next trial is in {next_try_in}]."},
    {"circuit_tries", "A few requests to upstream \"{upstream}\" pass again, as a trial."},
    {"circuit_closed", "Requests to upstream \"{upstream}\" pass again."},
    {"upstream_tls_changed",
     "TLS files of upstream \"{upstream}\" changed; new connections use them, and no session is resumed."},
    {"upstream_tls_failed", "A TLS connection to server {server} of upstream \"{upstream}\" failed: {reason}."},
    {"upstream_not_http2", "Server {server} of upstream \"{upstream}\" cannot be reached over HTTP/2: {reason}."},
    {"server_addresses_changed", "The name {name} now resolves to {addresses}."},
    {"server_name_found", "The name {name} can be resolved again."},
    {"server_name_not_found", "The name {name} cannot be resolved: {reason}."},
    {"auth_service_failed", "The authorization service \"{upstream}\" gives no decisions: {reason}."},
    {"mirror_failed", "Copies of requests do not reach upstream \"{upstream}\": {reason}."},

    // Connections.
    {"connection_refused",
     "A connection from {address} was refused, because the bound \"{bound}\" is reached[; {most_from} has the most "
     "connections ({connections_from_there})]."},
    {"connections_full",
     "All {of} connections are in use, so the longest idle one of {address} was closed, which has the most "
     "({connections})."},
    {"http2_connection_ended", "The HTTP/2 connection of {peer} was closed: {message}."},

    // Redis.
    {"redis_lost", "Redis at {server} does not answer: {reason}."},
    {"redis_found", "Redis at {server} answers again after {after_s} s."},
    {"redis_found", "Redis at {server} answers."},
    {"redis_error", "Redis at {server} reported an error: {reason}."},
    {"redis_master", "Sentinel {named_by} named {server} as the master of Redis[ in place of {instead_of}]."},
    {"redis_switches_untold", "Sentinel {server} refused to announce failovers: {reason}."},
    {"redis_node_left", "The node {server} left the Redis cluster."},
    {"redis_not_given_back", "Units that were taken in slot {slot} of Redis could not be given back."},
    {"settlements_lost",
     "{settlements} settlements of limit \"{limit}\" ({permits} permits) were lost, because Redis did not count them."},
    {"ban_log_error", "{message}: {reason}."},
    {"ban_log_works", "Suspensions are shared with other gateways again."},
    {"ban_log_entry_skipped", "{message} ({key}, entry {id})."},
    {"override_log_error", "{message}: {reason}."},
    {"override_log_works", "Overrides are shared with other gateways again."},
    {"override_log_entry_skipped", "{message} ({key}, entry {id})."},
    {"key_log_error", "{message}: {reason}."},
    {"key_log_works", "API keys are shared with other gateways again."},
    {"key_log_entry_skipped", "{message} ({key}, entry {id})."},
    {"fingerprints_error", "{message}: {reason}."},
    {"fingerprints_work", "The limits of other gateways can be compared again."},
    {"ledger_error", "{message}: {reason}."},
    {"ledger_works", "Use that is to be billed is added up in Redis again."},

    // Keys, addresses and certificates.
    {"keys_read", "{in_force} keys were read from {source}."},
    {"keys_refused", "The keys in {source} were refused, and the previous ones stay in force: {reason}."},
    {"keys_refused", "New keys were refused, and the previous ones stay in force: {reason}."},
    {"addresses_read", "{in_force} address blocks were read from {source}."},
    {"addresses_refused", "The addresses in {source} were refused, and the previous ones stay in force: {reason}."},
    {"prices_read", "The prices of {in_force} models were read from {source}."},
    {"prices_refused", "The prices in {source} were refused, and the previous ones stay in force: {reason}."},
    {"jwks_fetched", "{in_force} keys were fetched from {source}."},
    {"jwks_failed", "The keys of {source} could not be fetched: {reason}."},
    {"jwk_passed_over", "A key from {source} was skipped: {message}."},
    {"key_issued", "An operator issued the API key {id}[ to {owner}]."},
    {"key_revoked", "An operator revoked the API key {id}[ of {owner}]."},
    {"keys_learned", "Other gateways issued {issued} and revoked {revoked} API keys."},
    {"revoked_keys_kept", "Some revoked keys are listed as valid in {source}; they stay revoked."},
    {"issued_keys_left_out", "{count} issued API keys were left out, because at most {most} are kept."},
    {"key_file_unwritten",
     "The key file cannot be written, and a restart may forget issued or revoked API keys: {reason}."},
    {"certificate_read", "New connections get the certificate in {file}."},
    {"certificate_refused", "The certificate in {file} was refused, and the previous one stays in use: {reason}."},
    {"certificate_expires", "The certificate in {file} needs to be renewed: {message}."},
    {"ocsp_refused", "The OCSP response in {file} was refused: {reason}."},
    {"ocsp_stale", "{message} ({file})."},

    // Logs, traces and webhooks.
    {"log_failed", "The log {log} cannot be written, and lines will be lost: {reason}."},
    {"log_written", "The log {log} can be written again."},
    {"log_reopened", "The log {log} was reopened."},
    {"log_not_reopened", "The log {log} could not be reopened: {message}."},
    {"traces_failed",
     "Spans could not be sent to the collector: {reason}. Attempt {attempt} is repeated in {next_in_s} s."},
    {"traces_rejected", "The collector rejected {spans} spans."},
    {"traces_dropped", "{spans} spans were dropped: {message}[ ({reason})]."},
    {"webhook_failed", "The webhook {id} could not be sent: {reason}. Attempt {attempt} is repeated in {next_in_s} s."},
    {"webhook_failed", "The webhook {id} was given up after {attempt} attempts: {reason}."},
    {"webhook_dropped", "The webhook {id} was dropped: {reason}."},
};

std::optional<std::string> message_with_server(const Event& event);

std::optional<std::string> value_in(const Event& event, std::string_view name) {
  if (name == "message+server") return message_with_server(event);
  if (name == "message") return event.sentence.empty() ? std::nullopt : std::optional<std::string>(event.sentence);
  for (const auto& field : event.fields) {
    if (field.name != name) continue;
    auto text = plain_value(field);
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  }
  return std::nullopt;
}

std::optional<std::string> message_with_server(const Event& event) {
  constexpr std::string_view kServer = "the server";
  std::string out(event.sentence);
  const auto at = out.find(kServer);
  const auto server = value_in(event, "server");
  const auto upstream = value_in(event, "upstream");
  if (at == std::string::npos || !server || !upstream) return std::nullopt;
  return out.replace(at, kServer.size(), "server " + *server + " of upstream \"" + *upstream + '"');
}

/// Appends `part` with the values of its fields in place of their names. Returns whether the event has all of these
/// fields.
bool fill(std::string_view part, const Event& event, std::string& out) {
  while (!part.empty()) {
    const auto begin = part.find('{');
    out += part.substr(0, begin);
    if (begin == std::string_view::npos) return true;
    const auto end = part.find('}', begin);
    const auto value = value_in(event, part.substr(begin + 1, end - begin - 1));
    if (!value) return false;
    out += *value;
    part.remove_prefix(end + 1);
  }
  return true;
}

std::optional<std::string> filled(std::string_view pattern, const Event& event) {
  std::string out;
  while (!pattern.empty()) {
    const auto begin = std::min(pattern.find('['), pattern.size());
    if (!fill(pattern.substr(0, begin), event, out)) return std::nullopt;
    if (begin == pattern.size()) break;
    const auto end = pattern.find(']', begin);
    std::string optional;
    if (fill(pattern.substr(begin + 1, end - begin - 1), event, optional)) out += optional;
    pattern.remove_prefix(end + 1);
  }
  return out;
}

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  // A message or a reason may have a full stop of its own.
  while (text.ends_with("..")) text.pop_back();
  if (!text.ends_with('.') && !text.ends_with('?') && !text.ends_with('!')) text += '.';
  return text;
}

}  // namespace

std::string sentence_of(const Event& event) {
  for (const auto& row : kSentences) {
    if (row.name != event.name) continue;
    if (auto text = filled(row.pattern, event)) return as_sentence(std::move(*text));
  }
  if (!event.sentence.empty()) return as_sentence(std::string(event.sentence));
  std::string words(event.name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return as_sentence(std::move(words));
}

}  // namespace headgate::observe
