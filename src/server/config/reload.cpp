#include "reload.hpp"

#include "headgate/core/text.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/server/server.hpp"
#include "headgate/upstream/diallers.hpp"
#include "headgate/upstream/server_group.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

using observe::event;
using observe::EventField;
using observe::LogLevel;

/// Returns the options of a worker's Redis limiter, with the values from the rest of the configuration.
redis::RedisOptions complete(redis::RedisOptions options, const config::Config& config) {
  options.workers = worker_count(config.workers);
  return options;
}

/// Returns whether the TLS of both is made from the same files; true without TLS.
bool same_files(const net::TlsContext* before, const net::TlsContext* now) noexcept {
  return before == now || (before != nullptr && now != nullptr && before->same_files(*now));
}

/// An index of a configuration's upstreams. With many upstreams, a linear search for each would take most of the
/// reload's time.
class UpstreamNames {
 public:
  explicit UpstreamNames(const services::ActiveConfig* of) {
    if (of == nullptr) return;
    for (std::size_t i = 0; i < of->config->upstreams.size(); ++i) at_.emplace(of->config->upstreams[i].name, i);
  }
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = at_.find(name);
    return found == at_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string_view, std::size_t> at_;
};

/// Returns whether the upstream at index `old` of `before` equals the one at index `at` of `now`.
bool unchanged(const services::ActiveConfig& now, std::size_t at, const services::ActiveConfig& before,
               std::size_t old) noexcept {
  return before.config->upstreams[old] == now.config->upstreams[at] &&
         same_files(before.upstream_tls[old].get(), now.upstream_tls[at].get());
}

std::shared_ptr<balance::Watch> watch_for(const services::ActiveConfig& now, std::size_t at,
                                          const services::ActiveConfig* before, const UpstreamNames& then) {
  const auto& options = now.config->upstreams[at];
  balance::Watch* known = nullptr;
  if (const auto old = then.find(options.name)) {
    if (unchanged(now, at, *before, *old)) return before->watches[*old];
    known = before->watches[*old].get();
  }
  balance::WatchOptions out{.servers = {}, .eject = options.eject, .circuit = options.circuit};
  for (const auto& server : options.servers) out.servers.push_back(server.text);
  auto made = std::make_shared<balance::Watch>(std::move(out), known);
  if (known != nullptr) known->hand_marks_to(made);
  return made;
}

/// Returns the upstream at index `at` of the configuration. A changed upstream keeps its connections to unchanged
/// servers.
std::shared_ptr<upstream::Upstream> upstream_for(const services::ActiveConfig& active, std::size_t at,
                                                 const Installed* before, const UpstreamNames& then,
                                                 upstream::Environment environment, observe::Registry& registry,
                                                 observe::Writer worker) {
  const auto& options = active.config->upstreams[at];
  const auto& context = active.upstream_tls[at];
  const upstream::ServerGroup* changed = nullptr;
  if (const auto old = then.find(options.name)) {
    const auto& known = before->parts.upstreams[*old];
    if (unchanged(active, at, *before->active, *old)) return known;
    if (same_files(before->active->upstream_tls[*old].get(), context.get()))
      changed = dynamic_cast<const upstream::ServerGroup*>(known.get());
  }
  upstream::TlsUse tls;
  if (context) tls = {context, observe::upstream_handshake_counters(registry, worker, options.name)};
  auto dial = options.http2 ? upstream::h2_dialler(environment, std::move(tls))
                            : upstream::h1_dialler(environment, std::move(tls));
  auto made = std::make_shared<upstream::ServerGroup>(environment.clock, options, dial, worker, changed,
                                                      active.watches[at], active.places[at], active.overloads[at]);
  made->count_by(observe::upstream_counters(registry, worker, options.name, active.watches[at]->servers()));
  return made;
}

/// Returns the places of this server in the upstream at index `at` of `active`; null if it has none.
std::shared_ptr<balance::Places> places_of(const services::ActiveConfig& active, std::size_t at,
                                           const std::string& server) {
  for (std::size_t i = 0; i < active.places[at].size(); ++i)
    if (active.config->upstreams[at].servers[i].text == server && active.places[at][i]) return active.places[at][i];
  return nullptr;
}

std::shared_ptr<shed::Overload> overload_for(const std::string& upstream, const services::ActiveConfig* before,
                                             const UpstreamNames& then) {
  if (const auto old = then.find(upstream)) return before->overloads[*old];
  return std::make_shared<shed::Overload>();
}

