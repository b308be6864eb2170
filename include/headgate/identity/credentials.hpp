#pragma once
// The credentials at one moment: known API keys and the keys of issuers. They change with their files and with what
// issuers publish, while the configuration stays the same.

#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/jwt.hpp"

#include <memory>

namespace headgate::identity {

/// Immutable; shared by all workers.
struct Credentials {
  std::shared_ptr<const ApiKeys> api_keys;  ///< never null
  std::shared_ptr<const JwtVerifier> jwt;   ///< null if no token is accepted
};

}  // namespace headgate::identity
