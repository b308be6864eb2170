#pragma once
// The period in which a token is valid, by its own dates (RFC 7519 section 4.1) and the leeway and max_age of its
// issuer.

#include "identity/json/json_object.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/jwt.hpp"

#include <optional>
#include <vector>

namespace headgate::identity {

struct Lifetime {
  Instant from{};                      ///< start of validity; the epoch if no date says otherwise
  Instant until = Instant::max();      ///< end of validity, not included
  JwtError ended = JwtError::expired;  ///< the error from `until` on: expired or too_old

  /// Returns the reason why the token is not valid at `now`, and the time until which this result stays the same; empty
  /// if the token is valid.
  std::optional<RefusedToken> refusal(Instant now) const noexcept;
};

/// Reads exp, nbf and iat. Errors: malformed if one is not a number from 0 to the year 9999; too_old if there is a
/// max_age but no iat.
Result<Lifetime, JwtError> read_lifetime(const std::vector<JsonMember>& claims, const JwtIssuer& issuer);

}  // namespace headgate::identity
