#include "admin_print.hpp"

#include "cli/money_text.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace headgate::cli {
namespace {

void print_table(const TextTable& table, const char* if_empty) {
  std::fputs(table.empty() ? if_empty : table.text(stdout_has_colours(), stdout_width()).c_str(), stdout);
}

std::string duration_of(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds < kMinute) return std::to_string(seconds) + " s";
  if (seconds < kHour) return std::to_string(seconds / kMinute) + " min";
  if (seconds < kDay) return std::to_string(seconds / kHour) + " h";
  return std::to_string(seconds / kDay) + " d";
}

std::string duration_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? duration_of(found->get<std::int64_t>()) : std::string();
}

bool truth_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

const Json& object_in(const Json& object, const char* name) {
  static const Json kNone = Json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : kNone;
}

Paint paint_of(const std::string& state) {
  return state == "ready" || state == "up" || state == "in" ? Paint::good : Paint::bad;
}

void print_pair(const char* name, const std::string& value, Paint paint = Paint::none) {
  const bool colours = paint != Paint::none && stdout_has_colours();
  const char* before = !colours ? "" : paint == Paint::good ? "\x1b[32m" : "\x1b[31m";
  std::printf("%-12s  %s%s%s\n", name, before, printable(value).c_str(), colours ? "\x1b[0m" : "");
}

}  // namespace

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::uint64_t count_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

const Json& list_in(const Json& object, const char* name) {
  static const Json kNone = Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : kNone;
}

std::string words_in(const Json& object, const char* name) {
  std::string out;
  for (const auto& each : list_in(object, name))
    out += (out.empty() ? "" : ", ") + (each.is_string() ? each.get<std::string>() : each.dump());
  return out;
}

void print_line(const std::string& text) { std::puts(printable(text).c_str()); }

double real_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return {};
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", found->get<double>());
  return out;
}

std::string milliseconds_in(const Json& object, const char* name) {
  constexpr double kThousand = 1000;
  const auto found = object.find(name);
  return found != object.end() && found->is_number()
             ? number_in(Json{{"ms", std::round(found->get<double>() * kThousand * 10) / 10}}, "ms") + " ms"
             : std::string();
}

void print_rates(const Json& rates) {
  if (rates.empty()) return;
  print_pair("traffic", number_in(rates, "requests_per_second") + " requests/s, " +
                            number_in(rates, "rejected_per_second") + " rejected/s, " +
                            number_in(rates, "failed_per_second") + " failed/s, over " +
                            number_in(rates, "over_seconds") + " s");
  print_pair("bytes", number_in(rates, "received_bytes_per_second") + " in/s, " +
                          number_in(rates, "sent_bytes_per_second") + " out/s");
  if (const auto half = milliseconds_in(rates, "p50_seconds"); !half.empty())
    print_pair("times", "half within " + half + ", 95 of 100 within " + milliseconds_in(rates, "p95_seconds"));
}

std::string gateways_in_words(const Json& gateways) {
  const auto seen = text_in(gateways, "seen");
  const auto counted = text_in(gateways, "counted");
  return (seen.empty() ? "not known, Redis was not there yet" : seen + " share Redis") + "; " +
         text_in(gateways, "configured") + " configured; while Redis is away, each grants its part as one of " +
         counted;
}

/// Prints the reasons, each with its time and the command to type. An older gateway sends only the sentences.
void print_reasons(const Json& answer) {
  const auto& details = list_in(answer, "details");
  for (const auto& each : details) {
    const auto why = text_in(each, "why");
    const auto command = text_in(each, "command");
    print_pair("", text_in(each, "sentence") + (why.empty() ? "" : ": " + why) + " (for " +
                       duration_in(each, "seconds") + (command.empty() ? ")" : "; type: " + command + ")"));
  }
  if (!details.empty()) return;
  for (const auto& reason : list_in(answer, "reasons"))
    print_pair("", reason.is_string() ? reason.get<std::string>() : "");
}

