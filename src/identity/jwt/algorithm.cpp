#include "algorithm.hpp"

#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <array>

namespace headgate::identity {
namespace {

using Family = AlgorithmFamily;

constexpr PerEnum<JwtAlgorithm, AlgorithmForm> kForms({
    {Family::hmac, "SHA256", 32},
    {Family::hmac, "SHA384", 48},
    {Family::hmac, "SHA512", 64},
    {Family::rsa, "SHA256", 32},
    {Family::rsa, "SHA384", 48},
    {Family::rsa, "SHA512", 64},
    {Family::rsa_pss, "SHA256", 32},
    {Family::rsa_pss, "SHA384", 48},
    {Family::rsa_pss, "SHA512", 64},
    {Family::ecdsa, "SHA256", 32},
    {Family::ecdsa, "SHA384", 48},
    {Family::ecdsa, "SHA512", 64},
    {Family::eddsa, nullptr, 0},
});

}  // namespace

const AlgorithmForm& form_of(JwtAlgorithm algorithm) noexcept { return kForms[algorithm]; }

std::optional<JwtAlgorithm> algorithm_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kJwtAlgorithmNames.size(); ++i) {
    if (kJwtAlgorithmNames[i] == name) return static_cast<JwtAlgorithm>(i);
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
    names += kJwtAlgorithmNames[algorithm];
  }
  return names;
}

}  // namespace headgate::identity
