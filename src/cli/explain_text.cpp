#include "explain_text.hpp"

#include "text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace headgate::cli {
namespace {

using Told = nlohmann::ordered_json;

std::string text(const Told& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || at->is_null()) return {};
  return printable(at->is_string() ? at->get<std::string>() : at->dump());
}

std::string words(const Told& object, const char* name) {
  std::string out;
  for (const auto& each : object.value(name, Told::array()))
    out.append(out.empty() ? "" : ", ").append(printable(each.is_string() ? each.get<std::string>() : each.dump()));
  return out;
}

/// "12 s", "0.25 s", "3 min", "2 h".
std::string wait(const Told& seconds) {
  if (!seconds.is_number()) return "never";
  const double value = seconds.get<double>();
  char out[32];
  if (value >= 7200)
    std::snprintf(out, sizeof out, "%.0f h", std::ceil(value / 3600));
  else if (value >= 120)
    std::snprintf(out, sizeof out, "%.0f min", std::ceil(value / 60));
  else
    std::snprintf(out, sizeof out, "%g s", value >= 10 ? std::ceil(value) : std::ceil(value * 100) / 100);
  return out;
}

/// "app (90 %) or next (10 %)"; empty: chance does not decide.
std::string drawn_of(const Told& route) {
  std::string out;
  char percent[32];
  for (const auto& each : route.value("by_chance", Told::array())) {
    std::snprintf(percent, sizeof percent, " (%g %%)", each.value("share", 0.0) * 100);
    out.append(out.empty() ? "" : " or ").append(text(each, "to")).append(percent);
  }
  return out;
}

std::string route_of(const Told& told) {
  const auto& route = told.at("route");
  if (route.is_null()) return "none";
  auto out = text(route, "name");
  if (const auto path = text(route, "path"); path != out) out += " (" + path + ")";
  if (const auto drawn = drawn_of(route); !drawn.empty()) return out + ", by chance to " + drawn;
  const auto to = text(route, "to");
  return to.empty() ? out + ", answered by the gateway" : out + ", to upstream " + to;
}

std::string reason(const Told& candidate) {
  auto why = text(candidate, "why");
  if (why == "path") return "its path is " + text(candidate, "path");
  if (why == "host") return "its host is " + text(candidate, "host");
  if (why == "method") return "its methods are " + words(candidate, "methods");
  if (why == "conditions") return "its conditions do not hold";
  if (why == "unclear") return "it cannot be told whether its conditions hold, so the request is refused";
  if (why == "less_specific") return "it fits too, and another route is more specific";
  return why;
}

std::string others_of(const Told& told) {
  std::string out;
  for (const auto& each : told.value("candidates", Told::array()))
    if (text(each, "why") != "chosen") out += "          not " + text(each, "route") + ": " + reason(each) + '\n';
  if (const auto more = told.value("other_routes", 0); more > 0)
    out += "          and not " + std::to_string(more) + " more\n";
  return out;
}

std::string caller_of(const Told& told) {
  const auto& caller = told.at("caller");
  auto out = text(caller, "address");
  if (caller.value("through_trusted_proxy", false)) {
    const auto hops = caller.value("hops_believed", 0);
    out += ", named by " + std::to_string(hops) + (hops == 1 ? " trusted hop" : " trusted hops");
  }
  for (const auto& proof : caller.value("proofs", Told::array())) {
    out += "; " + text(proof, "kind") + ": " + text(proof, "result");
    if (text(proof, "kind") == "api_key" && caller.contains("api_key_of")) out += ", of " + text(caller, "api_key_of");
    if (text(proof, "kind") == "jwt" && caller.contains("jwt_sub")) out += ", sub " + text(caller, "jwt_sub");
  }
  return out;
}

std::string verdict_of(const Told& limit, const Told& rule) {
  if (rule.value("allowed", true)) return rule.contains("delay") ? "allows, after " + wait(rule["delay"]) : "allows";
  const bool observes = text(limit, "mode") == "observe";
  const std::string rejects = observes ? "would reject (on trial)" : "rejects";
  return rule["retry_after"].is_null() ? rejects + ": it costs too much"
                                       : rejects + " for " + wait(rule["retry_after"]);
}

