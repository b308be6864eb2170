#include "settler.hpp"

#include "redis/servers/slot_map.hpp"
#include "redis/wire/question.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/settled_batch.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kGather = 2ms;  // settlements of this time share a call
constexpr auto kRetry = 50ms;  // between two tries to send what failed
constexpr unsigned kTicksWhileAway = 20;
constexpr unsigned kTicksOfSweep = 100;
constexpr std::size_t kLanes = 4;
constexpr std::size_t kLanesOfCluster = 64;
constexpr std::size_t kMaxSums = limit::kMaxRulesPerRequest - 1;  // one more is the number of the batch
constexpr unsigned kMaxRefusals = 3;
// Redis must still have the number of a batch that is sent again. A call may be on its way for a while.
constexpr auto kLatest = limit::kBatchKept - std::chrono::minutes(1);

/// A decision that knows whether any server can have received it.
class SettleQuestion final : public ScriptQuestion {
 public:
  SettleQuestion(std::span<const limit::Check> checks, std::span<limit::Decision> decisions, std::string_view prefix)
      : ScriptQuestion(decide_script()), decision_(checks, decisions, prefix) {}

  void write(std::vector<std::string>& out) const override {
    sent_ = true;
    decision_.write(out);
  }
  Result<bool> read(const Reply& reply) override { return decision_.read(reply); }
  bool sent() const noexcept { return sent_; }

 private:
  DecisionQuestion decision_;
  mutable bool sent_ = false;
};

}  // namespace

Settler::Settler(boost::asio::io_context& loop, const RedisOptions& options, std::uint64_t sender,
                 std::shared_ptr<Servers> servers, std::shared_ptr<limit::Local> local,
                 std::shared_ptr<ActiveCalls> calls)
    : numbered_(options.topology != Topology::cluster),
      prefix_(options.key_prefix),
      servers_(std::move(servers)),
      local_(std::move(local)),
      calls_(std::move(calls)),
      lanes_(numbered_ ? kLanes : kLanesOfCluster),
      gather_timer_(loop.get_executor()),
      retry_timer_(loop.get_executor()) {
  if (!numbered_) return;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i].rule = limit::batch_rule(std::to_string(sender) + ':' + std::to_string(i));
}

bool Settler::accepts(std::span<const limit::Check> checks) noexcept {
  using limit::How;
  return std::ranges::all_of(checks, [](const limit::Check& check) {
    return check.token.empty() && !check.peek &&
           (check.cost <= 0 || check.how == How::charge || check.how == How::debt);
  });
}

bool Settler::settle(std::span<const limit::Check> checks, std::span<const Duration> held_for) {
  const auto now = SteadyClock::now();
  bool taken = true;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    auto check = checks[i];
    if (check.cost == 0) continue;
    if (check.cost < 0) check.how = limit::How::take;
    const auto until = now + (i < held_for.size() ? held_for[i] : limit::kNever);
    taken = queue_.add(check, rules_.of(*check.rule), until, now) && taken;
  }
  if (stopped_)
    send_rest();
  else
    gather();
  publish();
  return taken && !stopped_;
}

void Settler::send_new_of(std::span<const limit::Check> checks) {
  if (std::ranges::any_of(checks, [this](const auto& check) { return queue_.is_new(check.key); })) send_new();
}

void Settler::gather() {
  if (gathering_ || !queue_.has_new()) return arm();
  gathering_ = true;
  gather_timer_.expires_after(kGather);
  gather_timer_.async_wait([self = shared_from_this()](error_code ec) {
    self->gathering_ = false;
    if (ec || self->stopped_) return;
    self->send_new();
    self->publish();
  });
}

void Settler::send_new() {
  // One server says itself when it answers again. Of a cluster, a part may be away, so each batch is tried.
  if (numbered_ && servers_->health() != RedisHealth::up) queue_.let_wait();
  const auto now = SteadyClock::now();
  while (queue_.has_new()) {
    auto* const lane = free_lane();
    if (lane == nullptr) break;  // the next answer frees a lane
    auto batch = queue_.take_new(kMaxSums, !numbered_, now);
    if (!batch.keys.empty()) start(*lane, std::move(batch));
  }
  arm();
}

