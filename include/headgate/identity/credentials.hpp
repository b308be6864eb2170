#pragma once
// What callers are checked against at one moment: it changes with its files and with what issuers publish, while the
// configuration stays.

#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/jwt.hpp"

#include <memory>

namespace headgate::identity {

/// Immutable; shared by all workers.
struct Credentials {
  std::shared_ptr<const ApiKeys> api_keys;  ///< never null
  std::shared_ptr<const JwtVerifier> jwt;   ///< null where no token is believed
};

}  // namespace headgate::identity
