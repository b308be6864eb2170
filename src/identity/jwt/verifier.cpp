#include "algorithm.hpp"
#include "base64url.hpp"
#include "claims.hpp"
#include "jws.hpp"
#include "key_choice.hpp"
#include "limits.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/identity/jwt.hpp"

#include <array>
#include <utility>

namespace headgate::identity {
namespace {

using KeysPtr = std::shared_ptr<const JwtKeys>;
using Members = std::vector<JsonMember>;
using Verified = Result<VerifiedToken, RefusedToken>;

RefusedToken refused(JwtError error, std::size_t issuer = 0) noexcept { return {error, Instant::max(), issuer}; }

/// An accepted issuer: its rules, from which all keys are removed, and its current keys, or null.
struct Issuer {
  JwtIssuer rules;
  KeysPtr keys;
};

class IssuersVerifier final : public JwtVerifier {
 public:
  explicit IssuersVerifier(std::vector<Issuer> issuers) noexcept : issuers_(std::move(issuers)) {}

  Verified verify(std::string_view token, Instant now) const override {
    if (token.size() > kMaxToken) return refused(JwtError::too_large);
    const auto parts = split_compact(token);
    if (!parts) return refused(JwtError::malformed);
    const auto header = read_header(parts->header);
    if (!header) return refused(header.error());
    std::optional<Members> claims;
    if (issuers_.size() > 1) {
      claims = read_payload(parts->payload);
      if (!claims) return refused(JwtError::malformed);
    }
    const auto issuer = claims ? find(issuer_of(*claims)) : 0;
    if (issuer == issuers_.size()) return refused(JwtError::wrong_issuer);
    if (const auto error = check_signed(issuers_[issuer], *header, *parts)) return refused(*error, issuer);
    if (!claims) claims = read_payload(parts->payload);
    if (!claims) return refused(JwtError::malformed);
    auto verified = check_claims(std::move(*claims), issuers_[issuer].rules, now);
    if (!verified) return RefusedToken{verified.error().error, verified.error().until, issuer};
    verified->issuer = issuer;
    verified->algorithm = header->algorithm;
    return verified;
  }

 private:
  /// Returns the index of the issuer with this name; issuers_.size() if there is none.
  std::size_t find(std::string_view name) const noexcept {
    std::size_t i = 0;
    while (i < issuers_.size() && issuers_[i].rules.issuer != name) ++i;
    return i;
  }

  /// Checks that `issuer` accepts the type and algorithm of this token, and that a key of `issuer` has signed it.
  /// Returns no error if both are true.
  static std::optional<JwtError> check_signed(const Issuer& issuer, const JoseHeader& header, const CompactJws& parts) {
    if (!contains(issuer.rules.algorithms, header.algorithm)) return JwtError::unsupported_algorithm;
    if (!header.type && issuer.rules.demands_type) return JwtError::wrong_type;
    if (header.type && !is_type_among(*header.type, issuer.rules.types)) return JwtError::wrong_type;
    std::array<char, decoded_size(kMaxToken)> buffer;
    const auto signature = decode_base64url(parts.signature, buffer);
    if (!signature) return JwtError::malformed;
    if (!issuer.keys) return JwtError::no_keys;
    return check_signature(*issuer.keys, header, parts.signed_text, *signature);
  }

  std::vector<Issuer> issuers_;
};

/// Returns the reason why these rules are not valid; "" if they are.
std::string objection_to(const JwtIssuer& issuer) {
  if (issuer.algorithms.empty()) return "no algorithm is allowed; list those the issuer signs with, such as \"RS256\"";
  if (issuer.leeway < Duration::zero() || issuer.leeway > std::chrono::hours(24)) {
    return "the leeway must be between 0 and 1 day";
  }
  constexpr Duration kMaxAge = std::chrono::hours(24 * 36500);  // the maximum for date arithmetic without overflow
  if (issuer.max_age && (*issuer.max_age <= Duration::zero() || *issuer.max_age > kMaxAge)) {
    return "the max_age must be above 0 and at most 100 years";
  }
  return {};
}

/// Returns the reason why a token could belong to two issuers or to none; "" if this cannot happen.
std::string objection_to_names(const std::vector<JwtIssuer>& issuers) {
  if (issuers.empty()) return "no issuer is named";
  for (std::size_t i = 0; issuers.size() > 1 && i < issuers.size(); ++i) {
    if (issuers[i].issuer.empty()) return "with several issuers, each needs its \"issuer\", to tell their tokens apart";
    for (std::size_t before = 0; before < i; ++before) {
      if (issuers[before].issuer == issuers[i].issuer) return "two issuers have the same \"issuer\"";
    }
  }
  return {};
}

}  // namespace

std::string_view to_text(JwtError error) noexcept {
  constexpr WordsOf<JwtError> kNames({"malformed", "unsupported_algorithm", "wrong_type", "no_keys", "unknown_key",
                                      "bad_signature", "expired", "not_yet_valid", "too_old", "wrong_issuer",
                                      "wrong_audience", "too_large"});
  return kNames[error];
}

Result<std::shared_ptr<const JwtVerifier>, std::string> JwtVerifier::make(const JwtOptions& options,
                                                                          std::vector<KeysPtr> keys) {
  if (auto objection = objection_to_names(options.issuers); !objection.empty()) return objection;
  keys.resize(options.issuers.size());
  std::vector<Issuer> issuers;
  issuers.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (auto objection = objection_to(options.issuers[i]); !objection.empty()) return objection;
    issuers.push_back({options.issuers[i], std::move(keys[i])});
    issuers.back().rules.keys = {};  // the secret stays only in OpenSSL's contexts
  }
  return std::shared_ptr<const JwtVerifier>(std::make_shared<IssuersVerifier>(std::move(issuers)));
}

}  // namespace headgate::identity
