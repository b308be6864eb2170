#include "key_kind.hpp"

#include "algorithm.hpp"
#include "edwards_point.hpp"

#include "headgate/core/per_enum.hpp"

#include <openssl/core_names.h>

#include <array>

namespace headgate::identity {
namespace {

using Family = AlgorithmFamily;

constexpr int kMinBits = 2048;
constexpr int kMaxBits = 16384;
constexpr int kMaxExponentBits = 64;  // the time of a check grows with the exponent; the common exponent is 65537

struct Form {
  JwtKeyKind kind;
  std::string_view name;
  const char* type;            // name of the type in OpenSSL
  std::string_view group;      // name of the curve in OpenSSL, for EC
  std::size_t coordinate;      // size of a coordinate in bytes
  std::size_t eddsa = 0;       // size of a signature in bytes
  std::size_t ecdsa_hash = 0;  // size in bytes of the hash that RFC 7518 section 3.4 sets for this curve
};

constexpr PerEnum<JwtKeyKind, Form, static_cast<std::size_t>(JwtKeyKind::ed448) + 1> kKindForms({
    {JwtKeyKind::rsa, "RSA", "RSA", "", 0},
    {JwtKeyKind::p256, "P-256", "EC", "prime256v1", 32, 0, 32},
    {JwtKeyKind::p384, "P-384", "EC", "secp384r1", 48, 0, 48},
    {JwtKeyKind::p521, "P-521", "EC", "secp521r1", 66, 0, 64},
    {JwtKeyKind::ed25519, "Ed25519", "ED25519", "", 32, 64},
    {JwtKeyKind::ed448, "Ed448", "ED448", "", 57, 114},
});

const Form& form_of_kind(JwtKeyKind kind) noexcept { return kKindForms[kind]; }

/// Returns whether an EC key is on this curve, by any of OpenSSL's names for it.
bool is_on(const EVP_PKEY* key, const Form& form) noexcept {
  std::array<char, 64> group{};
  std::size_t size = 0;
  if (EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) != 1) return false;
  const std::string_view name(group.data(), size);
  return name == form.group || name == form.name;
}

std::string objection_to_rsa(const EVP_PKEY* key) {
  const int bits = EVP_PKEY_get_bits(key);
  if (bits < kMinBits) {
    return "the RSA key has " + std::to_string(bits) + " bits; at least " + std::to_string(kMinBits) + " are needed";
  }
  if (bits > kMaxBits) {
    return "the RSA key has " + std::to_string(bits) + " bits; at most " + std::to_string(kMaxBits) + " are supported";
  }
  BIGNUM* raw = nullptr;
  const bool read = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &raw) == 1;
  const BigNumberOwner exponent(raw);
  if (!read || BN_is_odd(raw) != 1 || BN_is_one(raw) == 1) {
    return "the RSA key has an exponent with which anyone could sign; have the issuer make a new key";
  }
  if (BN_num_bits(raw) > kMaxExponentBits) {
    return "the RSA key has an exponent of " + std::to_string(BN_num_bits(raw)) + " bits; at most " +
           std::to_string(kMaxExponentBits) + " are supported, and 65537 is usual";
  }
  return {};
}

std::string objection_to_edwards(const EVP_PKEY* key, JwtKeyKind kind) {
  std::array<unsigned char, 57> point;
  std::size_t size = point.size();
  const auto bytes = EVP_PKEY_get_raw_public_key(key, point.data(), &size) == 1 ? size : 0;
  const auto& curve = kind == JwtKeyKind::ed25519 ? kEd25519 : kEd448;
  const std::string name(name_of(kind));
  switch (judge_point(curve, {point.data(), bytes})) {
    case EdwardsPoint::valid:
      return {};
    case EdwardsPoint::off_curve:
      return "the " + name + " key is not a point on its curve";
    case EdwardsPoint::small_order:
      break;
  }
  return "the " + name + " key is one with which anyone could sign; have the issuer make a new key";
}

}  // namespace

std::optional<JwtKeyKind> kind_of(const EVP_PKEY* key) noexcept {
  const QuietErrors quiet;
  for (const auto& form : kKindForms) {
    if (EVP_PKEY_is_a(key, form.type) == 1 && (form.group.empty() || is_on(key, form))) return form.kind;
  }
  return std::nullopt;
}

bool is_for(JwtKeyKind kind, JwtAlgorithm algorithm) noexcept {
  const auto& wanted = form_of(algorithm);
  const auto& form = form_of_kind(kind);
  switch (wanted.family) {
    case Family::hmac:
      return false;
    case Family::rsa:
    case Family::rsa_pss:
      return kind == JwtKeyKind::rsa;
    case Family::ecdsa:
      return form.ecdsa_hash == wanted.hash;
    case Family::eddsa:
      return form.eddsa != 0;
  }
  return false;
}

std::string_view name_of(JwtKeyKind kind) noexcept { return form_of_kind(kind).name; }
std::size_t coordinate_size(JwtKeyKind kind) noexcept { return form_of_kind(kind).coordinate; }

std::size_t signature_size(const EVP_PKEY* key, JwtKeyKind kind) noexcept {
  const auto& form = form_of_kind(kind);
  if (kind == JwtKeyKind::rsa) return static_cast<std::size_t>(EVP_PKEY_get_size(key));
  return form.eddsa != 0 ? form.eddsa : 2 * form.coordinate;
}

std::string objection_to(const EVP_PKEY* key, JwtKeyKind kind) {
  const QuietErrors quiet;
  if (kind == JwtKeyKind::rsa) return objection_to_rsa(key);
  if (form_of_kind(kind).eddsa != 0) return objection_to_edwards(key, kind);
  // OpenSSL's context needs a non-const key, but the check only reads it.
  const KeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, const_cast<EVP_PKEY*>(key), nullptr));
  if (context && EVP_PKEY_public_check_quick(context.get()) == 1) return {};
  return "the " + std::string(name_of(kind)) + " key is not a point on its curve";
}

}  // namespace headgate::identity
