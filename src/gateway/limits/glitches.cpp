#include "glitches.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/identity/client_address.hpp"

#include <array>
#include <utility>

namespace headgate::gateway {
namespace {

using observe::Source;

const CompiledTier& tier_of(const RouteBan& ban) { return ban.route_limit->ready->tiers.front(); }

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
    // Who is suspended is not suspended for longer by what is on its way.
    if (bans_.find(ban.policy->offences, key, clock_.wall())) continue;
    Batch batch{.snapshot = snapshot, .ban = &ban, .key = key, .client = client, .times = times};
    if (ban.route_limit->limit->store == limit::Store::memory)
      count_here(batch, tier_of(ban).rules, Source::memory);
    else if (under_way_ >= kMaxUnderWay)
      count_here(batch, tier_of(ban).local, Source::fallback);
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
  const auto& tier = tier_of(*batch.ban);
  const auto checks = checks_of(tier.rules, batch.key, batch.times);
  std::vector<limit::Decision> decisions(checks.size());
  ++self->under_way_;
  auto call = batch.snapshot->redis->decide(checks, decisions);
  const auto agreed = co_await call;
  --self->under_way_;
  if (self->stopped_) co_return;
  if (agreed.has_error())
    self->count_here(batch, tier.local, Source::fallback);
  else
    self->decided(batch, *agreed, Source::redis);
}

void Glitches::decided(const Batch& batch, bool allowed, Source source) {
  const auto& tier = tier_of(*batch.ban);
  batch.snapshot->counters->glitches(tier, source, allowed, batch.times, keyed_hash(batch.key, 0).low, batch.key);
  if (!allowed) offences_->note(batch.snapshot, batch.client, *batch.ban, batch.key);
}

}  // namespace headgate::gateway
