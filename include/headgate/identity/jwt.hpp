#pragma once
// JSON Web Tokens, verified: compact JWS (RFC 7515), claims as RFC 7519, as RFC 8725 advises.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/jwt_keys.hpp"
#include "headgate/identity/options.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Why a token was refused. For logs and metrics; a caller is told only what WWW-Authenticate may say.
enum class JwtError {
  malformed,
  unsupported_algorithm,
  wrong_type,   ///< it has a `typ`, and that is none of those accepted
  no_keys,      ///< its issuer's keys have not been had yet: not the caller's fault
  unknown_key,  ///< no key of its issuer fits its `kid` and `alg`
  bad_signature,
  expired,
  not_yet_valid,  ///< `nbf` or `iat` lies ahead
  too_old,        ///< `iat` lies further back than max_age, or is not there
  wrong_issuer,
  wrong_audience,
  too_large
};
inline constexpr std::size_t kJwtErrors = 12;
std::string_view to_text(JwtError error) noexcept;  ///< "bad_signature"

/// The verified claims, by name: strings as they are, integers (up to 64 bits) in decimal, true/false. Left out, as no
/// key can be made of them: objects, arrays, fractions, null, and strings of more than 1 KiB or with control
/// characters.
using Claims = std::map<std::string, std::string, std::less<>>;

struct VerifiedToken {
  Claims claims;
  Instant good_from;   ///< the same keys give the same answer from here: `nbf` or `iat` less the leeway, or the epoch
  Instant good_until;  ///< until just before here: `exp` or max_age, and the leeway; Instant::max() where neither
  std::size_t issuer = 0;  ///< whose it is: its index in JwtOptions::issuers
};

struct RefusedToken {
  JwtError error = JwtError::malformed;
  Instant until;           ///< the same keys give the same answer until just before here; Instant::max(): always
  std::size_t issuer = 0;  ///< whose keys did not do, for no_keys and unknown_key: its position in the options
};

/// Verifies tokens against the issuers of one configuration and the keys of one moment. Immutable; any thread.
class JwtVerifier {
 public:
  /// `keys[i]` are those of `options.issuers[i]`; null, or not there, where they have not been had yet. The error is a
  /// sentence without a final dot: no issuer, several of which one has no or another's `issuer`, no algorithm, a leeway
  /// beyond a day, a max_age of nothing or beyond 100 years. Of the options' keys and secrets none is read or kept.
  static Result<std::shared_ptr<const JwtVerifier>, std::string> make(const JwtOptions& options,
                                                                      std::vector<std::shared_ptr<const JwtKeys>> keys);
  virtual ~JwtVerifier() = default;

  /// `token` without "Bearer ": size and form first, then the key and the signature, and only then the claims: `iss`
  /// and `aud`, and the dates at `now`. At most 8 KiB are looked at. Which issuer it is of is told by the `iss` it
  /// claims, where there are several (wrong_issuer: none of them); only that issuer's keys are then tried.
  ///
  /// Keys: the `alg` must be one of the issuer's and one the key is for (by its type, its curve and its own `alg`), so
  /// that a token never chooses how it is checked. Its `kid` is compared with the keys' and used for nothing else:
  /// - one that keys bear: only those are tried;
  /// - one that none bears: only keys without a kid (a PEM, a secret) are. Where the issuer has keys with one, a
  ///   signature that is by none of the others is unknown_key and not bad_signature, as it may be of a newer key;
  /// - none: all keys for the `alg` are.
  /// More than 4 keys are not tried but unknown_key, as each costs a check. What a token brings along or points to
  /// (jwk, jku, x5c, x5u) is never used.
  ///
  /// Time: good from the later of `nbf` and `iat`, less the leeway, until just before the earlier of `exp` and `iat` +
  /// max_age, plus the leeway. A token without `exp` never ends, as its issuer signed it so (RFC 7519 makes it
  /// optional), unless there is a max_age.
  ///
  /// Refused as malformed: padding or other spellings of base64url, a member named twice, `crit`, `b64`, a `kid` that
  /// is no string, dates that are not numbers from 0 to the year 9999, nesting beyond 16. Throws only where memory is
  /// out.
  virtual Result<VerifiedToken, RefusedToken> verify(std::string_view token, Instant now) const = 0;
};

/// The token in an Authorization field value, a view into it; "" where the scheme is not Bearer (RFC 6750, scheme
/// case-insensitive) or nothing follows it. What follows is not checked.
std::string_view bearer_token(std::string_view authorization) noexcept;

}  // namespace headgate::identity