void Settler::send_waiting() {
  const auto now = SteadyClock::now();
  while (queue_.has_waiting() && failures_left_ > 0 && !stopped_) {
    auto* const lane = free_lane();
    if (lane == nullptr) return;
    auto batch = queue_.take_waiting(kMaxSums, !numbered_, now);
    if (!batch.keys.empty()) start(*lane, std::move(batch));
  }
}

void Settler::send_again() {
  const auto now = SteadyClock::now();
  for (auto& lane : lanes_) {
    if (!lane.again || lane.busy || failures_left_ == 0) continue;
    auto batch = *std::exchange(lane.again, std::nullopt);
    if (now - lane.sent_at >= kLatest) {
      queue_.lost(batch);
      continue;
    }
    queue_.drop_expired(batch, now);
    if (!batch.keys.empty()) start(lane, std::move(batch));
  }
}

/// After the stop: sends one batch after another, each once.
void Settler::send_rest() {
  const auto now = SteadyClock::now();
  for (auto* lane = free_lane(); lane != nullptr && (queue_.has_new() || queue_.has_waiting()); lane = free_lane()) {
    auto batch =
        queue_.has_new() ? queue_.take_new(kMaxSums, !numbered_, now) : queue_.take_waiting(kMaxSums, !numbered_, now);
    if (!batch.keys.empty()) start(*lane, std::move(batch));
  }
}

Settler::Lane* Settler::free_lane() noexcept {
  const auto found = std::ranges::find_if(lanes_, [](const Lane& lane) { return !lane.busy && !lane.again; });
  return found == lanes_.end() ? nullptr : &*found;
}

void Settler::start(Lane& lane, limit::SettleBatch batch) {
  lane.busy = true;
  if (!batch.maybe_applied) {
    ++lane.number;
    lane.refusals = 0;
    lane.sent_at = SteadyClock::now();
  }
  const bool outer = std::exchange(starting_, true);
  spawn(send(shared_from_this(), lane, std::move(batch)), "settlement");
  starting_ = outer;
}

Task<void> Settler::send(std::shared_ptr<Settler> self, Lane& lane, limit::SettleBatch batch) {
  std::vector<limit::Check> checks;
  std::string key;
  if (self->numbered_)
    checks.push_back(limit::batch_check(lane.rule, lane.number));
  else
    slot_of_key(self->prefix_, batch.keys.front().key, key);
  for (const auto& each : batch.keys)
    for (const auto& sum : each.sums)
      checks.push_back({.rule = sum.rule.get(), .key = each.key, .hash = sum.hash, .cost = sum.cost, .how = sum.how});
  std::vector<limit::Decision> decisions(checks.size());
  SettleQuestion question(checks, decisions, self->prefix_);
  self->calls_->begun();
  auto call = self->servers_->ask(question, key);
  const auto answer = co_await call;
  if (answer.has_value()) self->local_->given_back(checks);
  self->ended(lane, std::move(batch), answer, question.sent());
  self->calls_->ended();
}

// A batch that Redis did not apply now was applied before.
void Settler::ended(Lane& lane, limit::SettleBatch&& batch, const Result<bool>& answer, bool was_sent) {
  lane.busy = false;
  if (answer.has_error()) {
    failed(lane, std::move(batch), answer.error(), was_sent);
  } else {
    for (const auto& key : batch.keys)
      for (const auto& sum : key.sums) settled_.fetch_add(sum.count, std::memory_order_relaxed);
    queue_.settled(batch);
  }
  if (starting_) return;  // the call ended at once, and the loop that started it goes on
  if (stopped_) {
    send_rest();
  } else {
    if (queue_.has_new() && !gathering_) send_new();
    if (answer.has_value()) send_waiting();
    arm();
  }
  publish();
}

