#include "outage.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMaxUnderWay = 64;               // charges: Redis has just come back, and has others to answer
constexpr auto kTick = std::chrono::milliseconds(50);  // between two looks whether Redis is back
constexpr unsigned kLooksInVain = 20;

std::string random_name() {
  std::random_device random;
  return std::to_string(random()) + "." + std::to_string(random()) + ".";
}

}  // namespace

Outage::Outage(Clock& clock, limit::Limiter& memory)
    : clock_(clock), memory_(memory), process_(random_name()), alarm_(clock.alarm(&Outage::look, this)) {}

void Outage::adopt(std::shared_ptr<limit::RemoteLimiter> redis) {
  redis_ = std::move(redis);
  if (!redis_) keys_.clear();
}

void Outage::stop() {
  stopped_ = true;
  alarm_.reset();
}

void Outage::counted(const Exchange& x, const CheckedLimit& asked) {
  const auto& admission = x.admission;
  for (std::size_t i = asked.first; i < asked.first + std::size_t{asked.count}; ++i)
    if (admission.decisions[i].allowed) owe(x, asked, i, admission.checks[i].cost);
}

void Outage::cost_more(const Exchange& x, const CheckedLimit& asked) {
  const auto& admission = x.admission;
  for (std::size_t i = asked.first; i < asked.first + std::size_t{asked.count}; ++i)
    if (admission.decisions[i].allowed) owe(x, asked, i, asked.used - admission.checks[i].cost);
}

void Outage::owe(const Exchange& x, const CheckedLimit& asked, std::size_t check, std::int64_t cost) {
  const auto& was = x.admission.checks[check];
  if (cost <= 0 || !redis_ || stopped_) return;
  if (keys_.size() >= kMaxKeys && !keys_.contains(was.hash)) return;
  auto& owed = keys_[was.hash];
  if (owed.key.empty()) owed.key = was.key;
  owed.compiled = x.snapshot->compiled;
  owed.key_overrides = x.snapshot->key_overrides;
  owed.rule = &asked.tier->rules[check - asked.first];
  owed.local = was.rule;
  owed.more += cost;
  line_up(was.hash, owed);
  arm();
}

std::int64_t Outage::held(const Hash& hash, const Owed& owed) {
  const limit::Check look{.rule = owed.local, .key = owed.key, .hash = hash, .cost = 0};
  limit::Decision left;
  memory_.decide({&look, 1}, clock_.wall(), {&left, 1});
  return static_cast<std::int64_t>(left.limit - std::min(left.limit, left.remaining));
}

// In order on one connection: what is asked next finds it charged.
void Outage::charge_now(std::span<const limit::Check> about_to_ask) {
  if (!redis_->up()) return;
  for (const auto& check : about_to_ask) charge(check.hash);
}

void Outage::charge(const Hash& hash) {
  const auto at = keys_.find(hash);
  if (at == keys_.end() || at->second.under_way || stopped_) return;
  auto& owed = at->second;
  if (owed.sent == 0) {
    owed.sent = std::exchange(owed.more, 0);
    owed.token = ++tokens_;
  }
  const auto cost = std::min(held(hash, owed), owed.sent);
  if (cost == 0) {  // all of it has leaked out
    keys_.erase(at);
    return;
  }
  owed.under_way = true;
  ++under_way_;
  spawn(say(shared_from_this(), redis_, hash, owed, cost), "charge after an outage");
}

Task<void> Outage::say(std::shared_ptr<Outage> self, std::shared_ptr<limit::RemoteLimiter> redis, Hash hash, Owed owed,
                       std::int64_t cost) {
  const std::string token = self->process_ + std::to_string(owed.token);
  const limit::Check debt{.rule = owed.rule, .key = owed.key, .hash = {}, .cost = cost, .how = limit::How::debt};
  auto charge = redis->charge(debt, token);
  const auto why = co_await charge;
  self->charged(hash, why);
}

void Outage::charged(const Hash& hash, error_code why) {
  --under_way_;
  const auto at = keys_.find(hash);
  if (at == keys_.end()) return;  // forgiven meanwhile
  auto& owed = at->second;
  owed.under_way = false;
  if (why) {
    ++failures_;
    line_up(hash, owed);
    return;
  }
  owed.sent = 0;
  if (owed.more > 0)
    line_up(hash, owed);
  else
    keys_.erase(at);
  go_on();
}

void Outage::line_up(const Hash& hash, Owed& owed) {
  if (!std::exchange(owed.in_line, true)) line_.push_back(hash);
}

/// As many at once as may be, each key of the line once; not while Redis answers none.
void Outage::go_on() {
  const auto failures = failures_;
  for (auto left = line_.size(); left > 0 && under_way_ < kMaxUnderWay && failures_ == failures && !stopped_; --left) {
    const Hash hash = line_.front();
    line_.pop_front();
    const auto at = keys_.find(hash);
    if (at == keys_.end()) continue;
    at->second.in_line = false;
    charge(hash);
  }
}

void Outage::arm() {
  if (armed_ || stopped_) return;
  armed_ = true;
  alarm_->set(kTick);
}

void Outage::look(void* self) {
  auto& outage = *static_cast<Outage*>(self);
  const auto alive = outage.shared_from_this();
  outage.armed_ = false;
  if (outage.stopped_ || !outage.redis_) return;
  // Where Redis is away a part of it, of a cluster, may be there: but that is worth fewer looks.
  if (outage.redis_->up() || ++outage.looks_ % kLooksInVain == 0) outage.go_on();
  if (!outage.keys_.empty()) outage.arm();
}

}  // namespace headgate::gateway
