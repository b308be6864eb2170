#pragma once
// The overrides of keys in the form that the path uses.

#include "headgate/core/time.hpp"
#include "headgate/gateway/active_credentials.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/limit/override.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// The overrides of one configuration. A new object is made whenever an override, the configuration or a credential
/// changes. Immutable; shared by all workers. Must not outlive `compiled`.
class OverrideTable {
 public:
  /// The name of the tier of an override, in logs and answers.
  static constexpr std::string_view kTier = "override";

  /// The override of one key, compiled.
  struct Granted {
    limit::Override wanted;
    CompiledTier tier;
  };
  OverrideTable(const CompiledConfig& compiled, const ActiveCredentials& keys,
                std::span<const limit::Override> overrides, const OverrideTable* before = nullptr);

  /// Returns whether a key of this limit has an override.
  bool concerns(const CompiledLimit& limit) const noexcept { return of_limits_.contains(&limit); }
  /// Returns the override of `key` for `limit` at `now`, or null.
  const Granted* find(const CompiledLimit& limit, std::string_view key, Instant now) const noexcept;
  /// Returns the reason why the override of this key has no effect, as a sentence without its full stop; "" if the
  /// override has an effect.
  std::string_view why_not(const std::string& limit, const std::string& key) const noexcept;
  bool all_have_effect() const noexcept { return without_effect_.empty(); }

 private:
  using GrantedPtr = std::shared_ptr<const Granted>;
  struct ByText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  using OfKeys = std::unordered_map<std::string, GrantedPtr, ByText, std::equal_to<>>;

  std::string grant(const CompiledConfig& compiled, const ActiveCredentials& keys, const limit::Override& wanted,
                    const OverrideTable* before);
  bool fits(const CompiledConfig& compiled, const ActiveCredentials& keys, const std::string& limit, std::size_t rules);

  const CompiledConfig* compiled_;
  std::unordered_map<const CompiledLimit*, OfKeys> of_limits_;
  /// the highest number of rates in an override of each limit
  std::unordered_map<const CompiledLimit*, std::size_t> most_rules_;
  std::map<std::pair<std::string, std::string>, std::string> without_effect_;
};

}  // namespace headgate::gateway
