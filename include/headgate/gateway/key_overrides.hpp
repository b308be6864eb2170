#pragma once
// Who is believed at one moment, and what known API keys are granted instead of a limit's own sizes.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/identity/credentials.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// Made anew, for one site, whenever credentials change. Immutable; shared by all workers.
class KeyOverrides {
 public:
  KeyOverrides(const CompiledConfig& compiled, std::shared_ptr<const identity::Credentials> credentials);

  const identity::ApiKeys& api_keys() const noexcept { return *credentials_->api_keys; }
  const identity::JwtVerifier* jwt() const noexcept { return credentials_->jwt.get(); }

  /// The size of `limit` that this key has for its own, or null.
  const CompiledTier* of_key(const identity::ApiKeyRecord& key, const CompiledLimit& limit) const noexcept;
  /// A sentence for each tier that no limit has, and for each override that grants nothing: no limit has its name, or
  /// its algorithm cannot count it so.
  const std::vector<std::string>& without_effect() const noexcept { return without_effect_; }

 private:
  using OfLimits = std::vector<std::pair<const CompiledLimit*, CompiledTier>>;
  void override_limit(const CompiledConfig& compiled, const identity::ApiKeyRecord& key,
                      const identity::RateOverride& wanted);
  void tell_unknown_tiers(const CompiledConfig& compiled);
  bool fits(const CompiledConfig& compiled, const identity::ApiKeyRecord& key) const;

  std::shared_ptr<const identity::Credentials> credentials_;
  std::unordered_map<const identity::ApiKeyRecord*, OfLimits> of_keys_;
  std::vector<std::string> without_effect_;
};

}  // namespace headgate::gateway
