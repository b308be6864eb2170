#include "outage.hpp"

#include "headgate/core/time.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

constexpr int kOthersAtOnce = 16;  // so that no request pays for a whole outage

}  // namespace

void Outage::counted(const Exchange& x, const AskedLimit& asked) {
  const auto& admission = x.admission;
  for (std::size_t i = 0; i < asked.count; ++i) {
    const auto& ask = admission.asks[asked.first + i];
    if (ask.cost <= 0 || !admission.verdicts[asked.first + i].allowed) continue;
    if (keys_.size() >= kMostKeys && !keys_.contains(ask.hash)) continue;
    auto& owed = keys_[ask.hash];
    if (owed.admitted == 0) owed.subject = ask.subject;
    owed.site = x.snapshot->site;
    owed.grants = x.snapshot->grants;
    owed.rule = &asked.tier->rules[i];
    owed.local = ask.rule;
    owed.admitted += ask.cost;
  }
}

void Outage::hand_over(redis::Limiter& redis, std::span<const limit::Ask> about_to_ask) {
  if (keys_.empty() || redis.health() != redis::Health::up) return;
  for (const auto& ask : about_to_ask) {
    const auto at = keys_.find(ask.hash);
    if (at == keys_.end()) continue;
    if (charge(redis, at->first, at->second)) keys_.erase(at);
  }
  for (int others = 0; others < kOthersAtOnce && !keys_.empty(); ++others) {
    const auto at = keys_.begin();
    if (!charge(redis, at->first, at->second)) return;
    keys_.erase(at);
  }
}

bool Outage::charge(redis::Limiter& redis, const Hash& hash, const Owed& owed) {
  const limit::Ask look{owed.local, owed.subject, hash, 0, limit::How::take};
  limit::Verdict left;
  memory_.decide({&look, 1}, now(), {&left, 1});
  const auto held = static_cast<std::int64_t>(left.limit - std::min(left.limit, left.remaining));
  const auto cost = std::min(held, owed.admitted);
  if (cost == 0) return true;
  const limit::Ask debt{owed.rule, owed.subject, hash, cost, limit::How::charge};
  return redis.settle({&debt, 1});
}

}  // namespace headgate::gateway
