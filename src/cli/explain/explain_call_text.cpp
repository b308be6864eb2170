// The text for a call of the rate limit service.

#include "cli/printable.hpp"
#include "explain_text.hpp"

#include <nlohmann/json.hpp>

namespace headgate::cli {
namespace {

using CallJson = nlohmann::ordered_json;

std::string entries_text(const CallJson& descriptor) {
  std::string out;
  for (const auto& [key, value] : descriptor.items())
    out.append(out.empty() ? "" : ", ")
        .append(printable(key))
        .append("=")
        .append(printable(value.is_string() ? value.get<std::string>() : value.dump()));
  return out;
}

std::string outcome_of_call(const CallJson& outcome) {
  auto out = member_text(outcome, "code");
  if (const auto limit = member_text(outcome, "limit"); !limit.empty()) out += " by limit " + limit;
  if (outcome.contains("retry_after")) out += "; passes in " + wait_text(outcome["retry_after"]);
  return out;
}

}  // namespace

std::string call_text(const CallJson& told, bool colours) {
  const auto& call = told.at("call");
  const auto& outcome = told.at("outcome");
  auto out = "call      of domain " + member_text(call, "domain") + "\noutcome   " + outcome_of_call(outcome) + '\n';
  if (const auto detail = member_text(outcome, "detail"); !detail.empty()) out += "          " + detail + '\n';
  LimitTable limits({"no."}, "this call");
  std::size_t number = 0;
  for (const auto& each : call.at("descriptors")) {
    const auto no = std::to_string(++number);
    out += (number == 1 ? "decides   " : "          ") + no + ": " + entries_text(each.at("descriptor"));
    const auto entry = member_text(each, "entry");
    out += entry.empty() ? ": OK and free, because no entry of \"decide\" counts it\n"
                         : ": " + member_text(each, "code") + ", by " + entry + '\n';
    limits.add({no}, each.value("limits", CallJson::array()));
  }
  return out + limits.text(colours) + source_text(told);
}

}  // namespace headgate::cli
