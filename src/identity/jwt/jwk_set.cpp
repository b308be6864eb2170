#include "identity/json/json_tree.hpp"
#include "jwk.hpp"

#include "headgate/identity/jwt_keys.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace headgate::identity {
namespace {

constexpr std::size_t kMaxBytes = 1024UL * 1024;
constexpr std::size_t kMaxKeys = 256;

using Keys = std::vector<std::shared_ptr<const SigningKey>>;

/// Returns whether a token could be meant for either of the two keys, because both have the same kid and an algorithm
/// in common.
bool clash(const SigningKey& one, const SigningKey& other) {
  return one.kid() && one.kid() == other.kid() && one.overlaps(other);
}

}  // namespace

JwtKeys::Made JwtKeys::of_jwk_set(std::string_view json, std::span<const JwtAlgorithm> algorithms) {
  if (json.size() > kMaxBytes) return std::string("the JWK Set is larger than 1 MiB");
  const auto read = read_json_tree(json);
  if (!read) return "this is not a JWK Set: " + read.error();
  const auto& tree = **read;
  if (!tree.is_object() || !tree.contains("keys") || !tree.at("keys").is_array()) {
    return std::string("this is not a JWK Set: it has no list \"keys\"");
  }
  const auto& list = tree.at("keys");
  if (list.size() > kMaxKeys) return "the JWK Set has more than " + std::to_string(kMaxKeys) + " keys";

  Keys keys;
  std::vector<Sha256> prints;
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto where = "key " + std::to_string(i + 1) + " of the JWK Set is not valid: ";
    auto key = read_jwk(list[i], algorithms);
    if (!key && is_private_key(list[i])) return where + key.error();
    if (!key) {
      faults.push_back(where + key.error());
      continue;
    }
    if (!*key) continue;
    if (std::any_of(keys.begin(), keys.end(), [&](const auto& other) { return clash(**key, *other); })) {
      return where + "another has the same \"kid\" and is for the same algorithm";
    }
    keys.push_back(std::move(*key));
    prints.push_back(sha256(list[i].dump()));
  }
  if (keys.empty() && !faults.empty()) return faults.front();
  if (keys.empty()) {
    return "no key of the JWK Set can be used: none of its " + std::to_string(list.size()) + " is for " +
           names_of(algorithms);
  }
  std::sort(prints.begin(), prints.end());
  const std::shared_ptr<JwtKeys> made(new JwtKeys(std::move(keys)));
  made->prints_ = std::move(prints);
  made->passed_over_ = std::move(faults);
  return std::shared_ptr<const JwtKeys>(made);
}

}  // namespace headgate::identity
