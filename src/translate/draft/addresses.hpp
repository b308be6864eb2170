#pragma once
// Translates lists of allowed and denied addresses into "addresses" of a route. In these lists the first rule that
// matches decides.

#include "translate/draft/draft.hpp"

#include <string>
#include <vector>

namespace headgate::translate {

struct AddressRule {
  bool allow = false;
  std::string block;  ///< "10.0.0.0/8", "10.1.2.3", or "all"
  Spot spot{};
};

/// Sets "addresses" of `route` so that it has the meaning of the rules. Addresses without a rule are allowed. Closes
/// the route if a block is malformed. Throws Unreadable if there are more than kMaxAddressRules, because the time grows
/// with the square of their number.
void set_addresses(const std::vector<AddressRule>& rules, DraftEntry& route);
inline constexpr std::size_t kMaxAddressRules = 1'000;

/// Returns rules for two lists whose order does not matter. Denied addresses are refused. If `allow` is not empty, all
/// addresses outside of `allow` are refused, too.
std::vector<AddressRule> address_rules(const std::vector<std::string>& allow, const std::vector<std::string>& deny,
                                       const Spot& spot);

/// Returns the IPv4 and IPv6 blocks that cover all addresses outside of `blocks`, in order. The list is empty if
/// `blocks` is empty or has a malformed block, if no address remains, or if more than kMaxAddressRules blocks would
/// remain.
std::vector<std::string> all_addresses_but(const std::vector<std::string>& blocks);

}  // namespace headgate::translate
