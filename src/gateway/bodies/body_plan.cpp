#include "headgate/gateway/bodies/body_plan.hpp"

#include "headgate/gateway/cost_source.hpp"

namespace headgate::gateway {

std::string fault_of_pointer(std::string_view text) {
  const auto pointer = scan::parse_pointer(text);
  if (pointer.has_error()) return pointer.error().help;
  if (pointer->steps.empty()) return R"(name one value, as in "/usage/total_tokens")";
  if (scan::matches_many(*pointer)) return R"(name one value: "*" would stand for several)";
  return {};
}

std::string hold_in_words(const Cost& cost) {
  const auto& hold = cost.hold;
  auto out = std::to_string(cost.default_value);
  if (!hold.pointer.empty())
    out = "the number at " + hold.pointer + " in the request's body (else " + out + ")";
  else if (hold.of_usage)
    out = "the output that the request allows (else " + out + ")";
  if (hold.input > 0)
    out += ", one more for each " + (hold.input == 1 ? "byte" : std::to_string(hold.input) + " bytes") + " of its text";
  if (hold.extends) out += ", and more if its stream goes on";
  return out;
}

}  // namespace headgate::gateway
