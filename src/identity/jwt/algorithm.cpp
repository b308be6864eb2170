#include "algorithm.hpp"

#include <algorithm>
#include <array>

namespace headgate::identity {
namespace {

using Family = AlgorithmFamily;

/// In the order of JwtAlgorithm.
constexpr std::array<AlgorithmForm, kJwtAlgorithms> kForms{{
    {"HS256", Family::hmac, "SHA256", 32},
    {"HS384", Family::hmac, "SHA384", 48},
    {"HS512", Family::hmac, "SHA512", 64},
    {"RS256", Family::rsa, "SHA256", 32},
    {"RS384", Family::rsa, "SHA384", 48},
    {"RS512", Family::rsa, "SHA512", 64},
    {"PS256", Family::rsa_pss, "SHA256", 32},
    {"PS384", Family::rsa_pss, "SHA384", 48},
    {"PS512", Family::rsa_pss, "SHA512", 64},
    {"ES256", Family::ecdsa, "SHA256", 32},
    {"ES384", Family::ecdsa, "SHA384", 48},
    {"ES512", Family::ecdsa, "SHA512", 64},
    {"EdDSA", Family::eddsa, nullptr, 0},
}};
static_assert(kForms[static_cast<std::size_t>(JwtAlgorithm::EdDSA)].family == Family::eddsa);

}  // namespace

const AlgorithmForm& form_of(JwtAlgorithm algorithm) noexcept { return kForms[static_cast<std::size_t>(algorithm)]; }

std::optional<JwtAlgorithm> algorithm_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kForms.size(); ++i) {
    if (kForms[i].name == name) return static_cast<JwtAlgorithm>(i);
  }
  return std::nullopt;
}

bool contains(std::span<const JwtAlgorithm> algorithms, JwtAlgorithm algorithm) noexcept {
  return std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end();
}

std::string names_of(std::span<const JwtAlgorithm> algorithms) {
  std::string names;
  for (const auto algorithm : algorithms) {
    if (!names.empty()) names += ", ";
    names += form_of(algorithm).name;
  }
  return names;
}

}  // namespace headgate::identity
