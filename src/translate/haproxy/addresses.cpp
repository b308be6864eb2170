// "http-request deny if { src 10.0.0.0/8 }", and "unless": addresses that a proxy refuses.

#include "translate/haproxy/work.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace headgate::translate {
namespace {

/// Whether each alternative is one test of the address, or says that it is in none of several lists.
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
  // What changes a request, remembers something of it, or lets it go on.
  static const std::set<std::string_view> kGoesOn = {"set-header",      "add-header",
                                                     "del-header",      "replace-header",
                                                     "replace-value",   "set-var",
                                                     "set-var-fmt",     "unset-var",
                                                     "set-path",        "replace-path",
                                                     "set-pathq",       "replace-pathq",
                                                     "set-query",       "set-uri",
                                                     "replace-uri",     "set-method",
                                                     "set-log-level",   "set-nice",
                                                     "set-tos",         "set-mark",
                                                     "set-src",         "set-src-port",
                                                     "set-dst",         "set-dst-port",
                                                     "set-timeout",     "capture",
                                                     "add-acl",         "del-acl",
                                                     "set-map",         "del-map",
                                                     "early-hint",      "cache-use",
                                                     "cache-store",     "allow",
                                                     "accept",          "pause",
                                                     "wait-for-body",   "wait-for-handshake",
                                                     "normalize-uri",   "do-resolve",
                                                     "strict-mode",     "disable-l7-retry",
                                                     "send-spoe-group", "set-bandwidth-limit",
                                                     "set-status",      "inspect-delay",
                                                     "return",          "redirect",
                                                     "close",           "set-fc-mark",
                                                     "set-fc-tos",      "set-bc-mark",
                                                     "set-bc-tos",      "set-retries",
                                                     "expect-proxy",    "expect-netscaler-cip",
                                                     "switch-mode"};
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
  return !kGoesOn.contains(action);
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
    // Who is in none of two lists would be refused by each of them; that is not one list.
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
