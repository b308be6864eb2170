#pragma once
// From which addresses a route, or all routes, may be used.

#include "headgate/identity/address_blocks.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace headgate::gateway {

/// The smallest block that holds an address decides; of two equal ones, the one that denies. Where no block holds it,
/// the address is refused if anything is allowed, else let in. Immutable; any thread.
struct AddressRules {
  identity::AddressBlocks allow;
  identity::AddressBlocks deny;
  std::vector<std::size_t> allow_files;  ///< indexes of IdentityOptions::address_files
  std::vector<std::size_t> deny_files;

  bool demands() const noexcept { return allow.size() > 0 || !allow_files.empty(); }
};
using AddressRulesPtr = std::shared_ptr<const AddressRules>;

/// What became of an address.
struct AddressDecision {
  bool in = true;
  int bits = identity::AddressBlocks::kNone;  ///< the length of the block that decided; kNone: none did
};

/// `lists` are the contents of the files; one that is null says nothing.
AddressDecision judge(const AddressRules& rules, std::span<const std::shared_ptr<const identity::AddressBlocks>> lists,
                      const boost::asio::ip::address& address) noexcept;

}  // namespace headgate::gateway
