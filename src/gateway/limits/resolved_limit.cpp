#include "resolved_limit.hpp"

#include "gateway/bodies/holds.hpp"
#include "limit_key.hpp"
#include "own_size.hpp"
#include "shards.hpp"
#include "told_size.hpp"

#include "headgate/gateway/bodies/assumed_cost.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>
#include <array>

namespace headgate::gateway {
namespace {

using limit::IfAbsent;

bool is_named(const Exchange& x, const Exemption& exemption) {
  const auto& keys = exemption.api_keys;
  const auto* const known = x.caller.known_key;
  if (known && std::find(keys.begin(), keys.end(), known->owner) != keys.end()) return true;
  return !exemption.addresses.empty() && identity::contains(exemption.addresses, x.caller.address);
}

/// Most limits exempt no caller, so the common case is inline.
inline bool exempt(const Exchange& x, const std::optional<Exemption>& exemption) {
  return exemption && is_named(x, *exemption);
}

/// Returns whether `told` is this name, or a list that contains it. In a list, each name ends with a line feed.
inline bool tells(std::string_view told, std::string_view name) noexcept {
  if (!told.ends_with('\n')) return told == name;
  while (!told.empty()) {
    const auto end = told.find('\n');
    if (told.substr(0, end) == name) return true;
    told.remove_prefix(end + 1);
  }
  return false;
}

/// Returns the tier that the caller's claim, key, hop or descriptor names, otherwise the default one. If several tiers
/// are named, returns the one that comes first in the configuration.
inline const CompiledTier& named_tier(const Exchange& x, const RouteLimit& route_limit) {
  const auto& tiers = route_limit.ready->tiers;
  const auto& from = route_limit.limit->tier_from;
  if (from) {
    const auto told = from->source->tier.value(x, from->name);
    const auto at =
        std::find_if(tiers.begin(), tiers.end(), [told](const auto& tier) { return tells(told, tier.name); });
    if (at != tiers.end()) return *at;
  }
  return tiers[route_limit.limit->default_tier];
}

inline std::optional<std::string_view> key_for(Exchange& x, const limit::Limit& limit) {
  if (const auto own = key_of(x, limit.per)) return own;
  const auto& instead = limit.if_absent.instead;
  for (std::size_t i = 0; i < instead.size(); ++i)
    if (const auto text = key_of(x, instead[i])) return x.text.join({IfAbsent::kMarks[i], *text});
  return std::nullopt;
}

/// Returns the tier of the rate that the proxy asks for in place of the limit's; null if it asks for none, or for one
/// that the limit cannot count.
const CompiledTier* asked_size(Exchange& x, const CompiledLimit& limit) {
  const auto& asked = x.rate_limit->descriptor().rate;
  constexpr std::int64_t kSeconds[] = {0, 1, 60, 3'600, 86'400, 30 * 86'400, 365 * 86'400};
  const auto seconds = asked ? kSeconds[static_cast<std::size_t>(asked->unit)] : 0;
  if (seconds == 0) return nullptr;
  const Rate rate{.count = asked->count, .period = std::chrono::seconds(seconds)};
  const auto tier = own_size(limit.limit, {&rate, 1}, std::nullopt);
  if (tier.has_error()) return nullptr;
  auto made = std::make_shared<CompiledTier>(compile_tier(*tier, limit.share, limit.limit.shards));
  made->number = limit.tiers[limit.limit.default_tier].number;
  made->name = kAskedTier;
  return x.admission.own_sizes.emplace_back(OwnSize{&limit, std::move(made)}).tier.get();
}

inline const CompiledTier& tier_of(Exchange& x, const RouteLimit& route_limit) {
  if (x.rate_limit != nullptr) [[unlikely]]
    if (const auto* const asked = asked_size(x, *route_limit.ready)) return *asked;
  if (x.snapshot->overrides) [[unlikely]]
    if (const auto* const granted = override_of(x, route_limit)) return granted->tier;
  if (x.caller.known_key) {
    if (const auto* const own = x.snapshot->credentials->of_key(*x.caller.known_key, *route_limit.ready)) return *own;
  }
  if (route_limit.ready->told) [[unlikely]]
    return told_size(x, *route_limit.ready);
  return named_tier(x, route_limit);
}

/// Returns the cost of one hit of a descriptor.
std::int64_t cost_of_hit(const Exchange& x, const Cost& cost) {
  return cost.from == nullptr ? cost.default_value : cost.from->told(x, cost).cost.value_or(cost.default_value);
}

/// Returns the units to take before the answer: those that the log of the request says, or else the cost as far as it
/// is known.
std::int64_t units_before(const Exchange& x, const RouteLimit& route_limit, std::string_view key) {
  const auto& cost = route_limit.cost;
  if (const auto* const assumed = assumed_cost(x, route_limit); assumed != nullptr && assumed->held) [[unlikely]]
    return std::min(*assumed->held, std::max(cost.most, cost.default_value));
  return cost_of(x, cost, key);
}

}  // namespace

std::int64_t cost_of(const Exchange& x, const Cost& cost, std::string_view key) {
  if (x.rate_limit != nullptr) [[unlikely]]
    return x.rate_limit->permits(cost_of_hit(x, cost));
  if (cost.from == nullptr) return cost.default_value;
  if (is_settled(cost)) return cost.hold.reads_body() ? hold_of(x, cost, key) : cost.default_value;
  return cost.from->told(x, cost).cost.value_or(cost.default_value);
}

std::string_view key_of_cost(const Exchange& x, const Cost& cost) noexcept {
  const auto& a = x.admission;
  for (const auto& checked : a.limits)
    if (&checked.route_limit->cost == &cost) return counted_key(a, checked).key;
  for (const auto& use : a.unchecked)
    if (&use.route_limit->cost == &cost) return use.key;
  return {};
}

std::optional<std::string_view> key_to_ban(Exchange& x, const RouteLimit& route_limit) {
  if (exempt(x, route_limit.ready->exemption)) return std::nullopt;
  return key_for(x, *route_limit.limit);
}

const OverrideTable::Granted* override_of(Exchange& x, const RouteLimit& route_limit) {
  const auto* const overrides = x.snapshot->overrides.get();
  if (overrides == nullptr || !overrides->concerns(*route_limit.ready)) return nullptr;
  const auto key = key_for(x, *route_limit.limit);
  return key ? overrides->find(*route_limit.ready, *key, x.clock->wall()) : nullptr;
}

shed::Priority priority_of(const Exchange& x) {
  const auto& field = x.snapshot->compiled->options().shedding.priority_from;
  if (!field.empty() && x.caller.through_trusted) {
    const auto told = shed::priority_of(http::value_of(x.request.fields, std::string_view(field)));
    if (told) return *told;
  }
  for (const auto* const route_limit : x.route->ranking) {
    if (exempt(x, route_limit->ready->exemption)) continue;
    const auto& tier = named_tier(x, *route_limit);
    if (tier.priority) return *tier.priority;
  }
  return x.route->priority;
}

void note_unchecked(Exchange& x, const RouteLimit& route_limit) {
  if (const auto key = key_to_ban(x, route_limit))
    x.admission.unchecked.push_back(
        {.route_limit = &route_limit, .key = *key, .used = units_before(x, route_limit, *key)});
}

ResolvedLimit resolve_limit(Exchange& x, const RouteLimit& route_limit) {
  ResolvedLimit resolved;
  if (exempt(x, route_limit.ready->exemption)) {
    resolved.exempt = true;
    return resolved;
  }
  const auto& tier = tier_of(x, route_limit);
  if (tier.rules.empty()) {
    resolved.tier = &tier;
    return resolved;
  }
  const auto key = key_for(x, *route_limit.limit);
  if (!key) {
    resolved.key_missing = route_limit.limit->if_absent.last != IfAbsent::Last::skip;
    return resolved;
  }
  return {.applies = true, .key = *key, .tier = &tier, .cost = units_before(x, route_limit, *key)};
}

}  // namespace headgate::gateway
