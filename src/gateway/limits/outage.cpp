#include "outage.hpp"

#include "process_name.hpp"
#include "shards.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMaxUnderWay = 64;  // charges at a time; Redis has just come back and has other calls to answer
constexpr auto kTick = std::chrono::milliseconds(50);  // interval at which the return of Redis is checked
constexpr unsigned kTicksWhileDown = 20;

}  // namespace

Outage::Outage(Clock& clock, limit::Limiter& memory, Random& random)
    : clock_(clock), memory_(memory), process_(process_name(random)), alarm_(clock.alarm(&Outage::on_alarm, this)) {}

void Outage::adopt(std::shared_ptr<limit::RemoteLimiter> redis) {
  redis_ = std::move(redis);
  if (!redis_) keys_.clear();
}

void Outage::stop() {
  stopped_ = true;
  alarm_.reset();
}

void Outage::counted(const Exchange& x, const CheckedLimit& checked) {
  const auto& admission = x.admission;
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i)
    if (admission.decisions[i].allowed)
      owe(x, checked, i - checked.first, admission.checks[i], admission.checks[i].cost);
}

void Outage::counted(const Exchange& x, const CheckedLimit& checked, std::size_t rule, const limit::Check& check) {
  owe(x, checked, rule, check, check.cost);
}

void Outage::cost_more(const Exchange& x, const CheckedLimit& checked) {
  const auto& admission = x.admission;
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i)
    if (admission.decisions[i].allowed)
      owe(x, checked, i - checked.first, admission.checks[i], checked.used - admission.checks[i].cost);
}

void Outage::owe(const Exchange& x, const CheckedLimit& checked, std::size_t rule, const limit::Check& was,
                 std::int64_t cost) {
  if (cost <= 0 || !redis_ || stopped_ || !was.rule->algorithm->refills) return;
  if (keys_.size() >= kMaxKeys && !keys_.contains(was.hash)) return;
  auto& owed = keys_[was.hash];
  if (owed.key.empty()) owed.key = was.key;
  owed.compiled = x.snapshot->compiled;
  owed.credentials = x.snapshot->credentials;
  owed.overrides = x.snapshot->overrides;
  owed.own.reset();
  for (const auto& own : x.admission.own_sizes)
    if (own.tier.get() == checked.tier) owed.own = own.tier;
  owed.shards = checked.tier->shards;
  owed.rule = &(owed.shards > 1 ? checked.tier->shard : checked.tier->rules)[rule];
  owed.local = was.rule;
  owed.more += cost;
  enqueue(was.hash, owed);
  arm();
}

std::int64_t Outage::held(const Hash& hash, const Owed& owed) {
  const limit::Check look{.rule = owed.local, .key = owed.key, .hash = hash, .cost = 0};
  limit::Decision left;
  memory_.decide({&look, 1}, clock_.wall(), {&left, 1});
  return static_cast<std::int64_t>(left.limit - std::min(left.limit, left.remaining));
}

// Redis executes the calls of a connection in order, so the check of the request, which follows, already counts the
// charge.
void Outage::charge_now(const Exchange& x, std::span<const CheckedLimit> next) {
  if (!redis_->up()) return;
  for (const auto& checked : next) {
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      const auto& check = x.admission.checks[i];
      charge(checked.shard == 0 ? check.hash : keyed_hash(without_shard(check.key), check.rule->seed));
    }
  }
}

void Outage::charge(const Hash& hash) {
  const auto at = keys_.find(hash);
  if (at == keys_.end() || at->second.under_way || stopped_) return;
  auto& owed = at->second;
  if (owed.sent == 0) {
    if (owed.part == 0) {  // the whole debt would use up one shard for a long time, so each shard is charged a part
      if (owed.shards > 1) owed.more = std::min(owed.more, held(hash, owed));
      owed.part = (owed.more + owed.shards - 1) / owed.shards;
    }
    owed.sent = std::min(owed.more, owed.part);
    owed.more -= owed.sent;
    owed.shard = limit::shard_after(owed.shard, owed.shards);
    owed.token = ++tokens_;
    if (owed.more == 0) owed.part = 0;
  }
  const auto cost = std::min(held(hash, owed), owed.sent);
  if (cost == 0) {  // the local counter is empty again
    keys_.erase(at);
    return;
  }
  owed.under_way = true;
  ++under_way_;
  spawn(send_charge(shared_from_this(), redis_, hash, owed, cost), "charge after an outage");
}

Task<void> Outage::send_charge(std::shared_ptr<Outage> self, std::shared_ptr<limit::RemoteLimiter> redis, Hash hash,
                               Owed owed, std::int64_t cost) {
  const std::string token = self->process_ + std::to_string(owed.token);
  if (owed.shards > 1) owed.key += "#" + std::to_string(owed.shard);
  const limit::Check debt{.rule = owed.rule, .key = owed.key, .hash = {}, .cost = cost, .how = limit::How::debt};
  auto charge = redis->charge(debt, token);
  const auto why = co_await charge;
  self->charged(hash, why);
}

void Outage::charged(const Hash& hash, error_code why) {
  --under_way_;
  const auto at = keys_.find(hash);
  if (at == keys_.end()) return;  // the key was dropped meanwhile
  auto& owed = at->second;
  owed.under_way = false;
  if (why) {
    ++failures_;
    enqueue(hash, owed);
    return;
  }
  owed.sent = 0;
  if (owed.more > 0)
    enqueue(hash, owed);
  else
    keys_.erase(at);
  charge_queued();
}

void Outage::enqueue(const Hash& hash, Owed& owed) {
  if (!std::exchange(owed.queued, true)) queue_.push_back(hash);
}

/// Charges each queued key once, while fewer than kMaxUnderWay charges are under way. Stops when a charge fails.
void Outage::charge_queued() {
  const auto failures = failures_;
  // A charge that is acknowledged during the call sends the next charge itself, so the queue may get shorter meanwhile.
  for (auto left = queue_.size(); left > 0 && !queue_.empty() && under_way_ < kMaxUnderWay; --left) {
    if (failures_ != failures || stopped_) break;
    const Hash hash = queue_.front();
    queue_.pop_front();
    const auto at = keys_.find(hash);
    if (at == keys_.end()) continue;
    at->second.queued = false;
    charge(hash);
  }
}

void Outage::arm() {
  if (armed_ || stopped_) return;
  armed_ = true;
  alarm_->set(kTick);
}

void Outage::on_alarm(void* self) {
  auto& outage = *static_cast<Outage*>(self);
  const auto alive = outage.shared_from_this();
  outage.armed_ = false;
  if (outage.stopped_ || !outage.redis_) return;
  // A part of a cluster that counts as down may be reachable, so a charge is tried now and then.
  if (outage.redis_->up() || ++outage.ticks_ % kTicksWhileDown == 0) outage.charge_queued();
  if (!outage.keys_.empty()) outage.arm();
}

}  // namespace headgate::gateway
