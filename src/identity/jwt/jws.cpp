#include "jws.hpp"

#include "base64url.hpp"
#include "json_object.hpp"
#include "limits.hpp"

#include <array>
#include <cstddef>

namespace headgate::identity {
namespace {

bool equal_folded(std::string_view text, std::string_view lower) noexcept {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
  }
  return true;
}

/// A media type, with or without its "application/" (RFC 7515 section 4.1.9, RFC 9068 section 2.1).
bool is_jwt_type(std::string_view type) noexcept {
  constexpr std::string_view kPrefix = "application/";
  if (type.size() > kPrefix.size() && equal_folded(type.substr(0, kPrefix.size()), kPrefix))
    type.remove_prefix(kPrefix.size());
  return equal_folded(type, "jwt") || equal_folded(type, "at+jwt");
}

std::optional<JwtAlgorithm> algorithm_named(std::string_view name) noexcept {
  if (name == "HS256") return JwtAlgorithm::HS256;
  if (name == "RS256") return JwtAlgorithm::RS256;
  return std::nullopt;
}

}  // namespace

std::optional<CompactJws> split_compact(std::string_view token) noexcept {
  const auto first = token.find('.');
  if (first == token.npos) return std::nullopt;
  const auto second = token.find('.', first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos) return std::nullopt;
  return CompactJws{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1),
                    token.substr(0, second)};
}

Result<JwtAlgorithm, JwtError> read_header(std::string_view header) {
  std::array<char, decoded_size(kMaxToken)> buffer;
  const auto json = decode_base64url(header, buffer);
  if (!json) return JwtError::malformed;
  const auto members = read_json_object(*json);
  if (!members) return JwtError::malformed;
  if (find_member(*members, "crit") || find_member(*members, "b64")) return JwtError::malformed;
  if (const auto* type = find_member(*members, "typ")) {
    if (type->kind != JsonMember::Kind::text || !is_jwt_type(type->text)) return JwtError::malformed;
  }
  const auto* named = find_member(*members, "alg");
  if (!named || named->kind != JsonMember::Kind::text) return JwtError::malformed;
  if (const auto algorithm = algorithm_named(named->text)) return *algorithm;
  return JwtError::unsupported_algorithm;
}

}  // namespace headgate::identity