void print_status(const Json& answer) {
  const auto state = text_in(answer, "state");
  print_pair("instance", text_in(answer, "instance") + ", headgate " + text_in(answer, "version") + ", pid " +
                             text_in(answer, "pid"));
  print_pair("state", state, paint_of(state));
  print_reasons(answer);
  print_pair("up", duration_in(answer, "uptime_seconds") + ", since " + text_in(answer, "started"));
  const auto& config = object_in(answer, "config");
  const auto file = text_in(config, "file");
  print_pair("config", (file.empty() ? "no file" : file) + ", in force for " + duration_in(config, "age_seconds") +
                           ", sha256 " + text_in(config, "sha256").substr(0, 12));
  const auto& last = object_in(config, "last_reload");
  if (!last.empty()) {
    const bool applied = truth_in(last, "applied");
    print_pair("reload",
               applied ? "applied at " + text_in(last, "at")
                       : "refused at " + text_in(last, "at") + ": " + text_in(last, "why_not"),
               applied ? Paint::good : Paint::bad);
  }
  if (const auto waiting = words_in(config, "waiting_for_restart"); !waiting.empty())
    print_pair("", "waits for a restart: " + waiting);
  if (const auto& candidate = object_in(answer, "candidate"); !candidate.empty()) {
    const auto named = text_in(candidate, "file");
    print_pair("candidate", (named.empty() ? "a configuration that was sent" : named) +
                                " runs beside it as a candidate; to compare them, type: headgate diff");
  }
  for (const auto& node : list_in(answer, "redis"))
    print_pair("redis", text_in(node, "server") + " is " + text_in(node, "state"), paint_of(text_in(node, "state")));
  if (const auto& waiting = object_in(answer, "settlements"); count_in(waiting, "waiting") > 0)
    print_pair("settlements", text_in(waiting, "waiting") + " of " + text_in(waiting, "permits") +
                                  " permits wait for Redis, the oldest for " + duration_in(waiting, "oldest_seconds"));
  if (const auto& gateways = object_in(answer, "gateways"); !gateways.empty())
    print_pair("gateways", gateways_in_words(gateways));
  print_pair("workers", text_in(answer, "workers"));
  print_pair("connections", text_in(answer, "connections"));
  print_rates(object_in(answer, "rates"));
  print_pair("log level", text_in(answer, "log_level"));
}

void print_reload(const Json& answer) {
  const auto changed = words_in(answer, "changed");
  const auto from = text_in(answer, "from");
  const auto file = text_in(answer, "file");
  if (from == "candidate")
    print_line("the candidate is in force" + (changed.empty() ? "" : ": " + changed) +
               "; put it in the place of the file, or the next reload takes that");
  else
    print_line((from == "previous" ? "went back to an earlier " : "reloaded ") + file +
               (changed.empty() ? ": nothing has changed" : ": " + changed));
  if (const auto waiting = words_in(answer, "waiting_for_restart"); !waiting.empty())
    print_line("waits for a restart: " + waiting);
  for (const auto& each : list_in(answer, "limits_begun_anew"))
    print_line("limit " + text_in(each, "limit") + " begins anew: " + text_in(each, "why"));
}

namespace {

/// Returns why a server is out or failing, and when it is tried again.
std::string why_of(const Json& server) {
  auto why = words_in(server, "out");
  if (const auto reason = text_in(server, "reason"); !reason.empty()) why += ": " + reason;
  if (const auto next = duration_in(server, "next_trial_seconds"); !next.empty()) why += ", next trial in " + next;
  const auto& failing = object_in(server, "failing");
  if (failing.empty()) return why;
  why += (why.empty() ? "" : "; ") + text_in(failing, "last") + ", " + text_in(failing, "in_a_row") + " in a row";
  constexpr std::uint64_t kUntried = 10;
  if (count_in(failing, "last_tried_seconds") >= kUntried)
    why += ", not tried for " + duration_in(failing, "last_tried_seconds");
  return why;
}

/// Returns the number of requests that wait for the upstream, in all its queues.
std::string queue_of(const Json& upstream) {
  std::string out;
  const auto& queues = list_in(upstream, "queues");
  for (const auto& each : queues)
    out += (out.empty() ? "" : ", ") + (queues.size() > 1 ? text_in(each, "for") + ' ' : "") +
           text_in(each, "waiting") + " of " + text_in(each, "length");
  return out;
}

std::string check_of(const Json& server) {
  const auto& check = object_in(server, "last_check");
  if (check.empty()) return {};
  const auto why = text_in(check, "why");
  return (truth_in(check, "passed") ? "passed"
          : why.empty()             ? "failed"
                                    : why) +
         ", " + duration_in(check, "seconds_ago") + " ago";
}

}  // namespace

