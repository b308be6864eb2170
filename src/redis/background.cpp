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

constexpr std::size_t kMostAgain = 1024;

bool gives_back(std::span<const limit::Ask> asks) noexcept {
  return std::ranges::any_of(asks, [](const limit::Ask& ask) { return ask.cost < 0; });
}

/// Whether saying it again can do no harm. A call that was lost with its connection may have been counted: to charge
/// twice is unkind, to give back twice is one too many.
bool may_be_repeated(std::span<const limit::Ask> asks, error_code why) noexcept {
  return why == Errc::overloaded || (why == Errc::unavailable && !gives_back(asks));
}

/// A counter of one permit beside that of `rule`, for one charge: who takes it is the first to say so. Kept for longer
/// than most outages, and not for ever.
limit::Rule one_time(const limit::Rule& rule, std::string_view token) {
  limit::Rule once;
  once.limit = rule.limit;
  once.rate = {1, std::chrono::minutes(10)};
  once.burst = 1;
  once.algorithm = limit::find_algorithm("token_bucket");
  once.suffix.append(rule.suffix).append(":charged:").append(token);
  return once;
}

}  // namespace

Background::Background(boost::asio::io_context& loop, std::shared_ptr<Servers> servers,
                       std::shared_ptr<limit::Local> local, std::shared_ptr<Waiters> waiters)
    : servers_(std::move(servers)),
      local_(std::move(local)),
      waiters_(std::move(waiters)),
      timer_(loop.get_executor()) {}

void Background::refill() {
  while (const auto errand = local_->leases().next_refill(Clock::now()))
    spawn(fetch(shared_from_this(), *errand), "refill of a lease");
}

Task<void> Background::fetch(std::shared_ptr<Background> self, limit::Leases::Errand errand) {
  std::array<limit::Verdict, 1> verdicts;
  const auto asked = Clock::now();
  ++self->under_way_;
  auto call = self->servers_->decide({&errand.ask, 1}, verdicts);
  const auto agreed = co_await call;
  using Answer = limit::Local::Answer;
  const auto answer = agreed.has_error() ? Answer::none : *agreed ? Answer::agreed : Answer::refused;
  self->local_->fetched(errand, answer, verdicts[0], asked, Clock::now());
  self->waiters_->wake(errand.lease, agreed.has_error() ? agreed.error() : error_code());
  if (self->stopped_) self->end_leases();
  self->ended();
}

void Background::refund(std::size_t most) {
  while (under_way_ < most) {
    const auto errand = local_->leases().next_refund();
    if (!errand) return;
    spawn(give_back(shared_from_this(), *errand), "refund of a lease");
  }
}

Task<void> Background::give_back(std::shared_ptr<Background> self, limit::Leases::Errand errand) {
  std::array<limit::Verdict, 1> verdicts;
  ++self->under_way_;
  auto call = self->servers_->decide({&errand.ask, 1}, verdicts);
  const auto answer = co_await call;
  if (answer.has_value())
    self->refunded_.fetch_add(static_cast<std::uint64_t>(-errand.ask.cost), std::memory_order_relaxed);
  self->local_->given_back({&errand.ask, 1});
  self->local_->leases().refunded(errand.lease);
  self->ended();
}

bool Background::settle(std::span<const limit::Ask> asks) {
  bool taken = true;
  while (asks.size() > limit::kMaxRulesPerRequest) {
    taken = settle(asks.first(limit::kMaxRulesPerRequest)) && taken;
    asks = asks.subspan(limit::kMaxRulesPerRequest);
  }
  if (asks.empty()) return taken;
  if (stopped_ || under_way_ >= kMostUnderWay) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  auto settlement = std::make_unique<Settlement>();
  std::size_t bytes = 0;
  for (const auto& ask : asks) bytes += ask.subject.size();
  settlement->subjects.reserve(bytes);  // the views into it stay
  settlement->asks.assign(asks.begin(), asks.end());
  settlement->rules.reserve(asks.size());
  for (auto& ask : settlement->asks) {
    settlement->rules.push_back(rules_.of(*ask.rule));
    ask.rule = settlement->rules.back().get();
    const auto at = settlement->subjects.size();
    settlement->subjects.append(ask.subject);
    ask.subject = std::string_view(settlement->subjects).substr(at);
  }
  start(std::move(settlement));
  return taken;
}

void Background::start(std::unique_ptr<Settlement> settlement) {
  spawn(say(shared_from_this(), std::move(settlement)), "settlement");
}

Task<void> Background::say(std::shared_ptr<Background> self, std::unique_ptr<Settlement> settlement) {
  std::vector<limit::Verdict> verdicts(settlement->asks.size());
  ++self->under_way_;
  auto call = self->servers_->decide(settlement->asks, verdicts);
  const auto answer = co_await call;
  self->local_->given_back(settlement->asks);
  if (answer.has_value()) {
    self->settled_.fetch_add(1, std::memory_order_relaxed);
  } else if (!self->stopped_ && !settlement->repeated && self->again_.size() < kMostAgain &&
             may_be_repeated(settlement->asks, answer.error())) {
    settlement->repeated = true;
    self->again_.push_back(std::move(settlement));
    self->arm();
  } else {
    self->dropped_.fetch_add(1, std::memory_order_relaxed);
  }
  self->ended();
}

// All or nothing does it: where the permit of this charge is gone, the charge has been made, and is not made again.
Task<error_code> Background::charge(std::shared_ptr<Background> self, limit::Ask owed, std::string token) {
  if (self->stopped_) co_return Errc::stopped;
  const limit::Rule once = one_time(*owed.rule, token);
  const std::array<limit::Ask, 2> asks{limit::Ask{&once, owed.subject, {}, 1, limit::How::take}, owed};
  std::array<limit::Verdict, 2> verdicts;
  ++self->under_way_;
  auto call = self->servers_->decide(asks, verdicts);
  const auto answer = co_await call;
  if (answer.has_value() && *answer)
    self->charged_.fetch_add(static_cast<std::uint64_t>(owed.cost), std::memory_order_relaxed);
  self->ended();
  co_return answer.has_error() ? answer.error() : error_code();
}

void Background::ended() {
  if (--under_way_ == 0 && stopped_) servers_->stop();
}

void Background::arm() {
  if (stopped_) return end_leases();  // a call that was under way brought one
  if (armed_) return;
  armed_ = true;
  timer_.expires_after(limit::Leases::kSweep);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    self->armed_ = false;
    if (!ec && !self->stopped_) self->tick();
  });
}

void Background::tick() {
  local_->leases().sweep(Clock::now());
  refund(kMostUnderWay);
  for (auto& settlement : std::exchange(again_, {})) start(std::move(settlement));
  if (!local_->leases().empty() || !again_.empty()) arm();
}

void Background::stop() {
  if (std::exchange(stopped_, true)) return;
  timer_.cancel();
  dropped_.fetch_add(std::exchange(again_, {}).size(), std::memory_order_relaxed);
  ++under_way_;  // nothing that ends at once ends all
  end_leases();
  ended();
}

void Background::end_leases() {
  local_->leases().end_all(Clock::now());
  refund(std::numeric_limits<std::size_t>::max());
}

void Background::halt() {
  stop();
  servers_->stop();
}

}  // namespace headgate::redis
