#pragma once
// Tokens as a usual issuer makes them, and the verifier that believes them. Used by what measures tokens.

#include "support/jwt_signer.hpp"

#include "headgate/identity/jwt.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace headgate::bench {

/// When tokens are looked at.
inline constexpr Instant kNow{std::chrono::seconds(1'800'000'000)};

inline constexpr const char* kIssuer = "https://login.example.com/realms/main";
inline constexpr const char* kAudience = "https://api.example.com";

/// Claims of caller `number`: good for a long time around kNow, and a token of some 500 bytes under ES256.
inline std::string claims_of(std::uint64_t number) {
  const std::string digits = std::to_string(100'000'000 + number);
  return R"({"iss":")" + std::string(kIssuer) + R"(","aud":")" + kAudience + R"(","sub":"user-)" + digits +
         R"(","jti":"5f1d7a84-7dc4-4a0a-9b7e-a51)" + digits +
         R"(","iat":1799999000,"exp":1900000000,"scope":"orders:read orders:write profile","plan":"pro","tenant":"acme-)" +
         digits + R"("})";
}

inline identity::JwtKeySource public_half(EVP_PKEY* key) {
  identity::JwtKeySource source;
  source.public_key_pem = test::public_key_pem(key);
  return source;
}

inline identity::JwtKeySource shared_secret(std::string secret) {
  identity::JwtKeySource source;
  source.secret = std::move(secret);
  return source;
}

/// Believes what kIssuer signs for kAudience under `algorithm`, which `keys` verify.
inline std::shared_ptr<const identity::JwtVerifier> make_verifier(identity::JwtAlgorithm algorithm,
                                                                  identity::JwtKeySource keys) {
  identity::JwtIssuer issuer;
  issuer.issuer = kIssuer;
  issuer.audiences = {kAudience};
  issuer.algorithms = {algorithm};
  issuer.keys = std::move(keys);
  const auto known = identity::JwtKeys::of_configuration(issuer);
  if (!known) throw std::runtime_error(known.error());
  identity::JwtOptions options;
  options.issuers = {issuer};
  const auto verifier = identity::JwtVerifier::make(options, {*known});
  if (!verifier) throw std::runtime_error(verifier.error());
  return *verifier;
}

}  // namespace headgate::bench
