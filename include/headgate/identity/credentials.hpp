#pragma once
// A snapshot of the credentials: known API keys, the keys of issuers, lists of addresses, users. Credentials change
// when their files change or when issuers publish other keys, while the configuration stays the same. Used by gateway
// and keyring.

#include "headgate/identity/address_blocks.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/jwt.hpp"
#include "headgate/identity/users.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::usage {
class Prices;  // usage/prices.hpp; opaque here
}

namespace headgate::identity {

/// The snapshot. Immutable; shared by all workers.
struct Credentials {
  std::shared_ptr<const ApiKeys> api_keys;  ///< API keys; never null
  std::shared_ptr<const JwtVerifier> jwt;   ///< verifier of tokens; null if no token is accepted
  /// Path and content of each file of addresses, in the order of IdentityOptions::address_files; none is null.
  std::vector<std::pair<std::string, std::shared_ptr<const AddressBlocks>>> address_lists{};
  /// Path and content of each file of users, in the order of IdentityOptions::user_files.
  std::vector<std::pair<std::string, std::shared_ptr<const Users>>> user_lists{};
  /// The price file (IdentityOptions::price_file); null if there is none.
  std::shared_ptr<const usage::Prices> prices{};
};

}  // namespace headgate::identity
