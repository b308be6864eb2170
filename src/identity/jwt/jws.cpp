#include "jws.hpp"

#include "algorithm.hpp"
#include "base64url.hpp"
#include "identity/json/json_object.hpp"
#include "limits.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace headgate::identity {
namespace {

using Members = std::vector<JsonMember>;

std::string_view without_application(std::string_view type) noexcept {
  constexpr std::string_view kApplication = "application/";
  if (same_word(type.substr(0, kApplication.size()), kApplication)) type.remove_prefix(kApplication.size());
  return type;
}

/// Writes the string of a member to `out`. Returns false if the member is not a string; an absent member is not an
/// error.
bool read_text(const Members& members, std::string_view name, std::optional<std::string>& out) {
  const auto* member = find_member(members, name);
  if (!member) return true;
  if (member->kind != JsonMember::Kind::text) return false;
  out = member->text;
  return true;
}

}  // namespace

std::optional<CompactJws> split_compact(std::string_view token) noexcept {
  const auto first = token.find('.');
  if (first == token.npos) return std::nullopt;
  const auto second = token.find('.', first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos) return std::nullopt;
  return CompactJws{.header = token.substr(0, first),
                    .payload = token.substr(first + 1, second - first - 1),
                    .signature = token.substr(second + 1),
                    .signed_text = token.substr(0, second)};
}

Result<JoseHeader, JwtError> read_header(std::string_view header) {
  std::array<char, decoded_size(kMaxToken)> buffer;
  const auto json = decode_base64url(header, buffer);
  if (!json) return JwtError::malformed;
  const auto members = read_json_object(*json);
  if (!members) return JwtError::malformed;
  if (find_member(*members, "crit") || find_member(*members, "b64")) return JwtError::malformed;
  JoseHeader out;
  std::optional<std::string> named;
  if (!read_text(*members, "alg", named) || !named || !read_text(*members, "kid", out.kid) ||
      !read_text(*members, "typ", out.type)) {
    return JwtError::malformed;
  }
  const auto algorithm = algorithm_named(*named);
  if (!algorithm) return JwtError::unsupported_algorithm;
  out.algorithm = *algorithm;
  return out;
}

bool is_type_among(std::string_view type, std::span<const std::string> accepted) noexcept {
  return std::any_of(accepted.begin(), accepted.end(), [&](std::string_view each) {
    return same_word(without_application(type), without_application(each));
  });
}

}  // namespace headgate::identity
