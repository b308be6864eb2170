#include "headgate/identity/jwt_keys.hpp"

#include "key_kind.hpp"
#include "pem.hpp"
#include "signing_key.hpp"

#include <algorithm>
#include <utility>

namespace headgate::identity {
namespace {

using Keys = std::vector<std::shared_ptr<const SigningKey>>;

SigningKey::Made of_pem(const JwtIssuer& issuer) {
  const auto key = read_public_key(issuer.keys.public_key_pem);
  if (!key) return key.error();
  auto made = SigningKey::of_public_key(key->get(), std::nullopt, issuer.algorithms);
  if (!made || *made) return made;
  const auto kind = kind_of(key->get());
  if (!kind) return std::string("the PEM holds a public key of a kind or curve that no algorithm here is for");
  return "the PEM holds a public key (" + std::string(name_of(*kind)) +
         ") that none of the algorithms can use: " + names_of(issuer.algorithms);
}

SigningKey::Made of_secret(const JwtIssuer& issuer) {
  auto made = SigningKey::of_secret(issuer.keys.secret, std::nullopt, issuer.algorithms);
  if (!made || *made) return made;
  return "there is a secret, but none of the algorithms can use it: " + names_of(issuer.algorithms);
}

/// Returns an error for the first algorithm for which there is no key, and no JWK Set that could supply one later;
/// otherwise "".
std::string unserved(const JwtIssuer& issuer, const Keys& keys) {
  if (keys.empty() || !issuer.keys.jwks_file.empty() || !issuer.keys.jwks_url.empty()) return {};
  for (const auto algorithm : issuer.algorithms) {
    const auto serves = [&](const auto& key) { return key->signature(algorithm) != nullptr; };
    if (std::any_of(keys.begin(), keys.end(), serves)) continue;
    const auto& form = form_of(algorithm);
    const bool secret = form.family == AlgorithmFamily::hmac;
    return std::string(kJwtAlgorithmNames[algorithm]) + " has no key; it needs " +
           (secret ? "a secret of at least " + std::to_string(form.hash) + " bytes" : "a public key of its kind");
  }
  return {};
}

}  // namespace

JwtKeys::JwtKeys(Keys keys) : keys_(std::move(keys)) {}
JwtKeys::~JwtKeys() = default;

JwtKeys::Made JwtKeys::of_configuration(const JwtIssuer& issuer) {
  Keys keys;
  if (!issuer.keys.secret.empty()) {
    auto key = of_secret(issuer);
    if (!key) return key.error();
    keys.push_back(std::move(*key));
  }
  if (!issuer.keys.public_key_pem.empty()) {
    auto key = of_pem(issuer);
    if (!key) return key.error();
    keys.push_back(std::move(*key));
  }
  if (auto missing = unserved(issuer, keys); !missing.empty()) return missing;
  return std::shared_ptr<const JwtKeys>(new JwtKeys(std::move(keys)));
}

std::shared_ptr<const JwtKeys> JwtKeys::merged(const JwtKeys& one, const JwtKeys& other) {
  Keys keys(one.keys_);
  keys.insert(keys.end(), other.keys_.begin(), other.keys_.end());
  return std::shared_ptr<const JwtKeys>(new JwtKeys(std::move(keys)));
}

}  // namespace headgate::identity
