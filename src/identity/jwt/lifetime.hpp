#pragma once
// When a token is good, by its own dates (RFC 7519 section 4.1) and its issuer's leeway and max_age.

#include "json_object.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/jwt.hpp"

#include <optional>
#include <vector>

namespace headgate::identity {

struct Lifetime {
  Instant from{};                      ///< the epoch where no date says more
  Instant until = Instant::max();      ///< until just before here
  JwtError ended = JwtError::expired;  ///< what the token is from then on: expired or too_old

  /// Why the token is not good at `now`, and for how long that stays the answer; nothing where it is good.
  std::optional<RefusedToken> refusal(Instant now) const noexcept;
};

/// Reads exp, nbf and iat. malformed: one that is not a number from 0 to the year 9999. too_old: a max_age, and no iat.
Result<Lifetime, JwtError> read_lifetime(const std::vector<JsonMember>& claims, const JwtIssuer& issuer);

}  // namespace headgate::identity