void Settler::failed(Lane& lane, limit::SettleBatch&& batch, error_code why, bool was_sent) {
  if (failures_left_ > 0) --failures_left_;
  // An error reply says that the script did not run, but nothing about earlier calls with the same number.
  batch.maybe_applied = batch.maybe_applied || (was_sent && why != Errc::refused_by_server);
  if (stopped_) {
    queue_.lost(batch);
  } else if (!batch.maybe_applied) {
    limit::SettleBatch hopeless;
    std::erase_if(batch.keys, [&](limit::SettledKey& key) {
      if (!is_refused_for_good(key.refusals, why)) return false;
      hopeless.keys.push_back(std::move(key));
      return true;
    });
    queue_.lost(hopeless);
    queue_.put_back(std::move(batch));
  } else if (!numbered_ || is_refused_for_good(lane.refusals, why)) {
    queue_.lost(batch);
  } else {
    lane.again = std::move(batch);
  }
}

/// Returns whether a server that works has refused often enough. Other errors are those of an outage.
bool Settler::is_refused_for_good(unsigned& refusals, error_code why) const noexcept {
  if (why != Errc::refused_by_server && why != Errc::bad_reply) return false;
  return servers_->health() == RedisHealth::up && ++refusals >= kMaxRefusals;
}

void Settler::arm() {
  const bool again = std::ranges::any_of(lanes_, [](const Lane& lane) { return lane.again.has_value(); });
  if (armed_ || stopped_ || (!again && !queue_.has_waiting())) return;
  armed_ = true;
  retry_timer_.expires_after(kRetry);
  retry_timer_.async_wait([self = shared_from_this()](error_code ec) {
    self->armed_ = false;
    if (!ec && !self->stopped_) self->tick();
  });
}

void Settler::tick() {
  if (++ticks_ % kTicksOfSweep == 0) queue_.sweep(SteadyClock::now());
  // While a cluster is down a part of it may be reachable, so settlements are tried now and then.
  if (servers_->health() == RedisHealth::up || (!numbered_ && ticks_ % kTicksWhileAway == 0)) {
    failures_left_ = static_cast<unsigned>(lanes_.size());
    send_again();
    if (!gathering_) send_new();
    send_waiting();
  }
  arm();
  publish();
}

void Settler::stop() {
  if (std::exchange(stopped_, true)) return;
  gather_timer_.cancel();
  retry_timer_.cancel();
  failures_left_ = static_cast<unsigned>(lanes_.size());
  send_again();
  send_rest();
  publish();
}

Outstanding Settler::outstanding() const {
  Outstanding out;
  out.settlements = settlements_.load(std::memory_order_relaxed);
  out.permits = permits_.load(std::memory_order_relaxed);
  if (const auto oldest = oldest_.load(std::memory_order_relaxed); oldest != 0)
    out.oldest = Time(SteadyClock::duration(oldest));
  return out;
}

std::map<std::string, std::uint64_t> Settler::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void Settler::publish() {
  const auto amount = queue_.outstanding();
  settlements_.store(amount.settlements, std::memory_order_relaxed);
  permits_.store(amount.permits, std::memory_order_relaxed);
  const auto oldest = queue_.oldest();
  oldest_.store(oldest ? oldest->time_since_epoch().count() : 0, std::memory_order_relaxed);
  report_lost();
}

void Settler::report_lost() {
  if (!queue_.has_lost()) return;
  for (const auto& [limit, amount] : queue_.take_lost()) {
    {
      const std::lock_guard lock(mutex_);
      lost_[limit] += amount.settlements;
    }
    if (gate_.pass(SteadyClock::now()))
      observe::event(
          observe::LogLevel::warning, "settlements_lost", {},
          {{"limit", limit}, {"settlements", amount.settlements}, {"permits", amount.permits}, gate_.left_out()});
  }
}

}  // namespace headgate::redis
