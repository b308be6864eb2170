#pragma once
// JSON Web Tokens, verified: compact JWS (RFC 7515) with a static key, claims as RFC 7519.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Why a token was refused. For logs and metrics; a caller is told only what WWW-Authenticate may say.
enum class JwtError {
  malformed,
  unsupported_algorithm,
  bad_signature,
  expired,
  not_yet_valid,
  wrong_issuer,
  wrong_audience,
  too_large
};
std::string_view to_text(JwtError error) noexcept;  ///< "bad_signature"

/// The verified claims, by name: strings as they are, integers (up to 64 bits) in decimal, true/false. Left out, as no
/// key can be made of them: objects, arrays, fractions, null, and strings of more than 1 KiB or with control
/// characters.
using Claims = std::map<std::string, std::string, std::less<>>;

/// Verifies tokens against one configuration. Immutable after construction; any thread.
class JwtVerifier {
 public:
  /// Each listed algorithm needs its own key, which no other algorithm ever uses. The error is a sentence without a
  /// final dot, and holds nothing of the keys: no algorithm, a secret too short or a PEM, a PEM that is not an RSA
  /// public key ("PUBLIC KEY" or "RSA PUBLIC KEY") of 2048 bits or more, a leeway beyond a day. Keeps no reference to
  /// `options`.
  static Result<std::shared_ptr<const JwtVerifier>, std::string> make(const JwtOptions& options);
  virtual ~JwtVerifier() = default;

  /// The claims of `token` (without "Bearer "): size and form first, then the signature, and only then exp, nbf, iss,
  /// aud at `now`. At most 8 KiB are looked at. Good from nbf - leeway until just before exp + leeway; a token without
  /// `exp` never ends, as its issuer signed it so (RFC 7519 makes it optional). Refused as malformed: padding or other
  /// spellings of base64url, a member named twice, `crit`, `b64`, a `typ` other than JWT or at+jwt, dates that are not
  /// numbers from 0 to the year 9999, nesting beyond 16. Keys that a token brings along or points to (jwk, jku, x5c,
  /// x5u, kid) are never used. Throws only where memory is out.
  virtual Result<Claims, JwtError> verify(std::string_view token, Instant now) const = 0;
};

/// The token in an Authorization field value, a view into it; "" where the scheme is not Bearer (RFC 6750, scheme
/// case-insensitive) or nothing follows it. What follows is not checked.
std::string_view bearer_token(std::string_view authorization) noexcept;

}  // namespace headgate::identity