void print_servers(const Json& answer) {
  TextTable table({"upstream", "server", "state", "why", "since", "requests/s", "errors/s", "no connection/s", "p95",
                   "in flight", "weight", "queue", "last check"});
  for (const auto& upstream : list_in(answer, "upstreams")) {
    const auto circuit = text_in(upstream, "circuit");
    const auto tries = duration_in(upstream, "circuit_tries_in_seconds");
    const auto name = text_in(upstream, "upstream") +
                      (circuit.empty() || circuit == "closed"
                           ? std::string()
                           : " (circuit " + circuit + (tries.empty() ? "" : ", tries in " + tries) + ")");
    const auto queue = queue_of(upstream);
    for (const auto& server : list_in(upstream, "servers")) {
      const bool failing = server.contains("failing");
      const std::string state = !truth_in(server, "in") ? "out" : failing ? "failing" : "in";
      const auto since = duration_in(failing ? object_in(server, "failing") : server, "seconds");
      const auto most = text_in(server, "max_in_flight");
      table.row({name,
                 text_in(server, "server"),
                 {state, paint_of(state)},
                 why_of(server),
                 since.empty() ? "the start" : since,
                 number_in(server, "attempts_per_second"),
                 number_in(server, "errors_per_second"),
                 number_in(server, "not_connected_per_second"),
                 milliseconds_in(server, "p95_seconds"),
                 text_in(server, "in_flight") + (most.empty() ? "" : " of " + most),
                 text_in(server, "weight") + (truth_in(server, "backup") ? " (backup)" : "") +
                     (truth_in(server, "set_by_operator") ? " (set)" : ""),
                 queue,
                 check_of(server)});
    }
  }
  print_table(table, "there are no upstreams\n");
}

void print_suspensions(const Json& answer) {
  TextTable table({"limit", "key", "reason", "until", "left"});
  for (const auto& ban : list_in(answer, "bans"))
    table.row({text_in(ban, "limit"), text_in(ban, "key"),
               text_in(ban, "reason") + (truth_in(ban, "observed") ? ", only observed" : ""), text_in(ban, "until"),
               duration_in(ban, "seconds_left")});
  print_table(table, "nobody is suspended\n");
}

void print_overrides(const Json& answer) {
  TextTable table({"limit", "key", "rate", "burst", "until", "left", "why"});
  for (const auto& one : list_in(answer, "overrides")) {
    const auto rates = words_in(one, "rate");
    const auto trouble = text_in(one, "without_effect");
    table.row({text_in(one, "limit"),
               text_in(one, "key"),
               rates.empty() ? text_in(one, "rate") : rates,
               text_in(one, "burst"),
               text_in(one, "until"),
               duration_in(one, "seconds_left"),
               {trouble.empty() ? text_in(one, "why") : "no effect: " + trouble,
                trouble.empty() ? Paint::none : Paint::bad}});
  }
  print_table(table, "no key has another size of a limit\n");
}

std::string heard_text(const Json& answer) {
  const auto& gateways = object_in(answer, "gateways");
  if (gateways.empty()) return text_in(answer, "store") == "memory" ? ", in this gateway alone" : "";
  if (!truth_in(gateways, "written"))
    return ", in this gateway alone: Redis does not answer, and the others hear of it once it does";
  const auto heard = text_in(gateways, "heard");
  if (heard.empty()) return "; it is not known how many gateways have heard";
  return ", heard by " + heard + " of " + how_many_of(count_in(gateways, "of"), "gateway");
}

namespace {

/// Returns the number of the limit's keys in the memory of the gateway. Keys in Redis are not counted, because that
/// would require reading all of them.
std::string keys_text(const Json& limit) {
  const auto here = text_in(limit, "keys_in_memory");
  if (text_in(limit, "store") != "redis") return here;
  return here.empty() || here == "0" ? "in Redis" : "in Redis, and " + here + " here";
}

}  // namespace

