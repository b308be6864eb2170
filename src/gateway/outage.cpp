#include "outage.hpp"

#include "headgate/core/time.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::size_t kMostUnderWay = 64;              // charges: Redis has just come back, and has others to answer
constexpr auto kTick = std::chrono::milliseconds(50);  // between two looks whether Redis is back
constexpr unsigned kLooksInVain = 20;

std::string random_name() {
  std::random_device random;
  return std::to_string(random()) + "." + std::to_string(random()) + ".";
}

}  // namespace

Outage::Outage(boost::asio::io_context& loop, limit::MemoryStore& memory)
    : memory_(memory), process_(random_name()), timer_(loop.get_executor()) {}

void Outage::adopt(std::shared_ptr<redis::Limiter> redis) {
  redis_ = std::move(redis);
  if (!redis_) keys_.clear();
}

void Outage::stop() {
  stopped_ = true;
  timer_.cancel();
}

void Outage::counted(const Exchange& x, const AskedLimit& asked) {
  const auto& admission = x.admission;
  for (std::size_t i = asked.first; i < asked.first + std::size_t{asked.count}; ++i)
    if (admission.verdicts[i].allowed) owe(x, asked, i, admission.asks[i].cost);
}

void Outage::cost_more(const Exchange& x, const AskedLimit& asked) {
  const auto& admission = x.admission;
  for (std::size_t i = asked.first; i < asked.first + std::size_t{asked.count}; ++i)
    if (admission.verdicts[i].allowed) owe(x, asked, i, asked.used - admission.asks[i].cost);
}

void Outage::owe(const Exchange& x, const AskedLimit& asked, std::size_t ask, std::int64_t cost) {
  const auto& was = x.admission.asks[ask];
  if (cost <= 0 || !redis_ || stopped_) return;
  if (keys_.size() >= kMostKeys && !keys_.contains(was.hash)) return;
  auto& owed = keys_[was.hash];
  if (owed.subject.empty()) owed.subject = was.subject;
  owed.site = x.snapshot->site;
  owed.grants = x.snapshot->grants;
  owed.rule = &asked.tier->rules[ask - asked.first];
  owed.local = was.rule;
  owed.more += cost;
  line_up(was.hash, owed);
  arm();
}

std::int64_t Outage::held(const Hash& hash, const Owed& owed) {
  const limit::Ask look{owed.local, owed.subject, hash, 0, limit::How::take};
  limit::Verdict left;
  memory_.decide({&look, 1}, now(), {&left, 1});
  return static_cast<std::int64_t>(left.limit - std::min(left.limit, left.remaining));
}

// In order on one connection: what is asked next finds it charged.
void Outage::charge_now(std::span<const limit::Ask> about_to_ask) {
  if (redis_->health() != redis::Health::up) return;
  for (const auto& ask : about_to_ask) charge(ask.hash);
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

Task<void> Outage::say(std::shared_ptr<Outage> self, std::shared_ptr<redis::Limiter> redis, Hash hash, Owed owed,
                       std::int64_t cost) {
  const std::string token = self->process_ + std::to_string(owed.token);
  const limit::Ask debt{owed.rule, owed.subject, {}, cost, limit::How::debt};
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
  for (auto left = line_.size(); left > 0 && under_way_ < kMostUnderWay && failures_ == failures && !stopped_; --left) {
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
  timer_.expires_after(kTick);
  timer_.async_wait([self = shared_from_this()](const auto& error) {
    self->armed_ = false;
    if (error || self->stopped_ || !self->redis_) return;
    // Where Redis is away a part of it, of a cluster, may be there: but that is worth fewer looks.
    if (self->redis_->health() == redis::Health::up || ++self->looks_ % kLooksInVain == 0) self->go_on();
    if (!self->keys_.empty()) self->arm();
  });
}

}  // namespace headgate::gateway
