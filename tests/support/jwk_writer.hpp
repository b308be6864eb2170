#pragma once
// Writes keys as JSON Web Keys, as an issuer publishes them.

#include "support/jwt_signer.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>

#include <initializer_list>

namespace headgate::test {

/// Returns a number of a key, big-endian, in as few bytes as possible or padded to `size`.
inline std::string key_number(EVP_PKEY* key, const char* parameter, std::size_t size = 0) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, parameter, &raw) != 1) throw std::runtime_error("the key has no such number");
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(raw, BN_free);
  std::string out(size == 0 ? static_cast<std::size_t>(BN_num_bytes(raw)) : size, '\0');
  BN_bn2binpad(raw, reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
  return out;
}

inline std::string json_member(std::string_view name, std::string_view text) {
  return ",\"" + std::string(name) + "\":\"" + std::string(text) + '"';
}

/// Returns the public key as a JWK. `more` has further members as json_member() writes them, each after a comma.
inline std::string jwk(EVP_PKEY* key, std::string_view more = "") {
  const auto number = [&](const char* parameter, std::size_t size = 0) {
    return base64url(key_number(key, parameter, size));
  };
  std::string out;
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    out = R"({"kty":"RSA")" + json_member("n", number(OSSL_PKEY_PARAM_RSA_N)) +
          json_member("e", number(OSSL_PKEY_PARAM_RSA_E));
  } else if (EVP_PKEY_is_a(key, "EC") == 1) {
    const auto bits = EVP_PKEY_get_bits(key);
    const auto size = (static_cast<std::size_t>(bits) + 7) / 8;
    out = R"({"kty":"EC")" + json_member("crv", "P-" + std::to_string(bits)) +
          json_member("x", number(OSSL_PKEY_PARAM_EC_PUB_X, size)) +
          json_member("y", number(OSSL_PKEY_PARAM_EC_PUB_Y, size));
  } else {
    std::string point(57, '\0');
    std::size_t size = point.size();
    EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(point.data()), &size);
    point.resize(size);
    out = R"({"kty":"OKP")" + json_member("crv", size == 32 ? "Ed25519" : "Ed448") + json_member("x", base64url(point));
  }
  return out + std::string(more) + '}';
}

/// Returns the JWK with a `kid`.
inline std::string named_jwk(EVP_PKEY* key, std::string_view kid) { return jwk(key, json_member("kid", kid)); }

/// Returns a secret as a JWK.
inline std::string secret_jwk(std::string_view secret, std::string_view more = "") {
  return R"({"kty":"oct")" + json_member("k", base64url(secret)) + std::string(more) + '}';
}

/// {"keys":[...]}
inline std::string jwk_set(std::initializer_list<std::string> keys) {
  std::string list;
  for (const auto& key : keys) list += (list.empty() ? "" : ",") + key;
  return R"({"keys":[)" + list + "]}";
}

}  // namespace headgate::test
