// "http-request deny if { src 10.0.0.0/8 }", and "unless": addresses that a proxy refuses.

#include "translate/haproxy/work.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// Whether each alternative is one test of the address.
bool of_addresses(const std::vector<HaproxyTests>& conditions) {
  return !conditions.empty() && std::ranges::all_of(conditions, [](const HaproxyTests& tests) {
    return tests.size() == 1 && tests.front().kind == HaproxyTest::Kind::source;
  });
}

}  // namespace

std::vector<AddressRule> haproxy_addresses(HaproxyWork& work, const HaproxyProxy& proxy,
                                           std::set<const HaproxyLine*>& taken) {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  Spot spot;
  for (const auto* line : proxy.lines) {
    if (!line->begins("http-request", "deny")) continue;
    const auto conditions = conditions_of(proxy, *line);
    if (!of_addresses(conditions)) continue;
    const bool negated = conditions.front().front().negated;
    // Who is in none of two lists would be refused by each of them; that is not one list.
    const bool alone = conditions.size() == 1 && allow.empty();
    if (std::ranges::any_of(conditions, [](const auto& tests) { return tests.front().negated; }) && !alone) continue;
    for (const auto& tests : conditions) {
      auto& list = negated ? allow : deny;
      list.insert(list.end(), tests.front().values.begin(), tests.front().values.end());
    }
    taken.insert(line);
    spot = line->spot;
    const auto status = line->after("deny_status");
    if (!status.empty() && status != "403")
      work.draft.say(Matter::differs, line->spot, "deny_status " + std::string(status),
                     "headgate refuses addresses with 403");
  }
  return address_rules(allow, deny, spot);
}

}  // namespace headgate::translate
