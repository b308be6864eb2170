#include "explain_text.hpp"

#include "cli/money_text.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace headgate::cli {
namespace {

using ExplainJson = nlohmann::ordered_json;

}  // namespace

std::string member_text(const ExplainJson& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || at->is_null()) return {};
  return printable(at->is_string() ? at->get<std::string>() : at->dump());
}

std::string wait_text(const ExplainJson& seconds) {
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

namespace {

/// Returns " (team: search, organisation: acme)"; "" if the key has no groups.
std::string groups_text(const ExplainJson& caller) {
  std::string out;
  const auto groups = caller.value("groups", ExplainJson::object());
  for (const auto& [name, value] : groups.items())
    out += (out.empty() ? " (" : ", ") + printable(name) + ": " +
           printable(value.is_string() ? value.get<std::string>() : value.dump());
  return out.empty() ? out : out + ')';
}

}  // namespace

std::string caller_text(const ExplainJson& caller) {
  auto out = member_text(caller, "address");
  if (caller.value("through_trusted_proxy", false)) {
    const auto hops = caller.value("hops_believed", 0);
    out += ", named by " + std::to_string(hops) + (hops == 1 ? " trusted hop" : " trusted hops");
  }
  for (const auto& proof : caller.value("proofs", ExplainJson::array())) {
    out += "; " + member_text(proof, "kind") + ": " + member_text(proof, "result");
    if (member_text(proof, "kind") == "api_key" && caller.contains("api_key_of"))
      out += ", of " + member_text(caller, "api_key_of") + groups_text(caller);
    if (member_text(proof, "kind") == "basic" && caller.contains("basic_user"))
      out += ", of " + member_text(caller, "basic_user");
    if (member_text(proof, "kind") == "jwt" && caller.contains("jwt_sub"))
      out += ", sub " + member_text(caller, "jwt_sub");
  }
  return out;
}

namespace {

std::string words(const ExplainJson& object, const char* name, const char* between = ", ") {
  std::string out;
  for (const auto& each : object.value(name, ExplainJson::array()))
    out.append(out.empty() ? "" : between).append(printable(each.is_string() ? each.get<std::string>() : each.dump()));
  return out;
}

/// Returns "app (90 %) or next (10 %)"; empty if the choice is not random.
std::string drawn_of(const ExplainJson& route) {
  std::string out;
  char percent[32];
  for (const auto& each : route.value("by_chance", ExplainJson::array())) {
    std::snprintf(percent, sizeof percent, " (%g %%)", each.value("share", 0.0) * 100);
    out.append(out.empty() ? "" : " or ").append(member_text(each, "to")).append(percent);
  }
  return out;
}

std::string route_of(const ExplainJson& told) {
  const auto& route = told.at("route");
  if (route.is_null()) return "none";
  auto out = member_text(route, "name");
  if (const auto path = member_text(route, "path"); path != out) out += " (" + path + ")";
  if (const auto drawn = drawn_of(route); !drawn.empty()) return out + ", by chance to " + drawn;
  const auto to = member_text(route, "to");
  return to.empty() ? out + ", answered by the gateway" : out + ", to upstream " + to;
}

std::string reason(const ExplainJson& candidate) {
  auto why = member_text(candidate, "why");
  if (why == "path") return "its path is " + member_text(candidate, "path");
  if (why == "host") return "its host is " + member_text(candidate, "host");
  if (why == "method") return "its methods are " + words(candidate, "methods");
  if (why == "conditions") return "its conditions do not hold";
  if (why == "unclear") return "it cannot be told whether its conditions hold, so the request is refused";
  if (why == "less_specific") return "it fits too, and another route is more specific";
  return why;
}

std::string others_of(const ExplainJson& told) {
  std::string out;
  for (const auto& each : told.value("candidates", ExplainJson::array()))
    if (member_text(each, "why") != "chosen")
      out += "          not " + member_text(each, "route") + ": " + reason(each) + '\n';
  if (const auto more = told.value("other_routes", 0); more > 0)
    out += "          and not " + std::to_string(more) + " more\n";
  return out;
}

std::string verdict_of(const ExplainJson& limit, const ExplainJson& rule) {
  if (limit.contains("suspended")) return "suspended for " + wait_text(limit["suspended"]);
  if (rule.value("allowed", true))
    return rule.contains("delay") ? "allows, after " + wait_text(rule["delay"]) : "allows";
  const bool observes = member_text(limit, "mode") == "observe";
  const std::string rejects = observes ? "would reject (on trial)" : "rejects";
  return rule["retry_after"].is_null() ? rejects + ": it costs too much"
                                       : rejects + " for " + wait_text(rule["retry_after"]);
}

std::vector<std::string> with_limit_heads(std::vector<std::string> out, const std::string& last) {
  for (const char* const head : {"limit", "tier", "key", "cost", "rate", "used", "left", "full in", "in"})
    out.emplace_back(head);
  out.push_back(last);
  return out;
}

std::string why_not_counted(const std::string& applies) {
  if (applies == "exempt") return "exempt";
  if (applies == "unlimited") return "its tier has none";
  if (applies == "skipped") return "no key: not counted";
  if (applies == "refused") return "no key: refused";
  return "not known: no Redis";
}

/// Returns the tier, or the source of the size: "no jwt.rpm" if the credential does not tell it.
std::string size_of(const ExplainJson& limit) {
  const auto size = limit.find("size");
  if (size == limit.end()) return member_text(limit, "tier");
  return (size->value("told", false) ? "" : "no ") + member_text(*size, "from");
}

}  // namespace

LimitTable::LimitTable(std::vector<std::string> first_heads, const std::string& last_head)
    : table_(with_limit_heads(std::move(first_heads), last_head)) {}

void LimitTable::add(const std::vector<std::string>& first, const ExplainJson& limits) {
  const auto row = [&](const std::vector<Cell>& cells) {
    std::vector<Cell> whole(first.begin(), first.end());
    whole.insert(whole.end(), cells.begin(), cells.end());
    table_.row(std::move(whole));
  };
  for (const auto& limit : limits) {
    const auto applies = member_text(limit, "applies");
    if (applies != "counted") {
      row({member_text(limit, "limit"),
           size_of(limit),
           "",
           "",
           "",
           "",
           "",
           "",
           member_text(limit, "counted_in"),
           {why_not_counted(applies), Paint::faint}});
      continue;
    }
    const auto unit = member_text(limit, "unit");  // the rate names the currency of money
    auto counted_in = member_text(limit, "counted_in");
    if (const auto shards = member_text(limit, "one_of_shards"); !shards.empty()) counted_in += ", 1 of " + shards;
    for (const auto& rule : limit.at("rules")) {
      const bool allows = rule.value("allowed", true) && !limit.contains("suspended");
      row({member_text(limit, "limit"),
           size_of(limit),
           limit.contains("key")      ? member_text(limit, "key")
           : limit.contains("key_id") ? member_text(limit, "key_id")
                                      : "(not shown)",
           permits_text(unit, member_text(limit, "cost")),
           member_text(rule, "rate"),
           permits_text(unit, member_text(rule, "used")),
           permits_text(unit, member_text(rule, "remaining")),
           rule.contains("reset") ? wait_text(rule["reset"]) : "",
           counted_in,
           {verdict_of(limit, rule), allows ? Paint::good : Paint::bad}});
    }
  }
}

std::string LimitTable::text(bool colours) const {
  return table_.empty() ? std::string() : '\n' + table_.text(colours, stdout_width());
}

namespace {

std::string outcome_of(const ExplainJson& told) {
  const auto& outcome = told.at("outcome");
  const auto ended_by = member_text(outcome, "ended_by");
  std::string out;
  if (outcome.contains("fails")) {
    out = "would fail: " + member_text(outcome["fails"], "what");
    if (const auto why = member_text(outcome["fails"], "why"); !why.empty()) out += " (" + why + ")";
  } else if (ended_by == "upstream") {
    out = "passes, and goes to the upstream";
    if (outcome.contains("may_fail")) out += "; it may fail: " + member_text(outcome["may_fail"], "what");
  } else if (outcome.value("passes", false)) {
    out = "passes, and is answered by the gateway with " + member_text(outcome, "status");
  } else if (outcome.contains("location")) {
    out = "is redirected with " + member_text(outcome, "status") + " to " + member_text(outcome, "location");
  } else {
    out = "is refused with " + member_text(outcome, "status") + " (" + ended_by + ")";
    if (const auto limit = member_text(outcome, "limit"); !limit.empty()) out += " by limit " + limit;
    if (outcome.value("waits_in_queue_first", false)) out += ", unless a permit comes while it waits in the queue";
    if (outcome.contains("retry_after")) out += "; passes in " + wait_text(outcome["retry_after"]);
  }
  if (outcome.contains("delay")) out += ", after a delay of " + wait_text(outcome["delay"]);
  if (const auto besides = words(outcome, "besides", "; "); !besides.empty()) out += "; " + besides;
  return out;
}

/// Returns a sentence about the part of a limit that this gateway counts alone. An older gateway does not report how
/// many gateways there are.
std::string part_of(const ExplainJson& outcome) {
  const auto gateways = outcome.value("gateways", 1);
  return gateways > 1 ? " What this gateway counts by itself is its part, one of " + std::to_string(gateways) + "."
                      : "";
}

}  // namespace

std::string source_text(const ExplainJson& told) {
  if (told.value("offline", false))
    return "\nNo gateway was asked: all of every limit is left, and nobody is suspended.\n";
  if (!member_text(told.at("outcome"), "redis").empty())
    return "\nRedis does not answer." + part_of(told.at("outcome")) + '\n';
  return {};
}

std::string explain_text(const ExplainJson& told, bool colours) {
  if (told.contains("call")) return call_text(told, colours);
  const auto& request = told.at("request");
  std::string out = "request   " + member_text(request, "method") + ' ' + member_text(request, "path");
  if (const auto host = member_text(request, "host"); !host.empty()) out += " at " + host;
  out += "\noutcome   " + outcome_of(told) + '\n';
  if (const auto detail = member_text(told.at("outcome"), "detail"); !detail.empty())
    out += "          " + detail + '\n';
  out += "route     " + route_of(told) + '\n' + others_of(told);
  if (const auto caller = caller_text(told.at("caller")); !caller.empty()) out += "caller    " + caller + '\n';
  LimitTable limits({}, "this request");
  limits.add({}, told.value("limits", ExplainJson::array()));
  out += limits.text(colours);
  return out + source_text(told);
}

std::string routes_text(const ExplainJson& told, bool colours) {
  TextTable table({"route", "host", "path", "methods", "to", "requires", "limits"});
  for (const auto& each : told.at("routes")) {
    if (each.contains("match")) {
      table.row({member_text(each, "route"), "", "(descriptors)", "", "decides", "", words(each, "limits")});
      continue;
    }
    auto to = each.contains("answers")   ? "answers " + member_text(each, "answers")
              : each.at("to").is_array() ? words(each, "to")
                                         : member_text(each, "to");
    auto path = member_text(each, "path");
    if (each.contains("conditions")) path += " with " + member_text(each, "conditions") + " conditions";
    table.row({member_text(each, "route"), member_text(each, "host"), std::move(path), words(each, "methods"),
               std::move(to), member_text(each, "requires"), words(each, "limits")});
  }
  return table.text(colours, stdout_width());
}

}  // namespace headgate::cli
