#include "cli/printable.hpp"
#include "cli/text_table.hpp"
#include "explain_text.hpp"
#include "past_request.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace headgate::cli {
namespace {

using Past = nlohmann::ordered_json;

std::string outcome_of_past(const Past& told) {
  const auto& outcome = told.at("outcome");
  const auto status = member_text(outcome, "status");
  const auto by = member_text(outcome, "ended_by");
  const auto why = by.empty() ? std::string() : " (" + by + ")";
  if (status.empty()) return "is not in the record" + why;
  std::string out;
  if (status == "0" || (status == "499" && by == "client_closed") || (status == "444" && by == "ban")) {
    out = "got no answer" + why;
  } else if (by == "upstream") {
    out = "passed, and the upstream answered " + status;
  } else if (by == "respond" || by == "preflight") {
    out = "passed, and was answered by the gateway with " + status;
  } else if (status < "400") {
    out = "was answered with " + status + why;
  } else {
    out = "was refused with " + status + why;
  }
  if (const auto grpc = member_text(outcome, "grpc_status"); !grpc.empty()) out += ", in gRPC " + grpc;
  if (const auto limit = member_text(outcome, "limit"); !limit.empty()) out += " by limit " + limit;
  if (outcome.contains("retry_after")) out += "; was told to wait " + wait_text(outcome["retry_after"]);
  return out;
}

std::string route_of_past(const Past& told) {
  const auto& route = told.at("route");
  if (route.is_null()) return "none";
  const auto to = member_text(route, "to");
  return member_text(route, "name") + (to.empty() ? ", no server was asked" : ", to upstream " + to);
}

std::string verdict_of_past(const std::string& decision) {
  if (decision == "allowed") return "allowed";
  if (decision == "observed") return "would have been rejected (on trial)";
  if (decision == "banned") return "suspended";
  return decision;
}

std::string limits_of_past(const Past& told, bool colours) {
  if (told.at("limits").empty()) return {};
  TextTable table({"limit", "tier", "key id", "cost", "held", "left", "in", "this request"});
  for (const auto& limit : told.at("limits")) {
    const auto decision = member_text(limit, "decision");
    // A request of a suspended key is refused before anything is counted, so it has no numbers.
    const auto number = [&](const char* name) { return decision == "banned" ? "" : member_text(limit, name); };
    table.row({member_text(limit, "limit"),
               member_text(limit, "tier"),
               member_text(limit, "key_id"),
               number("cost"),
               number("held"),
               number("remaining"),
               member_text(limit, "counted_in"),
               {verdict_of_past(decision), decision == "allowed" ? Paint::good : Paint::bad}});
  }
  return '\n' + table.text(colours);
}

std::string server_of_past(const Past& told) {
  auto out = member_text(told, "server");
  if (out.empty()) return out;
  const auto attempts = member_text(told, "attempts");
  if (!attempts.empty() && attempts != "1") out += ", the last of " + attempts + " attempts";
  if (const auto retried = member_text(told, "retried"); !retried.empty()) out += " (before it: " + retried + ")";
  return out;
}

std::string times_of_past(const Past& told) {
  const auto& times = told.at("times");
  std::string out;
  const auto add = [&](const char* name, std::string_view what) {
    const auto ms = member_text(times, name);
    if (ms.empty() || ms == "0.0" || ms == "0") return;
    out.append(out.empty() ? "" : ", ").append(ms).append(" ms").append(what);
  };
  add("all_ms", " in all");
  add("limits_ms", " for the limits");
  add("delayed_ms", " delayed");
  add("queued_ms", " queued");
  add("upstream_ms", " until the server's head");
  if (told.contains("out_bytes"))
    out.append(out.empty() ? "" : "; ")
        .append(member_text(told, "in_bytes"))
        .append(" bytes in, ")
        .append(member_text(told, "out_bytes"))
        .append(" out");
  return out;
}

/// Adds a line "name      value", if there is a value.
void add_line(std::string& out, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  constexpr std::size_t kColumn = 10;
  out.append(name).append(kColumn - name.size(), ' ').append(value).append("\n");
}

}  // namespace

std::string past_text(const Past& told, bool colours) {
  const auto& request = told.at("request");
  std::string first = member_text(request, "method") + ' ' + member_text(request, "path");
  if (const auto host = member_text(request, "host"); !host.empty()) first += " at " + host;
  std::string out;
  add_line(out, "request", first);
  add_line(out, "call", member_text(request, "call"));
  auto ended = member_text(told, "ended_at");
  if (const auto gateway = member_text(told, "instance"); !gateway.empty()) ended += " on " + gateway;
  add_line(out, "ended", ended);
  add_line(out, "outcome", outcome_of_past(told));
  if (const auto detail = member_text(told.at("outcome"), "detail"); !detail.empty()) add_line(out, "", detail);
  add_line(out, "route", route_of_past(told));
  add_line(out, "caller", caller_text(told.at("caller")));
  add_line(out, "server", server_of_past(told));
  add_line(out, "times", times_of_past(told));
  add_line(out, "trace", member_text(request, "trace_id"));
  out += limits_of_past(told, colours);
  if (const auto left_out = member_text(told, "lines_left_out_before"); !left_out.empty())
    out.append("\nBefore it, lines of ").append(left_out).append(" requests like it were left out of the log.\n");
  if (const auto& missing = told.at("missing"); !missing.empty()) {
    out += "\nNot in the record, because log.fields leaves it out:";
    for (const auto& each : missing) out.append(" ").append(printable(each.get<std::string>()));
    out += ".\n";
  }
  return out;
}

}  // namespace headgate::cli