/// Adds an element with the places of the next upstream. The element is empty if none of its servers has a bound.
void add_places(services::ActiveConfig& active, const services::ActiveConfig* before, const UpstreamNames& then) {
  const auto at = active.places.size();
  const auto& options = active.config->upstreams[at];
  active.places.emplace_back();
  const auto bounded = [](const auto& server) { return server.max_in_flight > 0; };
  if (std::none_of(options.servers.begin(), options.servers.end(), bounded)) return;
  const auto old = then.find(options.name);
  for (const auto& server : options.servers) {
    std::shared_ptr<balance::Places> places;
    if (bounded(server)) {
      places = places_of(active, at, server.text);
      if (!places && old) places = places_of(*before, *old, server.text);
      if (!places) places = std::make_shared<balance::Places>(server.max_in_flight);
    }
    active.places.back().push_back(std::move(places));
  }
}

/// Adds the watches of all servers, and their places.
void add_watches(services::ActiveConfig& active, const services::ActiveConfig* before) {
  const UpstreamNames then(before);
  for (std::size_t i = 0; i < active.config->upstreams.size(); ++i) {
    active.watches.push_back(watch_for(active, i, before, then));
    add_places(active, before, then);
  }
}

/// Returns a worker's shares of the retry budgets, by upstream; null where nothing is retried.
std::vector<std::shared_ptr<upstream::RetryShare>> retry_shares(const config::Config& config,
                                                                upstream::RetryBudgets& budgets) {
  std::vector<std::shared_ptr<upstream::RetryShare>> out(config.upstreams.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (config.upstreams[i].retry)
      out[i] = std::make_shared<upstream::RetryShare>(budgets.of(config.upstreams[i].name));
  return out;
}

/// Logs the upstreams that begin anew although only the contents of their TLS files have changed.
void log_changed_files(const services::ActiveConfig& then, const services::ActiveConfig& now) {
  const auto& before = then.config->upstreams;
  const auto& after = now.config->upstreams;
  const UpstreamNames known(&then);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto at = known.find(after[i].name);
    if (!at || !(before[*at] == after[i])) continue;
    if (same_files(then.upstream_tls[*at].get(), now.upstream_tls[i].get())) continue;
    event(LogLevel::info, "upstream_tls_changed",
          "TLS files have changed; new connections use them, and no session is resumed", {{"upstream", after[i].name}});
  }
}

std::shared_ptr<redis::SharedLimiter> limiter_for(const redis::RedisOptions& options, const Installed* before,
                                                  boost::asio::io_context& loop) {
  if (before && before->redis) {
    const auto& old = *before->active->config;
    if (complete(*old.redis, old) == options) return before->redis;
  }
  return std::make_shared<redis::SharedLimiter>(loop, options, [] { return fleet_of_process()->seen(); });
}

/// Logs one line for all limits with the same reason.
void log_begun_anew(const std::vector<services::BegunAnew>& anew) {
  std::map<std::string, std::vector<std::string>> limits;
  for (const auto& each : anew) limits[each.why].push_back(each.limit);
  for (const auto& [why, names] : limits)
    event(LogLevel::warning, "limits_begin_anew", "the counters of these limits were reset",
          {{"limits", joined(names, ", ")}, {"why", why}});
}

std::string counted(std::size_t count, std::string_view word) {
  return std::to_string(count) + ' ' + std::string(word) + (count == 1 ? "" : "s");
}

std::vector<std::string> names(const std::vector<limit::Limit>& limits) {
  std::vector<std::string> out;
  out.reserve(limits.size());
  for (const auto& limit : limits) out.push_back(limit.name);
  return out;
}

std::vector<std::string> missing_from(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  const std::set<std::string_view> known(all.begin(), all.end());
  std::vector<std::string> out;
  for (const auto& one : some)
    if (!known.contains(one)) out.push_back(one);
  return out;
}

}  // namespace

