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
  const auto otherwise = std::to_string(cost.default_value);
  const auto allowed = !hold.pointer.empty() ? "the number at " + hold.pointer + " in the request's body"
                       : hold.of_usage       ? std::string("the output that the request allows")
                                             : std::string();
  auto out = hold.learned ? "the largest output of the key's last 8 calls (" + otherwise +
                                " before the first one), at most " + allowed
             : allowed.empty() ? otherwise
                               : allowed + " (else " + otherwise + ")";
  if (hold.input > 0) {
    out += ", one more for each " + (hold.input == 1 ? "byte" : std::to_string(hold.input) + " bytes") + " of its text";
    if (hold.input > 1 && cost.from != nullptr && cost.from->of_api)
      out += " (until the key's calls have shown how many bytes a token has)";
  }
  if (hold.clamp)
    out += ", or what is left, with a smaller maximum of output in the request, but at least " +
           std::to_string(hold.at_least);
  if (hold.extends) out += ", and more if its stream goes on";
  return out;
}

std::string excess_in_words(const Cost& cost) {
  if (!cost.hold.learned) return {};
  return std::string("; each call under way") + (cost.hold.extends ? " that is no stream" : "") +
         " can exceed its hold by up to " + std::to_string(cost.most) +
         " less the hold, so N calls at once can exceed the limit by N times that, and " +
         (cost.debt ? "later calls wait until it is paid off" : "the excess is not charged");
}

}  // namespace headgate::gateway
