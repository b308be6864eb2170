#include "key_choice.hpp"

#include "signing_key.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace headgate::identity {
namespace {

using Candidates = boost::container::static_vector<const Signature*, kMaxTried>;

/// How the kid of a token matches the kids of the keys.
enum class Naming { nothing_named, known_name, foreign_name, keys_have_no_names };

Naming naming(const JwtKeys& keys, const JoseHeader& header) noexcept {
  if (!header.kid) return Naming::nothing_named;
  const auto all = keys.all();
  if (std::any_of(all.begin(), all.end(), [&](const auto& key) { return key->kid() == header.kid; })) {
    return Naming::known_name;
  }
  const bool named = std::any_of(all.begin(), all.end(), [](const auto& key) { return key->kid().has_value(); });
  return named ? Naming::foreign_name : Naming::keys_have_no_names;
}

bool may_be_meant(const SigningKey& key, Naming naming, const JoseHeader& header) noexcept {
  if (naming == Naming::nothing_named) return true;
  return naming == Naming::known_name ? key.kid() == header.kid : !key.kid();
}

}  // namespace

std::optional<JwtError> check_signature(const JwtKeys& keys, const JoseHeader& header, std::string_view text,
                                        std::string_view signature) {
  const auto named = naming(keys, header);
  Candidates candidates;
  for (const auto& key : keys.all()) {
    const auto* const candidate = key->signature(header.algorithm);
    if (!candidate || !may_be_meant(*key, named, header)) continue;
    if (candidates.size() == kMaxTried) return JwtError::unknown_key;
    candidates.push_back(candidate);
  }
  if (candidates.empty()) return JwtError::unknown_key;
  for (const auto* candidate : candidates) {
    if (candidate->matches(text, signature)) return std::nullopt;
  }
  // Only keys without a kid were tried, and did not match. The issuer may have a newer set, with a key that has this
  // kid.
  return named == Naming::foreign_name ? JwtError::unknown_key : JwtError::bad_signature;
}

}  // namespace headgate::identity
