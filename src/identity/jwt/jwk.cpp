#include "jwk.hpp"

#include "jwk_members.hpp"
#include "key_kind.hpp"

#include <nlohmann/json.hpp>
#include <openssl/core_names.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

namespace headgate::identity {
namespace {

using Algorithms = std::span<const JwtAlgorithm>;

const SigningKey::Made kPassedOver = std::shared_ptr<const SigningKey>();

// maximum size in bytes; larger numbers are not supported, and checking them would cost time
constexpr std::size_t kMaxModulus = 2048;
constexpr std::size_t kMaxExponent = 256;  // maximum size in bytes

bool is_meant_to_verify(JwkMembers& members) {
  const auto use = members.text("use");
  const auto operations = members.texts("key_ops");
  return (!use || *use == "sig") &&
         (!operations || std::find(operations->begin(), operations->end(), "verify") != operations->end());
}

/// Returns whether the key has a member of private keys (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2).
bool is_private(const JwkMembers& members) {
  constexpr std::array kPrivate{"d", "p", "q", "dp", "dq", "qi", "oth"};
  return std::any_of(kPrivate.begin(), kPrivate.end(), [&](const char* name) { return members.has(name); });
}

KeyOwner build(const char* type, OSSL_PARAM_BLD* parts) {
  const ParamsOwner params(OSSL_PARAM_BLD_to_param(parts));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (params && context && EVP_PKEY_fromdata_init(context.get()) == 1)
    EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get());
  return KeyOwner(key);
}

KeyOwner build_rsa(std::string_view modulus, std::string_view exponent) {
  const auto number = [](std::string_view bytes) {
    return BigNumberOwner(BN_bin2bn(bytes_of(bytes.data()), static_cast<int>(bytes.size()), nullptr));
  };
  const auto n = number(modulus);
  const auto e = number(exponent);
  const ParamBuilder parts(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  return build("RSA", parts.get());
}

KeyOwner build_ec(JwtKeyKind kind, const std::string& x, const std::string& y) {
  const std::string curve(name_of(kind));
  const std::string point = '\x04' + x + y;  // the uncompressed form of a point (SEC 1 section 2.3.3)
  const ParamBuilder parts(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(parts.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve.c_str(), 0);
  OSSL_PARAM_BLD_push_octet_string(parts.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  return build("EC", parts.get());
}

SigningKey::Made read_rsa(JwkMembers& members, SigningKey::Name kid, Algorithms algorithms) {
  const auto modulus = members.number("n");
  const auto exponent = members.number("e");
  if (!members.objection().empty()) return members.objection();
  if (modulus.size() > kMaxModulus || exponent.size() > kMaxExponent) {
    return std::string("the RSA key is larger than any that is supported (16384 bits)");
  }
  const auto key = build_rsa(modulus, exponent);
  if (!key) return std::string("it is not an RSA key");
  return SigningKey::of_public_key(key.get(), std::move(kid), algorithms);
}

SigningKey::Made read_ec(JwkMembers& members, JwtKeyKind kind, SigningKey::Name kid, Algorithms algorithms) {
  const auto x = members.coordinate("x", coordinate_size(kind));
  const auto y = members.coordinate("y", coordinate_size(kind));
  if (!members.objection().empty()) return members.objection();
  const auto key = build_ec(kind, x, y);
  if (!key) return "the " + std::string(name_of(kind)) + " key is not a point on its curve";
  return SigningKey::of_public_key(key.get(), std::move(kid), algorithms);
}

SigningKey::Made read_okp(JwkMembers& members, JwtKeyKind kind, SigningKey::Name kid, Algorithms algorithms) {
  const auto x = members.coordinate("x", coordinate_size(kind));
  if (!members.objection().empty()) return members.objection();
  const KeyOwner key(EVP_PKEY_new_raw_public_key_ex(nullptr, kind == JwtKeyKind::ed25519 ? "ED25519" : "ED448", nullptr,
                                                    bytes_of(x.data()), x.size()));
  if (!key) return "it is not an " + std::string(name_of(kind)) + " key";
  return SigningKey::of_public_key(key.get(), std::move(kid), algorithms);
}

/// Returns the kind of a public key with this type and curve; empty if it is unknown.
std::optional<JwtKeyKind> kind_named(std::string_view type, std::string_view curve) {
  if (type == "RSA") return JwtKeyKind::rsa;
  const auto among = [&](std::initializer_list<JwtKeyKind> kinds) -> std::optional<JwtKeyKind> {
    for (const auto kind : kinds) {
      if (name_of(kind) == curve) return kind;
    }
    return std::nullopt;
  };
  if (type == "EC") return among({JwtKeyKind::p256, JwtKeyKind::p384, JwtKeyKind::p521});
  if (type == "OKP") return among({JwtKeyKind::ed25519, JwtKeyKind::ed448});
  return std::nullopt;
}

SigningKey::Made read_public_jwk(JwkMembers& members, JwtKeyKind kind, SigningKey::Name kid, Algorithms algorithms) {
  const auto serves = [&](JwtAlgorithm algorithm) { return is_for(kind, algorithm); };
  if (std::none_of(algorithms.begin(), algorithms.end(), serves)) return kPassedOver;
  if (kind == JwtKeyKind::rsa) return read_rsa(members, std::move(kid), algorithms);
  if (kind == JwtKeyKind::ed25519 || kind == JwtKeyKind::ed448)
    return read_okp(members, kind, std::move(kid), algorithms);
  return read_ec(members, kind, std::move(kid), algorithms);
}

bool is_asymmetric(std::string_view type) noexcept { return type == "RSA" || type == "EC" || type == "OKP"; }

}  // namespace

bool is_private_key(const nlohmann::json& jwk) {
  JwkMembers members(jwk);
  if (!members.objection().empty()) return false;
  const auto type = members.text("kty");
  return type && is_asymmetric(*type) && is_private(members);
}

SigningKey::Made read_jwk(const nlohmann::json& jwk, Algorithms algorithms) {
  const QuietErrors quiet;
  JwkMembers members(jwk);
  if (!members.objection().empty()) return members.objection();
  const auto type = members.text("kty");
  if (!type && members.objection().empty()) return std::string("its \"kty\" is missing");
  const bool meant = is_meant_to_verify(members);
  const auto own = members.text("alg");
  auto kid = members.text("kid");
  const auto curve = members.text("crv");
  if (!members.objection().empty()) return members.objection();
  if (is_asymmetric(*type) && is_private(members)) {
    return std::string("it publishes a private key; have the issuer remove it and make a new key at once");
  }

  std::vector<JwtAlgorithm> may(algorithms.begin(), algorithms.end());
  if (own) std::erase_if(may, [&](JwtAlgorithm each) { return kJwtAlgorithmNames[each] != *own; });
  if (!meant || may.empty()) return kPassedOver;
  if (*type == "oct") {
    const auto secret = members.bytes("k");
    if (!members.objection().empty()) return members.objection();
    return SigningKey::of_secret(secret, std::move(kid), may);
  }
  const auto kind = kind_named(*type, curve.value_or(""));
  if (!kind) return kPassedOver;
  return read_public_jwk(members, *kind, std::move(kid), may);
}

}  // namespace headgate::identity