void print_limits(const Json& answer) {
  TextTable table({"limit", "mode", "store", "allowed", "rejected", "observed", "keys", "means"});
  for (const auto& limit : list_in(answer, "limits")) {
    const auto& decisions = object_in(limit, "decisions");
    const auto means = text_in(limit, "means");
    table.row({text_in(limit, "limit"), text_in(limit, "mode"), text_in(limit, "store"), text_in(decisions, "allowed"),
               text_in(decisions, "rejected"), text_in(decisions, "observed"), keys_text(limit),
               means.substr(0, means.find(';'))});
  }
  print_table(table, "there are no limits\n");
}

void print_limit(const Json& answer) {
  // The meaning has one line for the limit, and one for each tier.
  const auto means = text_in(answer, "means");
  for (std::size_t at = 0; at < means.size();) {
    const auto end = std::min(means.find('\n', at), means.size());
    print_pair(at == 0 ? text_in(answer, "limit").c_str() : "", means.substr(at, end - at));
    at = end + 1;
  }
  const auto& decisions = object_in(answer, "decisions");
  print_pair("decisions", text_in(decisions, "allowed") + " allowed, " + text_in(decisions, "rejected") +
                              " rejected, " + text_in(decisions, "observed") + " observed since the start");
  const bool in_redis = text_in(answer, "store") == "redis";
  print_pair("keys", in_redis ? keys_text(answer) : keys_text(answer) + " in this gateway's memory");
  for (const auto& scaled : list_in(answer, "scaled"))
    if (scaled.is_string()) print_pair("scaled", scaled.get<std::string>());
}

void print_key(const Json& answer) {
  const auto tier = text_in(answer, "tier");
  const auto until = text_in(object_in(answer, "override"), "until");
  const auto unit = text_in(answer, "unit");
  print_line(text_in(answer, "key") + " under " + text_in(answer, "limit") + (unit.empty() ? "" : " (" + unit + ")") +
             (tier.empty() ? "" : ", tier " + tier) + (until.empty() ? "" : ", until " + until));
  if (const auto& size = object_in(answer, "size"); !size.empty())
    print_line("the size is the number in " + text_in(size, "from") + " of each caller, at most " +
               text_in(size, "most") + "; " + text_in(size, "otherwise") + " without a number");
  TextTable table({"rule", "used", "of", "left", "full in", "the next request"});
  for (const auto& rule : list_in(answer, "rules")) {
    const auto next = text_in(rule, "next_request");
    const auto wait = rule.find("retry_after_seconds");
    const bool waits = wait != rule.end() && wait->is_number();
    const auto full = rule.find("full_in_seconds");
    const bool fills = full != rule.end() && full->is_number();
    const auto up = [](const Json& seconds) { return static_cast<std::int64_t>(std::ceil(seconds.get<double>())); };
    table.row({text_in(rule, "rule"),
               permits_text(unit, text_in(rule, "used")),
               permits_text(unit, text_in(rule, "limit")),
               permits_text(unit, text_in(rule, rule.contains("balance") ? "balance" : "remaining")),
               fills ? duration_of(up(*full)) : "",
               {next + (waits ? " for " + duration_of(up(*wait)) : ""),
                next == "allowed" || next == "observed" ? Paint::good : Paint::bad}});
  }
  print_table(table, "");
}

void print_config(const Json& answer) {
  std::puts(printable_json(object_in(answer, "config").dump(2, ' ', false, Json::error_handler_t::replace)).c_str());
}

void print_differences(const Json& answer) {
  if (!truth_in(answer, "differs")) return print_line(text_in(answer, "file") + " is what is in force");
  TextTable table({"where", "in force", "in the file"});
  for (const auto& each : list_in(answer, "differences")) {
    const bool secret = truth_in(each, "secret_differs");
    table.row({text_in(each, "pointer"), text_in(each, "active"), secret ? "(another value)" : text_in(each, "file")});
  }
  print_table(table, "");
  if (!truth_in(answer, "complete")) print_line("and more");
}

}  // namespace headgate::cli