PendingConfig prepare_config(boost::asio::io_context& loop, const SideThread& side, const ReadyConfig& ready,
                             const services::ActiveConfig* before, const keyring::Keyring* known) {
  auto keyring = keyring::Keyring::open(loop, ready.config->identity, known);
  if (keyring.has_error()) throw std::runtime_error(keyring.error());
  services::ActiveConfig bare;
  bare.config = ready.config;
  bare.compiled = ready.compiled;
  bare.upstream_tls = ready.upstream_tls;
  add_watches(bare, before);
  const UpstreamNames then(before);
  for (const auto& options : bare.config->upstreams) bare.overloads.push_back(overload_for(options.name, before, then));
  // The main thread owns the keyring and destroys it, even if a worker keeps the configuration longer.
  bare.missing_key = [weak = std::weak_ptr(*keyring)](std::size_t issuer) {
    if (const auto alive = weak.lock()) alive->want(issuer);
  };
  bare.candidate = beside(side, ready.candidate, before);
  auto active = with_credentials(side, bare, (*keyring)->now());
  return {std::move(active), std::move(*keyring)};
}

std::shared_ptr<const services::ActiveConfig> with_credentials(
    const SideThread& side, const services::ActiveConfig& before,
    std::shared_ptr<const identity::Credentials> credentials) {
  using gateway::ActiveCredentials;
  auto out = std::make_shared<services::ActiveConfig>(before);
  if (before.candidate) {
    auto candidate = std::make_shared<services::ActiveCandidate>(*before.candidate);
    auto own = credentials;
    if (candidate->prices) {
      auto with_prices = std::make_shared<identity::Credentials>(*credentials);
      with_prices->prices = candidate->prices;
      own = std::move(with_prices);
    }
    candidate->credentials = side.freed_here(new const ActiveCredentials(*candidate->compiled, std::move(own)));
    out->candidate = std::move(candidate);
  }
  out->credentials = side.freed_here(new const ActiveCredentials(*before.compiled, std::move(credentials)));
  // The keys without effect are logged once for each set of API keys, also if the keys of an issuer change often.
  const bool other_keys = !before.credentials || &before.credentials->api_keys() != &out->credentials->api_keys();
  if (!other_keys) return out;
  for (const auto& sentence : out->credentials->without_effect())
    event(LogLevel::warning, "api_key_setting_ignored", sentence);
  return out;
}

std::shared_ptr<const services::ActiveConfig> with_overrides(const SideThread& side,
                                                             const services::ActiveConfig& before,
                                                             const std::vector<limit::Override>& overrides) {
  auto out = std::make_shared<services::ActiveConfig>(before);
  out->overrides.reset();
  if (!overrides.empty())
    out->overrides = side.freed_here(
        new const gateway::OverrideTable(*before.compiled, *before.credentials, overrides, before.overrides.get()));
  if (before.candidate) {
    const auto& old = *before.candidate;
    auto candidate = std::make_shared<services::ActiveCandidate>(old);
    candidate->overrides.reset();
    if (!overrides.empty())
      candidate->overrides = side.freed_here(
          new const gateway::OverrideTable(*old.compiled, *old.credentials, overrides, old.overrides.get()));
    out->candidate = std::move(candidate);
  }
  return out;
}

std::shared_ptr<const services::ActiveConfig> with_servers(const SideThread& side, const services::ActiveConfig& before,
                                                           std::vector<gateway::UpstreamOptions> upstreams) {
  auto out = std::make_shared<services::ActiveConfig>(before);
  auto config = *before.config;
  config.upstreams = std::move(upstreams);
  out->config = side.freed_here(new const config::Config(std::move(config)));
  out->watches.clear();
  out->places.clear();
  add_watches(*out, &before);
  return out;
}

void add_mistake(admin::ReloadResult& result, const config::SourceLocation& place, std::string message) {
  auto& mistake = result.mistakes.emplace_back();
  mistake.file = place.file;
  mistake.line = place.line;
  mistake.column = place.column;
  mistake.message = std::move(message);
}

