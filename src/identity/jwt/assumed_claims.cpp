#include "headgate/identity/assumed_claims.hpp"

#include "claims.hpp"
#include "limits.hpp"

#include <utility>

namespace headgate::identity {
namespace {

JsonMember text_member(std::string name, std::string text) {
  JsonMember out;
  out.name = std::move(name);
  out.kind = JsonMember::Kind::text;
  out.text = std::move(text);
  return out;
}

JsonMember date_member(std::string name, Instant at) {
  const auto since = std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
  JsonMember out;
  out.name = std::move(name);
  out.kind = JsonMember::Kind::integer;
  out.text = std::to_string(since);
  out.number = static_cast<double>(since);
  return out;
}

void add_what_issuers_write(std::vector<JsonMember>& claims, const JwtIssuer& issuer, Instant now) {
  if (!issuer.issuer.empty() && find_member(claims, "iss") == nullptr)
    claims.push_back(text_member("iss", issuer.issuer));
  if (!issuer.audiences.empty() && find_member(claims, "aud") == nullptr)
    claims.push_back(text_member("aud", issuer.audiences.front()));
  if (issuer.max_age && find_member(claims, "iat") == nullptr) claims.push_back(date_member("iat", now));
}

}  // namespace

Result<VerifiedToken, RefusedToken> assume_claims(const JwtOptions& options, std::string_view claims, Instant now) {
  if (claims.size() > kMaxToken) return RefusedToken{JwtError::too_large, Instant::max()};
  auto members = read_json_paths(claims);
  if (!members) return RefusedToken{JwtError::malformed, Instant::max()};
  const auto& issuers = options.issuers;
  std::size_t at = 0;
  if (issuers.size() > 1 && find_member(*members, "iss") != nullptr) {
    const auto named = issuer_of(*members);
    while (at < issuers.size() && issuers[at].issuer != named) ++at;
    if (at == issuers.size()) return RefusedToken{JwtError::wrong_issuer, Instant::max()};
  }
  const auto& issuer = issuers[at];
  add_what_issuers_write(*members, issuer, now);
  auto taken = check_claims(std::move(*members), issuer, now);
  if (!taken) return RefusedToken{taken.error().error, taken.error().until, at};
  taken->issuer = at;
  if (!issuer.algorithms.empty()) taken->algorithm = issuer.algorithms.front();
  return taken;
}

}  // namespace headgate::identity