std::string why_not_counted(const std::string& applies) {
  if (applies == "exempt") return "exempt";
  if (applies == "unlimited") return "its tier has none";
  if (applies == "skipped") return "no key: not counted";
  if (applies == "refused") return "no key: refused";
  return "not known: no Redis";
}

std::string limits_of(const Told& told, bool colours) {
  const auto limits = told.value("limits", Told::array());
  if (limits.empty()) return {};
  TextTable table({"limit", "tier", "key", "cost", "rate", "used", "left", "full in", "in", "this request"});
  for (const auto& limit : limits) {
    const auto applies = text(limit, "applies");
    if (applies != "counted") {
      table.row({text(limit, "limit"),
                 text(limit, "tier"),
                 "",
                 "",
                 "",
                 "",
                 "",
                 "",
                 text(limit, "counted_in"),
                 {why_not_counted(applies), Paint::faint}});
      continue;
    }
    for (const auto& rule : limit.at("rules"))
      table.row({text(limit, "limit"),
                 text(limit, "tier"),
                 text(limit, "key"),
                 text(limit, "cost"),
                 text(rule, "rate"),
                 text(rule, "used"),
                 text(rule, "remaining"),
                 wait(rule.at("reset")),
                 text(limit, "counted_in"),
                 {verdict_of(limit, rule), rule.value("allowed", true) ? Paint::good : Paint::bad}});
  }
  return '\n' + table.text(colours);
}

std::string outcome_of(const Told& told) {
  const auto& outcome = told.at("outcome");
  const auto ended_by = text(outcome, "ended_by");
  std::string out;
  if (ended_by == "upstream") {
    out = "passes, and goes to the upstream";
  } else if (outcome.value("passes", false)) {
    out = "passes, and is answered by the gateway with " + text(outcome, "status");
  } else if (outcome.contains("location")) {
    out = "is redirected with " + text(outcome, "status") + " to " + text(outcome, "location");
  } else {
    out = "is refused with " + text(outcome, "status") + " (" + ended_by + ")";
    if (const auto limit = text(outcome, "limit"); !limit.empty()) out += " by limit " + limit;
    if (outcome.value("waits_in_queue_first", false)) out += ", unless a permit comes while it waits in the queue";
    if (outcome.contains("retry_after")) out += "; passes in " + wait(outcome["retry_after"]);
  }
  if (outcome.contains("delay")) out += ", after a delay of " + wait(outcome["delay"]);
  if (outcome.value("waiting_room_decides_too", false)) out += "; its waiting room is not asked";
  return out;
}

}  // namespace

std::string explain_text(const Told& told, bool colours) {
  const auto& request = told.at("request");
  std::string out = "request   " + text(request, "method") + ' ' + text(request, "path");
  if (const auto host = text(request, "host"); !host.empty()) out += " at " + host;
  out += "\noutcome   " + outcome_of(told) + '\n';
  if (const auto detail = text(told.at("outcome"), "detail"); !detail.empty()) out += "          " + detail + '\n';
  out += "route     " + route_of(told) + '\n' + others_of(told);
  if (const auto caller = caller_of(told); !caller.empty()) out += "caller    " + caller + '\n';
  out += limits_of(told, colours);
  if (told.value("offline", false))
    out += "\nNo gateway was asked: all of every limit is left, and nobody is suspended.\n";
  else if (text(told.at("outcome"), "redis") != "")
    out += "\nRedis does not answer.\n";
  return out;
}

std::string routes_text(const Told& told, bool colours) {
  TextTable table({"route", "host", "path", "methods", "to", "requires", "limits"});
  for (const auto& each : told.at("routes")) {
    auto to = each.contains("answers")   ? "answers " + text(each, "answers")
              : each.at("to").is_array() ? words(each, "to")
                                         : text(each, "to");
    auto path = text(each, "path");
    if (each.contains("conditions")) path += " with " + text(each, "conditions") + " conditions";
    table.row({text(each, "route"), text(each, "host"), std::move(path), words(each, "methods"), std::move(to),
               text(each, "requires"), words(each, "limits")});
  }
  return table.text(colours);
}

}  // namespace headgate::cli
