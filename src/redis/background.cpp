#include "background.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

namespace headgate::redis {
namespace {

constexpr std::size_t kMaxAgain = 1024;

bool gives_back(std::span<const limit::Check> checks) noexcept {
  return std::ranges::any_of(checks, [](const limit::Check& check) { return check.cost < 0 && check.token.empty(); });
}

/// Returns whether the call may be made a second time. Redis may have counted a call that was lost with its connection.
/// In that case, a charge may count twice, but a give-back must not.
bool may_be_repeated(std::span<const limit::Check> checks, error_code why) noexcept {
  return why == Errc::overloaded || (why == Errc::unavailable && !gives_back(checks));
}

/// Returns a rule with a single permit for one charge, whose counter is stored next to that of `rule`. Only the first
/// call with this token can take the permit. The counter is kept longer than most outages last.
limit::Rule one_time(const limit::Rule& rule, std::string_view token) {
  limit::Rule once;
  once.limit = rule.limit;
  once.rate = {1, std::chrono::minutes(10)};
  once.burst = 1;
  once.algorithm = limit::find_algorithm(limit::kDefaultAlgorithm);
  once.suffix.append(rule.suffix).append(":charged:").append(token);
  return once;
}

}  // namespace

Background::Background(boost::asio::io_context& loop, const RedisOptions& options, std::uint64_t sender,
                       std::shared_ptr<Servers> servers, std::shared_ptr<limit::Local> local,
                       std::shared_ptr<Waiters> waiters, std::function<std::uint32_t()> sharers)
    : servers_(std::move(servers)),
      local_(std::move(local)),
      waiters_(std::move(waiters)),
      calls_(std::make_shared<ActiveCalls>(servers_)),
      settler_(std::make_shared<Settler>(loop, options, sender, servers_, local_, calls_)),
      sharers_(std::move(sharers)),
      timer_(loop.get_executor()) {}

void Background::refill() {
  while (const auto refill = local_->leases().next_refill(SteadyClock::now()))
    spawn(fetch(shared_from_this(), *refill), "refill of a lease");
}

Task<void> Background::fetch(std::shared_ptr<Background> self, limit::Leases::PendingRefill refill) {
  std::array<limit::Decision, 1> decisions;
  const auto asked = SteadyClock::now();
  self->calls_->begun();
  auto call = self->servers_->decide({&refill.check, 1}, decisions);
  const auto agreed = co_await call;
  using Answer = limit::Local::Answer;
  const auto answer = agreed.has_error() ? Answer::none : *agreed ? Answer::agreed : Answer::rejected;
  self->local_->fetched(refill, answer, decisions[0], asked, SteadyClock::now());
  self->waiters_->wake(refill.lease, agreed.has_error() ? agreed.error() : error_code());
  if (self->stopped_) self->end_leases();
  self->calls_->ended();
}

void Background::refund(std::size_t most) {
  while (calls_->count() < most) {
    const auto refill = local_->leases().next_refund();
    if (!refill) return;
    spawn(give_back(shared_from_this(), *refill), "refund of a lease");
  }
}

Task<void> Background::give_back(std::shared_ptr<Background> self, limit::Leases::PendingRefill refill) {
  std::array<limit::Decision, 1> decisions;
  self->calls_->begun();
  auto call = self->servers_->decide({&refill.check, 1}, decisions);
  const auto answer = co_await call;
  if (answer.has_value())
    self->refunded_.fetch_add(static_cast<std::uint64_t>(-refill.check.cost), std::memory_order_relaxed);
  self->local_->given_back({&refill.check, 1});
  self->local_->leases().refunded(refill.lease, answer.has_value() ? decisions.data() : nullptr);
  if (self->stopped_) self->end_leases();  // a refill that ended after the stop has waited for this refund
  self->calls_->ended();
}

bool Background::settle(std::span<const limit::Check> checks, std::span<const Duration> held_for) {
  if (Settler::accepts(checks)) return settler_->settle(checks, held_for);
  bool taken = true;
  while (checks.size() > limit::kMaxRulesPerRequest) {
    taken = settle(checks.first(limit::kMaxRulesPerRequest), {}) && taken;
    checks = checks.subspan(limit::kMaxRulesPerRequest);
  }
  if (checks.empty()) return taken;
  if (stopped_ || calls_->count() >= kMaxUnderWay) return false;
  auto settlement = std::make_unique<Settlement>();
  std::size_t bytes = 0;
  for (const auto& check : checks) bytes += check.key.size() + check.token.size();
  settlement->keys.reserve(bytes);  // prevents a reallocation, so that views into it stay valid
  settlement->checks.assign(checks.begin(), checks.end());
  settlement->rules.reserve(checks.size());
  for (auto& check : settlement->checks) {
    settlement->rules.push_back(rules_.of(*check.rule));
    check.rule = settlement->rules.back().get();
    auto at = settlement->keys.size();
    settlement->keys.append(check.key);
    check.key = std::string_view(settlement->keys).substr(at);
    at = settlement->keys.size();
    settlement->keys.append(check.token);
    check.token = std::string_view(settlement->keys).substr(at);
  }
  start(std::move(settlement));
  return taken;
}

void Background::start(std::unique_ptr<Settlement> settlement) {
  spawn(say(shared_from_this(), std::move(settlement)), "settlement");
}

Task<void> Background::say(std::shared_ptr<Background> self, std::unique_ptr<Settlement> settlement) {
  std::vector<limit::Decision> decisions(settlement->checks.size());
  self->calls_->begun();
  auto call = self->servers_->decide(settlement->checks, decisions);
  const auto answer = co_await call;
  self->local_->given_back(settlement->checks);
  if (answer.has_value()) self->settled_.fetch_add(settlement->checks.size(), std::memory_order_relaxed);
  if (answer.has_error() && !self->stopped_ && !settlement->repeated && self->again_.size() < kMaxAgain &&
      may_be_repeated(settlement->checks, answer.error())) {
    settlement->repeated = true;
    self->again_.push_back(std::move(settlement));
    self->arm();
  }
  self->calls_->ended();
}

// The call takes all or nothing: if the permit of this charge is gone, the charge was counted before and does not count
// again.
Task<error_code> Background::charge(std::shared_ptr<Background> self, limit::Check owed, std::string token) {
  if (self->stopped_) co_return Errc::stopped;
  const limit::Rule once = one_time(*owed.rule, token);
  const std::array<limit::Check, 2> checks{limit::Check{.rule = &once, .key = owed.key, .hash = {}}, owed};
  std::array<limit::Decision, 2> decisions;
  self->calls_->begun();
  auto call = self->servers_->decide(checks, decisions);
  const auto answer = co_await call;
  if (answer.has_value() && *answer)
    self->charged_.fetch_add(static_cast<std::uint64_t>(owed.cost), std::memory_order_relaxed);
  self->calls_->ended();
  co_return answer.has_error() ? answer.error() : error_code();
}

void Background::arm() {
  if (stopped_) return end_leases();  // a call that was active has fetched a lease
  if (armed_) return;
  armed_ = true;
  timer_.expires_after(limit::Leases::kSweep);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    self->armed_ = false;
    if (!ec && !self->stopped_) self->tick();
  });
}

void Background::tick() {
  local_->leases().reckon_with(sharers_());
  local_->leases().sweep(SteadyClock::now());
  refund(kMaxUnderWay);
  for (auto& settlement : std::exchange(again_, {})) start(std::move(settlement));
  if (!local_->leases().empty() || !again_.empty()) arm();
}

void Background::stop() {
  if (std::exchange(stopped_, true)) return;
  timer_.cancel();
  again_.clear();
  calls_->begun();  // so that a call that ends at once does not stop the servers
  calls_->stop_after_last();
  end_leases();
  settler_->stop();
  calls_->ended();
}

void Background::end_leases() {
  local_->leases().end_all(SteadyClock::now());
  refund(std::numeric_limits<std::size_t>::max());
}

void Background::halt() {
  stop();
  servers_->stop();
}

}  // namespace headgate::redis
