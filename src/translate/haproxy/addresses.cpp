// Translates rules such as "http-request deny if { src 10.0.0.0/8 }" into "addresses".

#include "translate/haproxy/work.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace headgate::translate {
namespace {

/// Returns whether each alternative has only one test, which is of the address, or only tests that the address is in
/// none of several lists.
bool of_addresses(const std::vector<HaproxyTests>& conditions) {
  const auto source = [](const HaproxyTest& test) { return test.kind == HaproxyTest::Kind::source; };
  const auto left_out = [](const HaproxyTest& test) { return test.negated; };
  return !conditions.empty() && std::ranges::all_of(conditions, [&](const HaproxyTests& tests) {
    return !tests.empty() && std::ranges::all_of(tests, source) &&
           (tests.size() == 1 || std::ranges::all_of(tests, left_out));
  });
}

}  // namespace

bool haproxy_refuses(const HaproxyLine& line) {
  if (line.begins("block")) return true;
  if (line.begins("http-after-response")) return false;
  const bool http = line.begins("http-request") || line.begins("http-response");
  const bool tcp = line.begins("tcp-request") || line.begins("tcp-response");
  if (!http && !tcp) return false;
  const bool place = line.word(1) == "connection" || line.word(1) == "content" || line.word(1) == "session";
  auto action = line.word(tcp && place ? 2 : 1);
  for (const std::string_view begin : {"track-sc", "sc-", "set-priority", "sc0", "sc1", "sc2"})
    if (action.starts_with(begin)) return false;
  action = action.substr(0, action.find('('));
  return !haproxy_goes_on(action);
}

std::vector<AddressRule> haproxy_addresses(HaproxyWork& work, const HaproxyProxy& proxy,
                                           std::set<const HaproxyLine*>& taken) {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  Spot spot;
  for (const auto* line : proxy.lines) {
    if (!haproxy_refuses(*line) || line->word(0) == "http-response" || line->word(1) == "auth") continue;
    const auto conditions = conditions_of(proxy, *line);
    if (!of_addresses(conditions)) continue;
    const bool negated = conditions.front().front().negated;
    // Two rules "unless in A" and "unless in B" together admit only addresses that are in both lists. One list of
    // headgate cannot express that.
    const bool alone = conditions.size() == 1 && allow.empty();
    if (std::ranges::any_of(conditions, [](const auto& tests) { return tests.front().negated; }) && !alone) continue;
    auto& list = negated ? allow : deny;
    for (const auto& tests : conditions)
      for (const auto& test : tests) list.insert(list.end(), test.values.begin(), test.values.end());
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