std::vector<std::string> changed_keys(const config::Config& before, const config::Config& after) {
  std::vector<std::string> out;
  for (const auto& [key, value] : after.fingerprints) {
    const auto old = before.fingerprints.find(key);
    if (old == before.fingerprints.end() || old->second != value) out.push_back(key);
  }
  for (const auto& [key, value] : before.fingerprints)
    if (!after.fingerprints.contains(key)) out.push_back(key);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> waiting_for_restart(const config::Config& running, const config::Config& now) {
  std::vector<std::string> out;
  if (running.workers != now.workers) out.emplace_back("workers");
  if (running.pid_file != now.pid_file) out.emplace_back("pid_file");
  if (running.memory.max_keys != now.memory.max_keys) out.emplace_back("memory");
  return out;
}

void log_mistakes(const admin::ReloadResult& result) {
  for (const auto& mistake : result.mistakes) {
    const bool error = mistake.severity == config::Severity::error;
    const bool placed = mistake.line > 0;
    const auto& file = mistake.file.empty() ? result.file : mistake.file;
    event(error ? LogLevel::error : LogLevel::warning, error ? "config_error" : "config_warning", mistake.message,
          {file.empty() ? EventField() : EventField("file", file),
           placed ? EventField("line", mistake.line) : EventField(),
           placed ? EventField("column", mistake.column) : EventField()});
  }
  if (result.applied) return;
  event(LogLevel::error, "config_refused", "the previous configuration stays in force",
        {result.file.empty() ? EventField() : EventField("file", result.file)});
}

void log_changes(const services::ActiveConfig& then, const services::ActiveConfig& now,
                 const admin::ReloadResult& result) {
  const auto& before = *then.config;
  const auto& after = *now.config;
  log_changed_files(then, now);
  const auto old_limits = names(before.limits);
  const auto new_limits = names(after.limits);
  const auto added = joined(missing_from(old_limits, new_limits), ", ");
  const auto gone = joined(missing_from(new_limits, old_limits), ", ");
  const auto changed = joined(result.changed, ", ");
  for (const auto& address : result.listeners.added)
    event(LogLevel::info, "listening", "listening on " + address, {{"address", address}});
  for (const auto& address : result.listeners.changed)
    event(LogLevel::info, "listener_changed", "new connections use the changed options", {{"address", address}});
  for (const auto& address : result.listeners.removed)
    event(LogLevel::info, "listener_closed", "open connections may finish within \"drain\"", {{"address", address}});
  event(LogLevel::info, "config_reloaded",
        counted(now.compiled->routes().size(), "route") + ", " + counted(after.limits.size(), "limit") + ", " +
            counted(after.upstreams.size(), "upstream") + " are in force",
        {{"routes", now.compiled->routes().size()},
         {"limits", after.limits.size()},
         {"upstreams", after.upstreams.size()},
         changed.empty() ? EventField() : EventField("changed", changed),
         added.empty() ? EventField() : EventField("new_limits", added),
         gone.empty() ? EventField() : EventField("limits_gone", gone)});
  if (result.from == admin::ReloadFrom::previous)
    event(LogLevel::warning, "config_rolled_back", "an operator went back to the previous configuration",
          {result.file.empty() ? EventField() : EventField("file", result.file), {"sha256", after.sha256}});
  log_begun_anew(result.anew);
  if (const auto waiting = joined(result.waiting, ", "); !waiting.empty())
    event(LogLevel::warning, "config_needs_restart", "these changes take effect only after a restart: " + waiting,
          {{"keys", waiting}});
}

std::vector<admin::KnownServer> servers_of(const Installed& installed) {
  std::vector<admin::KnownServer> out;
  for (const auto& each : installed.parts.upstreams) {
    auto* const upstream = dynamic_cast<upstream::ServerGroup*>(each.get());
    if (upstream == nullptr) continue;
    const auto& table = upstream->servers();
    for (std::size_t at = 0; at < table.size(); ++at)
      out.push_back({upstream->name(), upstream->server_name(at), table.shared(at)});
  }
  return out;
}

Installed install(std::shared_ptr<const services::ActiveConfig> active, const Installed* before,
                  upstream::Environment environment, observe::Registry& registry, observe::Writer worker,
                  upstream::RetryBudgets& retry_budgets) {
  const auto& config = *active->config;
  gateway::Snapshot parts;
  std::shared_ptr<redis::SharedLimiter> redis;
  if (config.redis) redis = limiter_for(complete(*config.redis, config), before, environment.loop);
  parts.compiled = active->compiled;
  parts.upstreams.reserve(config.upstreams.size());
  const UpstreamNames then(before ? before->active.get() : nullptr);
  for (std::size_t i = 0; i < config.upstreams.size(); ++i)
    parts.upstreams.push_back(upstream_for(*active, i, before, then, environment, registry, worker));
  parts.retries = retry_shares(config, retry_budgets);
  parts.redis = redis;
  parts.rooms = redis;
  parts.credentials = active->credentials;
  parts.overrides = active->overrides;
  parts.missing_key = active->missing_key;
  return {std::move(active), std::move(parts), std::move(redis)};
}

}  // namespace headgate::server
