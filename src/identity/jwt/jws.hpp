#pragma once
// Splits the compact form of a JWS (RFC 7515 section 7.1). Nothing in it is verified yet.

#include "headgate/core/result.hpp"
#include "headgate/identity/jwt.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::identity {

/// The three parts, still encoded; views into the token.
struct CompactJws {
  std::string_view header;
  std::string_view payload;
  std::string_view signature;
  std::string_view signed_text;  ///< header, dot and payload, which the signature covers
};

/// Splits at the dots. Empty if there are not exactly three parts.
std::optional<CompactJws> split_compact(std::string_view token) noexcept;

/// The members of a header that headgate uses. All others (jwk, jku, x5c, x5u) are ignored, because keys come from the
/// issuer.
struct JoseHeader {
  JwtAlgorithm algorithm = JwtAlgorithm::HS256;
  std::optional<std::string> kid;
  std::optional<std::string> type;
};

/// Parses the encoded `header`. Errors: unsupported_algorithm for an unknown algorithm, including "none"; malformed for
/// text that is not base64url of a JSON object, for an `alg`, `kid` or `typ` that is not a string, and for any `crit`
/// or `b64` (RFC 7515 section 4.1.11, RFC 7797), because no extensions are supported.
Result<JoseHeader, JwtError> read_header(std::string_view header);

/// Returns whether `type` is one of `accepted`: media types, of which case and a leading "application/" are ignored
/// (RFC 7515 section 4.1.9, RFC 9068 section 2.1).
bool is_type_among(std::string_view type, std::span<const std::string> accepted) noexcept;

}  // namespace headgate::identity
