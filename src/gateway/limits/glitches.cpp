#include "glitches.hpp"

#include "gateway/limits/limit_counters.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/override_table.hpp"
#include "headgate/identity/client_address.hpp"

#include <array>
#include <utility>

namespace headgate::gateway {
namespace {

using observe::Source;

/// Returns the tier of this key: that of an operator's override if there is one, otherwise the limit's first tier.
const CompiledTier& tier_of(const Snapshot& snapshot, const RouteBan& ban, std::string_view key, Instant now) {
  const auto& ready = *ban.route_limit->ready;
  const auto* const overrides = snapshot.overrides.get();
  const auto* const granted = overrides != nullptr ? overrides->find(ready, key, now) : nullptr;
  return granted != nullptr ? granted->tier : ready.tiers.front();
}

std::vector<limit::Check> checks_of(const std::vector<limit::Rule>& rules, std::string_view key, std::uint32_t times) {
  std::vector<limit::Check> out;
  out.reserve(rules.size());
  for (const auto& rule : rules)
    out.push_back({.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .cost = std::int64_t{times}});
  return out;
}

}  // namespace

void Glitches::count(const SnapshotPtr& snapshot, const boost::asio::ip::address& client, std::uint32_t times) {
  const auto& compiled = *snapshot->compiled;
  if (stopped_ || compiled.glitch_bans().empty() || identity::contains(compiled.identity().trusted_proxies, client))
    return;
  std::array<char, 64> buffer{};
  const std::string key(identity::client_ip_key(client, compiled.identity().ipv6_prefix, buffer));
  for (const auto& ban : compiled.glitch_bans()) {
    const auto& exemption = ban.route_limit->ready->exemption;
    if (exemption && identity::contains(exemption->addresses, client)) continue;
    // Frames that were already on their way do not extend the suspension of a client.
    if (bans_.find(ban.policy->offences, key, clock_.wall())) continue;
    const auto& tier = tier_of(*snapshot, ban, key, clock_.wall());
    if (tier.rules.empty()) continue;
    Batch batch{.snapshot = snapshot, .ban = &ban, .tier = &tier, .key = key, .client = client, .times = times};
    if (ban.route_limit->limit->store == limit::Store::memory)
      count_here(batch, tier.rules, Source::memory);
    else if (under_way_ >= kMaxUnderWay)
      count_without_redis(batch);
    else
      spawn(count_in_redis(shared_from_this(), std::move(batch)), "glitches");
  }
}

void Glitches::count_here(const Batch& batch, const std::vector<limit::Rule>& rules, Source source) {
  const auto checks = checks_of(rules, batch.key, batch.times);
  std::vector<limit::Decision> decisions(checks.size());
  decided(batch, memory_.decide(checks, clock_.wall(), decisions), source);
}

Task<void> Glitches::count_in_redis(std::shared_ptr<Glitches> self, Batch batch) {
  const auto checks = checks_of(batch.tier->rules, batch.key, batch.times);
  std::vector<limit::Decision> decisions(checks.size());
  ++self->under_way_;
  auto call = batch.snapshot->redis->decide(checks, decisions);
  const auto agreed = co_await call;
  --self->under_way_;
  if (self->stopped_) co_return;
  if (agreed.has_error())
    self->count_without_redis(batch);
  else
    self->decided(batch, *agreed, Source::redis);
}

void Glitches::count_without_redis(const Batch& batch) {
  if (batch.ban->route_limit->limit->if_redis_down == limit::IfRedisDown::allow) return;
  count_here(batch, batch.tier->local->current().rules, Source::fallback);
}

void Glitches::decided(const Batch& batch, bool allowed, Source source) {
  batch.snapshot->counters->of<TierCounters>().glitches(batch.ban->route_limit->ready->tiers.front(), source, allowed,
                                                        batch.times, keyed_hash(batch.key, 0).low, batch.key);
  if (!allowed) offences_->note(batch.snapshot, batch.client, *batch.ban, batch.key);
}

}  // namespace headgate::gateway
