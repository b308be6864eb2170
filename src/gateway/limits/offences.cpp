#include "offences.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"

#include <array>
#include <span>
#include <utility>

namespace headgate::gateway {
namespace {

limit::Check check_of(const limit::BanPolicy& policy, std::string_view key, std::int64_t cost) {
  return {.rule = &policy.offences, .key = key, .hash = keyed_hash(key, policy.offences.seed), .cost = cost};
}

std::int64_t all_of(const limit::BanPolicy& policy) noexcept {
  return static_cast<std::int64_t>(policy.offences.burst);
}

}  // namespace

bool Offences::counts_in_redis(const RouteBan& ban) const noexcept {
  return ban.route_limit->limit->store == limit::Store::redis && under_way_ < kMaxUnderWay;
}

void Offences::note(const SnapshotPtr& snapshot, const boost::asio::ip::address& client, const RouteBan& ban,
                    std::string_view key) {
  if (stopped_) return;
  const bool observed = ban.route_limit->limit->mode == limit::Mode::observe;
  if (!counts_in_redis(ban)) return count_here(*ban.policy, key, observed, client);
  spawn(count_in_redis(shared_from_this(), {.redis = snapshot->redis,
                                            .compiled = snapshot->compiled,
                                            .policy = ban.policy,
                                            .key = std::string(key),
                                            .client = client,
                                            .observed = observed}),
        "offence");
}

Task<void> Offences::note_now(const Exchange& x, const RouteBan& ban, std::string_view key) {
  if (stopped_) co_return;
  if (!counts_in_redis(ban)) {
    note(x, ban, key);
    co_return;
  }
  Remote offence;
  offence.redis = x.snapshot->redis;
  offence.compiled = x.snapshot->compiled;
  offence.policy = ban.policy;
  offence.key = key;
  offence.client = client_of(x);
  offence.observed = ban.route_limit->limit->mode == limit::Mode::observe;
  auto counted = count_in_redis(shared_from_this(), std::move(offence));
  co_await counted;
}

Task<bool> Offences::would_suspend(const Exchange& x, const RouteBan& ban, std::string_view key) {
  auto check = check_of(*ban.policy, key, 1);
  check.peek = true;
  limit::Decision decision;
  const std::span<const limit::Check> checks(&check, 1);
  const std::span<limit::Decision> decisions(&decision, 1);
  if (counts_in_redis(ban)) {
    const auto redis = x.snapshot->redis;
    auto call = redis->decide(checks, decisions);
    const auto agreed = co_await call;
    if (agreed.has_value()) co_return *agreed&& decision.remaining == 0;
  }
  co_return !memory_.decide(checks, clock_.wall(), decisions) || decision.remaining == 0;
}

Task<void> Offences::count_in_redis(std::shared_ptr<Offences> self, Remote offence) {
  const auto check = check_of(*offence.policy, offence.key, 1);
  limit::Decision decision;
  ++self->under_way_;
  auto call = offence.redis->decide({&check, 1}, {&decision, 1});
  const auto agreed = co_await call;
  --self->under_way_;
  if (self->stopped_) co_return;
  if (agreed.has_error()) {
    self->count_here(*offence.policy, offence.key, offence.observed, offence.client);
  } else if (*agreed && decision.remaining == 0) {
    // Only one gateway gets the last permit, so only one suspends the key. It gives all permits back, so that the
    // counter begins anew.
    const auto all = check_of(*offence.policy, offence.key, -all_of(*offence.policy));
    offence.redis->settle({&all, 1});
    self->suspend(*offence.policy, offence.key, offence.observed, offence.client);
  }
}

void Offences::count_here(const limit::BanPolicy& policy, std::string_view key, bool observed,
                          const boost::asio::ip::address& client) {
  const auto check = check_of(policy, key, 1);
  limit::Decision decision;
  const auto now = clock_.wall();
  if (memory_.decide({&check, 1}, now, {&decision, 1}) && decision.remaining > 0) return;
  const auto all = check_of(policy, key, all_of(policy));
  memory_.give_back({&all, 1}, now);
  suspend(policy, key, observed, client);
}

void Offences::suspend(const limit::BanPolicy& policy, std::string_view key, bool observed,
                       const boost::asio::ip::address& client) {
  const auto reason = policy.statuses.empty() ? limit::BanReason::rejections : limit::BanReason::statuses;
  const auto ban = bans_.suspend(policy, key, reason, observed, clock_.wall());
  if (!ban || quiet_) return;
  const auto text = client.to_string();
  const auto id = observe::key_id(ban->key);
  const auto length = headgate::to_text(ban->until - ban->since);
  observe::event(observe::LogLevel::warning, "suspended",
                 observed ? "a caller would be suspended, but its limit only observes" : "a caller is suspended",
                 {{"limit", ban->limit},
                  {"client", text},
                  {"key_id", id},
                  {"for", length},
                  {"reason", limit::to_text(ban->reason)},
                  {"earlier", ban->level}});
}

}  // namespace headgate::gateway
