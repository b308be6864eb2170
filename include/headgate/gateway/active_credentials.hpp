#pragma once
// The credentials that are valid now, and the limit sizes that the records of API keys set.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/identity/credentials.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// The credentials of one configuration. A new object is made whenever credentials change. Immutable; shared by all
/// workers.
class ActiveCredentials {
 public:
  ActiveCredentials(const CompiledConfig& compiled, std::shared_ptr<const identity::Credentials> credentials);

  const identity::ApiKeys& api_keys() const noexcept { return *credentials_->api_keys; }
  const identity::JwtVerifier* jwt() const noexcept { return credentials_->jwt.get(); }

  /// Returns the address lists, in the order of IdentityOptions::address_files; null for a file that only a candidate
  /// names.
  const std::vector<std::shared_ptr<const identity::AddressBlocks>>& address_lists() const noexcept {
    return address_lists_;
  }

  /// Returns the user lists, in the order of IdentityOptions::user_files; null for a file that only a candidate names.
  const std::vector<std::shared_ptr<const identity::Users>>& user_lists() const noexcept { return user_lists_; }

  /// The prices of language models; null if the configuration names no price file.
  const usage::Prices* prices() const noexcept { return credentials_->prices.get(); }

  /// Returns the size of `limit` that the record of this key sets, or null.
  const CompiledTier* of_key(const identity::ApiKeyRecord& key, const CompiledLimit& limit) const noexcept;
  /// Returns the highest number of rates that any key sets for `limit`.
  std::size_t most_rules(const CompiledLimit& limit) const noexcept;
  /// Returns sentences about mistakes: one for each tier that an API key names but no limit has, and one for each
  /// override without an effect. An override has no effect if no limit has its name, or if the limit's algorithm does
  /// not allow its size.
  const std::vector<std::string>& without_effect() const noexcept { return without_effect_; }

 private:
  using OfLimits = std::vector<std::pair<const CompiledLimit*, CompiledTier>>;
  void override_limit(const CompiledConfig& compiled, const identity::ApiKeyRecord& key,
                      const identity::RateOverride& wanted);
  void find_unknown_tiers(const CompiledConfig& compiled);
  bool fits(const CompiledConfig& compiled, const identity::ApiKeyRecord& key) const;
  void note_most_rules(const identity::ApiKeyRecord& key);

  std::shared_ptr<const identity::Credentials> credentials_;
  std::unordered_map<const identity::ApiKeyRecord*, OfLimits> of_keys_;
  std::unordered_map<const CompiledLimit*, std::size_t> most_rules_;
  std::vector<std::string> without_effect_;
  std::vector<std::shared_ptr<const identity::AddressBlocks>> address_lists_;
  std::vector<std::shared_ptr<const identity::Users>> user_lists_;
};

}  // namespace headgate::gateway
