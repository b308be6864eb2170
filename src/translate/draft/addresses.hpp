#pragma once
// Lists of allowed and denied addresses, of which the first rule that fits decides, as "addresses" of a route.

#include "translate/draft/draft.hpp"

#include <string>
#include <vector>

namespace headgate::translate {

struct AddressRule {
  bool allow = false;
  std::string block;  ///< "10.0.0.0/8", "10.1.2.3", or "all"
  Spot spot{};
};

/// Puts what the rules mean into `route`; other addresses are let in. A block that is none closes the
/// route. Throws Unreadable if there are more than kMaxAddressRules: it takes time in proportion to their square.
void set_addresses(const std::vector<AddressRule>& rules, DraftEntry& route);
inline constexpr std::size_t kMaxAddressRules = 1'000;

/// Those of lists that have no order: what is denied is refused, and all that is not allowed, if anything is.
std::vector<AddressRule> address_rules(const std::vector<std::string>& allow, const std::vector<std::string>& deny,
                                       const Spot& spot);

/// The blocks that hold every other address, IPv4 and IPv6, in order. Empty if `blocks` is empty, if one of them is
/// none, if they leave no address, or if more than kMaxAddressRules remain.
std::vector<std::string> all_addresses_but(const std::vector<std::string>& blocks);

}  // namespace headgate::translate
