#include "signing_key.hpp"

#include "key_kind.hpp"
#include "pem.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headgate::identity {
namespace {

using AlgorithmList = std::vector<JwtAlgorithm>;

template <class Wanted>
AlgorithmList those_of(std::span<const JwtAlgorithm> algorithms, const Wanted& wanted) {
  AlgorithmList out;
  std::copy_if(algorithms.begin(), algorithms.end(), std::back_inserter(out), wanted);
  return out;
}

std::string too_short(std::size_t size, const AlgorithmList& hmacs) {
  const auto by_hash = [](JwtAlgorithm one, JwtAlgorithm other) { return form_of(one).hash < form_of(other).hash; };
  const auto smallest = *std::min_element(hmacs.begin(), hmacs.end(), by_hash);
  return "the secret has " + std::to_string(size) + " bytes; " + std::string(kJwtAlgorithmNames[smallest]) +
         " needs at least " + std::to_string(form_of(smallest).hash) + ", such as \"openssl rand -base64 48\" prints";
}

}  // namespace

std::optional<std::string> SigningKey::take(JwtAlgorithm algorithm, Signature::Made made) {
  if (!made) return made.error();
  signatures_[static_cast<std::size_t>(algorithm)] = std::move(*made);
  return std::nullopt;
}

SigningKey::Made SigningKey::of_secret(std::string_view secret, Name kid, std::span<const JwtAlgorithm> algorithms) {
  const auto hmacs = those_of(algorithms, [](auto each) { return form_of(each).family == AlgorithmFamily::hmac; });
  if (hmacs.empty()) return std::shared_ptr<const SigningKey>();
  if (looks_like_pem(secret)) {
    // Public keys are known to everyone. If one were the secret, everyone could sign.
    return std::string("the secret is a PEM; a key pair goes with RS256 or ES256, HS256 takes random bytes");
  }
  const auto served = those_of(hmacs, [&](auto each) { return form_of(each).hash <= secret.size(); });
  if (served.empty()) return too_short(secret.size(), hmacs);
  const std::shared_ptr<SigningKey> key(new SigningKey(std::move(kid)));
  for (const auto algorithm : served) {
    if (auto error = key->take(algorithm, make_hmac_signature(algorithm, secret))) return std::move(*error);
  }
  return std::shared_ptr<const SigningKey>(key);
}

SigningKey::Made SigningKey::of_public_key(EVP_PKEY* key, Name kid, std::span<const JwtAlgorithm> algorithms) {
  const auto kind = kind_of(key);
  const auto served = those_of(algorithms, [&](auto each) { return kind && is_for(*kind, each); });
  if (served.empty()) return std::shared_ptr<const SigningKey>();
  if (auto objection = objection_to(key, *kind); !objection.empty()) return objection;
  const std::shared_ptr<SigningKey> made(new SigningKey(std::move(kid)));
  for (const auto algorithm : served) {
    if (auto error = made->take(algorithm, make_public_key_signature(algorithm, key, *kind))) return std::move(*error);
  }
  return std::shared_ptr<const SigningKey>(made);
}

bool SigningKey::overlaps(const SigningKey& other) const noexcept {
  for (std::size_t i = 0; i < kCountOf<JwtAlgorithm>; ++i) {
    if (signatures_[i] && other.signatures_[i]) return true;
  }
  return false;
}

}  // namespace headgate::identity
