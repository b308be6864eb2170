#pragma once
// JSON Web Tokens, verified: compact JWS (RFC 7515) with a static key, claims as RFC 7519.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

namespace headgate::identity {

/// Why a token was refused. For logs and metrics; a caller is told only what WWW-Authenticate may say.
enum class JwtError {
  malformed, unsupported_algorithm, bad_signature, expired, not_yet_valid, wrong_issuer, wrong_audience, too_large
};
std::string_view to_text(JwtError error) noexcept;  ///< "bad_signature"

/// The verified claims, by name: strings as they are, integers in decimal, true/false; others (objects, arrays, fractions) are left out.
using Claims = std::map<std::string, std::string, std::less<>>;

/// Verifies tokens against one configuration. Immutable after construction; any thread.
class JwtVerifier {
 public:
  /// Error text where the key does not fit the algorithms (secret too short, PEM not an RSA public key of 2048 bits or more).
  static Result<std::shared_ptr<const JwtVerifier>, std::string> make(const JwtOptions& options);
  virtual ~JwtVerifier() = default;

  /// The claims of `token` (without "Bearer "), signature first, then exp, nbf, iss, aud at `now`. At most 8 KiB are looked at.
  virtual Result<Claims, JwtError> verify(std::string_view token, Instant now) const = 0;
};

/// The token in an Authorization field value, "" where the scheme is not Bearer (RFC 6750, scheme case-insensitive).
std::string_view bearer_token(std::string_view authorization) noexcept;

}  // namespace headgate::identity
