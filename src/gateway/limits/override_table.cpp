#include "headgate/gateway/override_table.hpp"

#include "own_size.hpp"

#include <algorithm>

namespace headgate::gateway {

OverrideTable::OverrideTable(const CompiledConfig& compiled, const ActiveCredentials& keys,
                             std::span<const limit::Override> overrides, const OverrideTable* before)
    : compiled_(&compiled) {
  if (before != nullptr && before->compiled_ != compiled_) before = nullptr;
  for (const auto& wanted : overrides)
    if (auto why = grant(compiled, keys, wanted, before); !why.empty())
      without_effect_.insert_or_assign({wanted.limit, wanted.key}, std::move(why));
}

/// Returns the reason why the override has no effect; "" if it has an effect.
std::string OverrideTable::grant(const CompiledConfig& compiled, const ActiveCredentials& keys,
                                 const limit::Override& wanted, const OverrideTable* before) {
  std::vector<std::pair<const CompiledLimit*, GrantedPtr>> granted;
  for (const auto& ready : compiled.limits()) {
    if (ready->base != wanted.limit) continue;
    if (before != nullptr) {
      const auto* const known = before->find(*ready, wanted.key, wanted.since);
      if (known != nullptr && known->wanted == wanted) {
        granted.emplace_back(ready.get(), before->of_limits_.at(ready.get()).find(wanted.key)->second);
        continue;
      }
    }
    const auto tier = own_size(ready->limit, wanted.rates, wanted.burst);
    if (tier.has_error()) return tier.error();
    auto made = std::make_shared<Granted>(Granted{wanted, compile_tier(*tier, ready->share, ready->limit.shards)});
    made->tier.number = ready->tiers[ready->limit.default_tier].number;
    made->tier.name = kTier;
    granted.emplace_back(ready.get(), std::move(made));
  }
  if (granted.empty()) return "no route uses a limit of this name";
  if (!fits(compiled, keys, wanted.limit, wanted.rates.size()))
    return "a route would be under more than " + std::to_string(limit::kMaxRulesPerRequest) + " rates";
  for (auto& [limit, one] : granted) {
    auto& most = most_rules_[limit];
    most = std::max(most, wanted.rates.size());
    of_limits_[limit].insert_or_assign(wanted.key, std::move(one));
  }
  return {};
}

/// Returns whether each request stays within the maximum number of rules if a key of `limit` gets this number of rules.
bool OverrideTable::fits(const CompiledConfig& compiled, const ActiveCredentials& keys, const std::string& limit,
                         std::size_t rules) {
  const auto most_rules = [&](const CompiledLimit& ready) {
    std::size_t most = keys.most_rules(ready);
    for (const auto& tier : ready.tiers) most = std::max(most, tier.rules.size());
    if (const auto at = most_rules_.find(&ready); at != most_rules_.end()) most = std::max(most, at->second);
    return most;
  };
  const auto grows = [&](const CompiledLimit& ready) { return ready.base == limit && most_rules(ready) < rules; };
  const auto limits = compiled.limits();
  if (std::none_of(limits.begin(), limits.end(), [&](const auto& ready) { return grows(*ready); })) return true;
  return std::all_of(compiled.serving().begin(), compiled.serving().end(), [&](const Route* route) {
    std::size_t all = 0;
    for (const auto& route_limit : route->plan)
      all += route_limit.ready->base == limit ? std::max(rules, most_rules(*route_limit.ready))
                                              : most_rules(*route_limit.ready);
    return all <= limit::kMaxRulesPerRequest;
  });
}

const OverrideTable::Granted* OverrideTable::find(const CompiledLimit& limit, std::string_view key,
                                                  Instant now) const noexcept {
  const auto keys = of_limits_.find(&limit);
  if (keys == of_limits_.end()) return nullptr;
  const auto at = keys->second.find(key);
  if (at == keys->second.end() || at->second->wanted.until <= now) return nullptr;
  return at->second.get();
}

std::string_view OverrideTable::why_not(const std::string& limit, const std::string& key) const noexcept {
  const auto at = without_effect_.find({limit, key});
  return at == without_effect_.end() ? std::string_view() : std::string_view(at->second);
}

}  // namespace headgate::gateway
