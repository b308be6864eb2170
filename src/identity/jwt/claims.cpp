#include "claims.hpp"

#include "base64url.hpp"
#include "json_object.hpp"
#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;
using Members = std::vector<JsonMember>;

constexpr double kEndOfTime =
    253402300800;  // 10000-01-01; more is a mistake (milliseconds, say) and would overflow later

/// A NumericDate; nothing where the member is not one.
std::optional<Instant> numeric_date(const JsonMember& member) noexcept {
  if (member.kind != Kind::integer && member.kind != Kind::fraction) return std::nullopt;
  if (!(member.number >= 0 && member.number < kEndOfTime)) return std::nullopt;
  const double whole =
      std::floor(member.number);  // apart, since a double does not hold microseconds of far years exactly
  const auto rest = std::llround((member.number - whole) * 1e6);
  return Instant(std::chrono::seconds(static_cast<std::int64_t>(whole)) + Duration(rest));
}

/// The reason why the token is not good at `now`, if any.
std::optional<JwtError> untimely(const Members& members, Duration leeway, Instant now) noexcept {
  if (const auto* member = find_member(members, "exp")) {
    const auto exp = numeric_date(*member);
    if (!exp) return JwtError::malformed;
    if (now >= *exp + leeway) return JwtError::expired;
  }
  if (const auto* member = find_member(members, "nbf")) {
    const auto nbf = numeric_date(*member);
    if (!nbf) return JwtError::malformed;
    if (now < *nbf - leeway) return JwtError::not_yet_valid;
  }
  return std::nullopt;
}

bool issued_by(const Members& members, std::string_view issuer) noexcept {
  if (issuer.empty()) return true;
  const auto* member = find_member(members, "iss");
  return member && member->kind == Kind::text && member->text == issuer;
}

bool meant_for(const Members& members, const std::vector<std::string>& audiences) noexcept {
  if (audiences.empty()) return true;
  const auto& audience = audiences.front();
  const auto* member = find_member(members, "aud");
  if (!member) return false;
  if (member->kind == Kind::text) return member->text == audience;
  return member->kind == Kind::texts &&
         std::find(member->texts.begin(), member->texts.end(), audience) != member->texts.end();
}

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Whether the claim can be a key: short, and harmless in a log line or a field.
bool usable(const JsonMember& member) noexcept {
  if (member.kind == Kind::integer || member.kind == Kind::boolean) return true;
  return member.kind == Kind::text && member.text.size() <= kMaxClaim &&
         std::none_of(member.text.begin(), member.text.end(), is_control);
}

}  // namespace

Result<Claims, JwtError> read_claims(std::string_view payload, const JwtIssuer& options, Instant now) {
  std::array<char, decoded_size(kMaxToken)> buffer;
  const auto json = decode_base64url(payload, buffer);
  if (!json) return JwtError::malformed;
  auto members = read_json_object(*json);
  if (!members) return JwtError::malformed;
  if (const auto error = untimely(*members, options.leeway, now)) return *error;
  if (!issued_by(*members, options.issuer)) return JwtError::wrong_issuer;
  if (!meant_for(*members, options.audiences)) return JwtError::wrong_audience;

  Claims claims;
  for (auto& member : *members) {
    if (usable(member)) claims.emplace(std::move(member.name), std::move(member.text));
  }
  return claims;
}

}  // namespace headgate::identity
