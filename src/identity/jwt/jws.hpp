#pragma once
// The compact form of a JWS (RFC 7515 section 7.1), taken apart; nothing in it is believed yet.

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
  std::string_view signed_text;  ///< header, dot, payload: what the signature covers
};

/// Splits at the dots. Nothing where there are not exactly three parts.
std::optional<CompactJws> split_compact(std::string_view token) noexcept;

/// What a header says that counts. Every other member (jwk, jku, x5c, x5u) is passed over: keys come from the issuer.
struct JoseHeader {
  JwtAlgorithm algorithm = JwtAlgorithm::HS256;
  std::optional<std::string> kid;
  std::optional<std::string> type;
};

/// Reads `header`, which is encoded. unsupported_algorithm: one we do not know, "none" among them. malformed: not
/// base64url of a JSON object, `alg`, `kid` or `typ` not a string, or any `crit` or `b64` (RFC 7515 section 4.1.11, RFC
/// 7797), as we have no extension.
Result<JoseHeader, JwtError> read_header(std::string_view header);

/// Whether `type` is one of `accepted`: media types, in any case, with or without "application/" (RFC 7515 section
/// 4.1.9, RFC 9068 section 2.1).
bool is_type_among(std::string_view type, std::span<const std::string> accepted) noexcept;

}  // namespace headgate::identity
