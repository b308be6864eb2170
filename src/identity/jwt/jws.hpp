#pragma once
// The compact form of a JWS (RFC 7515 section 7.1), taken apart; nothing in it is believed yet.

#include "headgate/core/result.hpp"
#include "headgate/identity/jwt.hpp"

#include <optional>
#include <string_view>

namespace headgate::identity {

/// The three parts, still encoded; views into the token.
struct CompactJws {
  std::string_view header;
  std::string_view payload;
  std::string_view signature;
  std::string_view signed_text;  ///< header, dot, payload: what the signature covers
};

/// Splits at the dots. Nothing where there are not exactly three parts.
std::optional<CompactJws> split_compact(std::string_view token) noexcept;

/// The algorithm the header names, `header` being encoded. unsupported_algorithm: one we do not know, "none" among
/// them. malformed: not base64url of a JSON object, `alg` not a string, `typ` other than JWT or at+jwt, or any `crit`
/// or `b64` (RFC 7515 section 4.1.11, RFC 7797), as we have no extension. Every other member (jwk, jku, x5u, kid) is
/// ignored: keys come from us.
Result<JwtAlgorithm, JwtError> read_header(std::string_view header);

}  // namespace headgate::identity
