#include "headgate/gateway/key_overrides.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace headgate::gateway {
namespace {

using limit::Rule;

/// The rule of the limit to copy: an override changes only its size.
const Rule* model_of(const limit::Limit& limit, const Rate& rate) {
  const Rule* model = nullptr;
  for (const auto& tier : limit.tiers) {
    for (const auto& rule : tier.rules) {
      const bool same_period = rule.rate.period == rate.period && rule.rate.month == rate.month;
      if (model == nullptr || same_period) model = &rule;
      if (same_period) return model;
    }
  }
  return model;
}

/// The tier with the sizes of `wanted`; nothing if the limit's algorithm does not allow them.
std::optional<limit::Tier> tier_of(const limit::Limit& limit, const identity::RateOverride& wanted) {
  const bool several = wanted.rates.size() > 1;
  const bool tiers = limit.tiers.size() > 1 || !limit.tiers.front().name.empty();
  limit::Tier tier;
  tier.name = limit.tiers[limit.default_tier].name;
  for (const auto& rate : wanted.rates) {
    const Rule* const model = model_of(limit, rate);
    if (model == nullptr || !model->algorithm->refills) return std::nullopt;  // no rate can replace a number
    Rule rule = *model;
    const bool same_period = rule.rate.period == rate.period && rule.rate.month == rate.month;
    if (rate.month && !same_period) return std::nullopt;  // the time zone of its months is not known
    if (!same_period) rule.calendar = nullptr;
    rule.rate = rate;
    rule.burst = wanted.burst && !several ? *wanted.burst : rule.algorithm->default_burst(rule);
    limit::name_rule(rule, several, tiers ? limit::PeriodInKey::yes : limit::PeriodInKey::no);
    if (rule.algorithm->check(rule)) return std::nullopt;
    tier.rules.push_back(std::move(rule));
  }
  return tier;
}

}  // namespace

KeyOverrides::KeyOverrides(const CompiledConfig& compiled, std::shared_ptr<const identity::Credentials> credentials)
    : credentials_(std::move(credentials)) {
  find_unknown_tiers(compiled);
  for (const auto& key : api_keys().records()) {
    for (const auto& wanted : key.overrides) override_limit(compiled, key, wanted);
    if (key.overrides.empty() || fits(compiled, key)) continue;
    of_keys_.erase(&key);
    without_effect_.push_back("a key of " + key.owner + " would bring a route under more than " +
                              std::to_string(limit::kMaxRulesPerRequest) + " rates; its own sizes are not used");
  }
}

/// The configuration check refuses a key file with such a tier. In a file that is read again later the key gets the
/// default tier.
void KeyOverrides::find_unknown_tiers(const CompiledConfig& compiled) {
  std::set<std::string_view> known;
  for (const auto& ready : compiled.limits()) {
    const auto& from = ready->limit.tier_from;
    if (!from || from->source->needs != Needs::api_key) continue;
    for (const auto& tier : ready->limit.tiers) known.insert(tier.name);
  }
  for (const auto& route : compiled.routes())
    if (route->demands) known.insert(route->demands->key.tiers.begin(), route->demands->key.tiers.end());
  std::map<std::string_view, std::pair<std::string_view, std::size_t>> unknown;  // tier: an owner, how many keys
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

/// Whether no request with this key has more rules than one request may have.
bool KeyOverrides::fits(const CompiledConfig& compiled, const identity::ApiKeyRecord& key) const {
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

void KeyOverrides::override_limit(const CompiledConfig& compiled, const identity::ApiKeyRecord& key,
                                  const identity::RateOverride& wanted) {
  bool known = false;
  for (const auto& ready : compiled.limits()) {
    if (ready->base != wanted.limit) continue;
    known = true;
    const auto tier = tier_of(ready->limit, wanted);
    if (!tier) {
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

const CompiledTier* KeyOverrides::of_key(const identity::ApiKeyRecord& key, const CompiledLimit& limit) const noexcept {
  if (key.overrides.empty()) return nullptr;
  const auto at = of_keys_.find(&key);
  if (at == of_keys_.end()) return nullptr;
  const auto granted =
      std::find_if(at->second.begin(), at->second.end(), [&](const auto& each) { return each.first == &limit; });
  return granted == at->second.end() ? nullptr : &granted->second;
}

}  // namespace headgate::gateway
