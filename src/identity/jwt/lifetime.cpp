#include "lifetime.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;
using Members = std::vector<JsonMember>;

constexpr double kEndOfTime = 253402300800;  // 10000-01-01; larger numbers, such as milliseconds, would overflow

/// Reads a NumericDate. Returns false if the member exists but is not one.
bool read_date(const Members& claims, std::string_view name, std::optional<Instant>& out) noexcept {
  const auto* member = find_member(claims, name);
  if (!member) return true;
  if (member->kind != Kind::integer && member->kind != Kind::fraction) return false;
  if (!(member->number >= 0 && member->number < kEndOfTime)) return false;
  // Seconds and fraction are separate, because a double cannot hold the microseconds of far years exactly.
  const double whole = std::floor(member->number);
  const auto rest = std::llround((member->number - whole) * 1e6);
  out = Instant(std::chrono::seconds(static_cast<std::int64_t>(whole)) + Duration(rest));
  return true;
}

}  // namespace

std::optional<RefusedToken> Lifetime::refusal(Instant now) const noexcept {
  if (now >= until) return RefusedToken{ended, Instant::max()};
  if (now < from) return RefusedToken{JwtError::not_yet_valid, std::min(from, until)};
  return std::nullopt;
}

Result<Lifetime, JwtError> read_lifetime(const Members& claims, const JwtIssuer& issuer) {
  std::optional<Instant> exp;
  std::optional<Instant> nbf;
  std::optional<Instant> iat;
  if (!read_date(claims, "exp", exp) || !read_date(claims, "nbf", nbf) || !read_date(claims, "iat", iat)) {
    return JwtError::malformed;
  }
  if (issuer.max_age && !iat) return JwtError::too_old;
  Lifetime life;
  if (nbf) life.from = std::max(life.from, *nbf - issuer.leeway);
  if (iat) life.from = std::max(life.from, *iat - issuer.leeway);
  if (exp) life.until = *exp + issuer.leeway;
  if (issuer.max_age && *iat + *issuer.max_age + issuer.leeway < life.until) {
    life.until = *iat + *issuer.max_age + issuer.leeway;
    life.ended = JwtError::too_old;
  }
  return life;
}

}  // namespace headgate::identity
