#pragma once
// Verification of JSON Web Tokens: compact JWS (RFC 7515), claims of RFC 7519, rules of RFC 8725. Used by gateway,
// admin and config.

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

/// The reason why a token was refused. For logs and metrics; the caller is told only what WWW-Authenticate may say.
enum class JwtError {
  malformed,
  unsupported_algorithm,
  wrong_type,   ///< the token has a `typ` that is not accepted
  no_keys,      ///< the keys of the issuer are not available yet, which is not the caller's fault
  unknown_key,  ///< no key of the issuer matches the token's `kid` and `alg`
  bad_signature,
  expired,
  not_yet_valid,  ///< `nbf` or `iat` is in the future
  too_old,        ///< `iat` is missing or older than max_age
  wrong_issuer,
  wrong_audience,
  too_large,
  count
};
std::string_view to_text(JwtError error) noexcept;  ///< Returns the name of the error, such as "bad_signature".

/// The verified claims by name: strings as they are, integers (up to 64 bits) in decimal, booleans as true or false.
/// Other values are omitted: objects, arrays, fractions, null, and strings of more than 1 KiB or with control
/// characters.
///
/// The name of a claim within an object is both names with a dot between them, such as "realm_access.roles". If a
/// top-level claim has the same name, its value is used instead.
using Claims = std::map<std::string, std::string, std::less<>>;

/// Returns whether `name` can be the name of a claim in a configuration: printable ASCII without blanks, quotes and
/// backslashes, at most 128 characters.
bool is_claim_name(std::string_view name) noexcept;

struct VerifiedToken {
  Claims claims;
  Instant good_from;  ///< start of validity: the later of `nbf` and `iat`, minus the leeway, or the epoch
  /// end of validity, not included: `exp` or max_age plus the leeway; Instant::max() if there is none
  Instant good_until;
  std::size_t issuer = 0;                        ///< index of the token's issuer in JwtOptions::issuers
  JwtAlgorithm algorithm = JwtAlgorithm::HS256;  ///< algorithm of the token's signature
  std::vector<std::string> literals{};           ///< names of those `claims` that are integers or booleans in JSON
  /// Claims that cannot be keys, but that a route may require: lists of strings, where each string is followed by a
  /// line feed, and single strings of more than 1 KiB in the same form. Strings with control characters are omitted.
  Claims lists{};
  /// Claims that are not in `claims` but can distinguish callers: long strings, strings with control characters,
  /// fractions and lists. The value is '~' and 128 bits of a digest in hexadecimal. Empty lists, objects and null are
  /// omitted.
  Claims digests{};
};

struct RefusedToken {
  JwtError error = JwtError::malformed;
  /// until just before this time, the same keys refuse the token again; Instant::max() if they always do
  Instant until;
  std::size_t issuer = 0;  ///< index of the token's issuer in JwtOptions::issuers; 0 if not known yet
};

/// A verifier for the issuers of one configuration and for their keys at one moment. Immutable; any thread.
class JwtVerifier {
 public:
  /// Creates a verifier. `keys[i]` are the keys of `options.issuers[i]`; null or missing if they are not available yet.
  /// The error is a sentence without a final dot. Errors: no issuer; several issuers, one of which has no `issuer` or
  /// the same `issuer` as another; no algorithm; a leeway of more than a day; a max_age of zero or more than 100 years.
  /// The keys and secrets in `options` are neither read nor kept.
  static Result<std::shared_ptr<const JwtVerifier>, std::string> make(const JwtOptions& options,
                                                                      std::vector<std::shared_ptr<const JwtKeys>> keys);
  virtual ~JwtVerifier() = default;

  /// Verifies `token` (without "Bearer "). Checks size and form first, then the key and the signature, and only then
  /// the claims: `iss`, `aud`, and the dates at `now`. Reads at most 8 KiB. If there are several issuers, the token's
  /// `iss` names its issuer (wrong_issuer if it names none of them), and only that issuer's keys are tried.
  ///
  /// Keys: the `alg` must be one of the issuer's algorithms, and the key must fit this algorithm by its type, its curve
  /// and its own `alg`. So a token never chooses how it is checked. The token's `kid` is only compared with those of
  /// the keys:
  /// - Some keys have this kid: only those are tried.
  /// - No key has this kid: only keys without a kid (a PEM, a secret) are tried. If the issuer also has keys with a
  ///   kid, a signature that fits none is unknown_key and not bad_signature, because it may be of a newer key.
  /// - The token has no kid: all keys for the `alg` are tried.
  /// If more than 4 keys fit, none is tried and the result is unknown_key, because each check costs time. Keys that a
  /// token contains or points to (jwk, jku, x5c, x5u) are never used.
  ///
  /// Time: a token is valid from the later of `nbf` and `iat`, less the leeway. It is valid until just before the
  /// earlier of `exp` and `iat` + max_age, plus the leeway. A token without `exp` does not expire (RFC 7519 makes it
  /// optional), unless there is a max_age.
  ///
  /// Malformed are: padding or other spellings of base64url, a duplicate member, `crit`, `b64`, a `kid` that is not a
  /// string, dates that are not numbers from 0 to the year 9999, nesting of more than 16 levels, and two claims in
  /// objects that have the same full name. Throws only if memory runs out.
  virtual Result<VerifiedToken, RefusedToken> verify(std::string_view token, Instant now) const = 0;
};

/// Returns the token in the value of an Authorization field, as a view. "" if the scheme is not Bearer (RFC 6750, any
/// case) or if no token follows. The token itself is not checked.
std::string_view bearer_token(std::string_view authorization) noexcept;

}  // namespace headgate::identity
