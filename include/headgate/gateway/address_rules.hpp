#pragma once
// The client addresses that may use a route, or all routes.

#include "headgate/identity/address_blocks.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace headgate::gateway {

/// The rules of one route. The smallest block that contains an address decides; if the same block is both allowed and
/// denied, it is denied. An address that is in no block is refused if the rules allow any block, and is let in
/// otherwise. Immutable; any thread.
struct AddressRules {
  identity::AddressBlocks allow;
  identity::AddressBlocks deny;
  std::vector<std::size_t> allow_files;  ///< indexes of IdentityOptions::address_files
  std::vector<std::size_t> deny_files;

  bool demands() const noexcept { return allow.size() > 0 || !allow_files.empty(); }
};
using AddressRulesPtr = std::shared_ptr<const AddressRules>;

/// The outcome for one address.
struct AddressDecision {
  bool in = true;
  int bits = identity::AddressBlocks::kNone;  ///< the length of the block that decided; kNone if no block did
};

/// Judges an address. `lists` has the contents of the files; a null list has no blocks.
AddressDecision judge(const AddressRules& rules, std::span<const std::shared_ptr<const identity::AddressBlocks>> lists,
                      const boost::asio::ip::address& address) noexcept;

}  // namespace headgate::gateway
