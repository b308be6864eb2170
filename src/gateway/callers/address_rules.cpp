#include "headgate/gateway/address_rules.hpp"

#include <algorithm>

namespace headgate::gateway {

AddressDecision judge(const AddressRules& rules, std::span<const std::shared_ptr<const identity::AddressBlocks>> lists,
                      const boost::asio::ip::address& address) noexcept {
  bool demands = rules.allow.size() > 0;
  int allowed = rules.allow.smallest(address);
  int denied = rules.deny.smallest(address);
  for (const auto number : rules.allow_files) {
    if (!lists[number]) continue;
    demands = true;
    allowed = std::max(allowed, lists[number]->smallest(address));
  }
  for (const auto number : rules.deny_files)
    if (lists[number]) denied = std::max(denied, lists[number]->smallest(address));
  constexpr int kNone = identity::AddressBlocks::kNone;
  if (denied != kNone && denied >= allowed) return {.in = false, .bits = denied};
  return {.in = allowed != kNone || !demands, .bits = allowed};
}

}  // namespace headgate::gateway
