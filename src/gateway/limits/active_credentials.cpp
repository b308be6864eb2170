#include "headgate/gateway/active_credentials.hpp"

#include "own_size.hpp"

#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace headgate::gateway {
ActiveCredentials::ActiveCredentials(const CompiledConfig& compiled,
                                     std::shared_ptr<const identity::Credentials> credentials)
    : credentials_(std::move(credentials)) {
  const auto content = [](const auto& lists, const std::string& path) {
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const auto& each) { return each.first == path; });
    return list == lists.end() ? nullptr : list->second;
  };
  for (const auto& path : compiled.identity().address_files)
    address_lists_.push_back(content(credentials_->address_lists, path));
  for (const auto& path : compiled.identity().user_files)
    user_lists_.push_back(content(credentials_->user_lists, path));
  find_unknown_tiers(compiled);
  for (const auto& key : api_keys().records()) {
    for (const auto& wanted : key.overrides) override_limit(compiled, key, wanted);
    if (key.overrides.empty()) continue;
    if (fits(compiled, key)) {
      note_most_rules(key);
      continue;
    }
    of_keys_.erase(&key);
    without_effect_.push_back("a key of " + key.owner + " would bring a route under more than " +
                              std::to_string(limit::kMaxRulesPerRequest) + " rates; its own sizes are not used");
  }
}

/// The configuration check rejects a key file with an unknown tier. If a file that is read again later names an unknown
/// tier, the key gets the default tier.
void ActiveCredentials::find_unknown_tiers(const CompiledConfig& compiled) {
  std::set<std::string_view> known;
  for (const auto& ready : compiled.limits()) {
    const auto& from = ready->limit.tier_from;
    if (!from || from->source->word != "api_key") continue;
    for (const auto& tier : ready->limit.tiers) known.insert(tier.name);
  }
  for (const auto& route : compiled.routes())
    if (route->demands) known.insert(route->demands->key.tiers.begin(), route->demands->key.tiers.end());
  // maps an unknown tier to the owner of one of its keys, and to the number of its keys
  std::map<std::string_view, std::pair<std::string_view, std::size_t>> unknown;
  for (const auto& key : api_keys().records()) {
    if (key.tier.empty() || known.contains(key.tier)) continue;
    auto& [owner, keys] = unknown[key.tier];
    if (keys++ == 0) owner = key.owner;
  }
  for (const auto& [tier, of] : unknown) {
    const auto& [owner, keys] = of;
    const auto others = keys > 1 ? " and " + std::to_string(keys - 1) + (keys > 2 ? " others" : " other") : "";
    without_effect_.push_back("a key of " + std::string(owner) + others + (keys > 1 ? " have" : " has") +
                              " the tier \"" + std::string(tier) + "\", " +
                              (known.empty() ? "but no limit takes its tier from the API key"
                                             : "which no limit knows: they get the default tier"));
  }
}

/// Returns whether each request with this key stays within the maximum number of rules.
bool ActiveCredentials::fits(const CompiledConfig& compiled, const identity::ApiKeyRecord& key) const {
  const auto most_rules = [&](const CompiledLimit& limit) {
    if (const auto* const own = of_key(key, limit)) return own->rules.size();
    std::size_t most = 0;
    for (const auto& tier : limit.tiers) most = std::max(most, tier.rules.size());
    return most;
  };
  return std::all_of(compiled.serving().begin(), compiled.serving().end(), [&](const Route* route) {
    std::size_t rules = 0;
    for (const auto& route_limit : route->plan) rules += most_rules(*route_limit.ready);
    return rules <= limit::kMaxRulesPerRequest;
  });
}

void ActiveCredentials::override_limit(const CompiledConfig& compiled, const identity::ApiKeyRecord& key,
                                       const identity::RateOverride& wanted) {
  bool known = false;
  for (const auto& ready : compiled.limits()) {
    if (ready->base != wanted.limit) continue;
    known = true;
    const auto tier = own_size(ready->limit, wanted.rates, wanted.burst);
    if (tier.has_error()) {
      without_effect_.push_back("limit \"" + wanted.limit + "\" cannot count what a key of " + key.owner +
                                " has instead of its own size");
      return;
    }
    auto granted = compile_tier(*tier, ready->share, ready->limit.shards);
    granted.number = ready->tiers[ready->limit.default_tier].number;
    of_keys_[&key].emplace_back(ready.get(), std::move(granted));
  }
  if (!known)
    without_effect_.push_back("a key of " + key.owner + " has a size of its own for \"" + wanted.limit +
                              "\", which is no limit of any route");
}

void ActiveCredentials::note_most_rules(const identity::ApiKeyRecord& key) {
  const auto at = of_keys_.find(&key);
  if (at == of_keys_.end()) return;
  for (const auto& [limit, tier] : at->second) {
    auto& most = most_rules_[limit];
    most = std::max(most, tier.rules.size());
  }
}

std::size_t ActiveCredentials::most_rules(const CompiledLimit& limit) const noexcept {
  const auto at = most_rules_.find(&limit);
  return at == most_rules_.end() ? 0 : at->second;
}

const CompiledTier* ActiveCredentials::of_key(const identity::ApiKeyRecord& key,
                                              const CompiledLimit& limit) const noexcept {
  if (key.overrides.empty()) return nullptr;
  const auto at = of_keys_.find(&key);
  if (at == of_keys_.end()) return nullptr;
  const auto granted =
      std::find_if(at->second.begin(), at->second.end(), [&](const auto& each) { return each.first == &limit; });
  return granted == at->second.end() ? nullptr : &granted->second;
}

}  // namespace headgate::gateway
