#include "headgate/redis/limiter.hpp"

#include "background.hpp"
#include "redis/servers/servers.hpp"
#include "redis/shared/forget.hpp"
#include "room_question.hpp"
#include "waiters.hpp"

#include "headgate/core/time.hpp"
#include "headgate/limit/local.hpp"
#include "headgate/redis/errors.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>

namespace headgate::redis {

using Step = limit::Local::Step;
using Answer = limit::Local::Answer;

namespace {

std::uint64_t random_number() {
  std::random_device device;
  return device() | std::uint64_t{device()} << 32U;
}

}  // namespace

struct SharedLimiter::State {
  State(boost::asio::io_context& loop, const RedisOptions& options, const std::function<std::uint32_t()>& sharers)
      : patience(options.timeout / 2),
        prefix(options.key_prefix),
        servers(Servers::make(loop, options)),
        local(
            std::make_shared<limit::Local>(limit::LeaseOptions{.sharers = sharers(), .seed = std::random_device()()})),
        waiters(std::make_shared<Waiters>(loop)),
        background(std::make_shared<Background>(loop, options, random_number(), servers, local, waiters, sharers)),
        pauses(std::make_shared<ForgetPauses>(ForgetPauses{.executor = loop.get_executor()})) {}

  static Task<Result<bool>> check(std::shared_ptr<State> state, std::span<const limit::Check> checks,
                                  std::span<limit::Decision> decisions);

  Duration patience;   ///< after this time no call may start, because it may take a whole deadline
  std::string prefix;  ///< prefix of keys in Redis
  std::shared_ptr<Servers> servers;
  std::shared_ptr<limit::Local> local;
  std::shared_ptr<Waiters> waiters;
  std::shared_ptr<Background> background;
  std::shared_ptr<ForgetPauses> pauses;
  bool stopped = false;
};

namespace {

Result<bool> failed_with(error_code why) { return Result<bool>(boost::system::in_place_error, why); }

/// Returns a function that returns the number of limiters that may lease one key: the gateways that exist, each with as
/// many workers as this one.
std::function<std::uint32_t()> sharers_of(const RedisOptions& options, GatewaysSeen seen) {
  return [least = options.instances, workers = options.workers, seen = std::move(seen)] {
    return std::max(least, seen ? seen() : 0U) * workers;
  };
}

Answer answer_of(const Result<bool>& result) {
  return result.has_error() ? Answer::none : *result ? Answer::agreed : Answer::rejected;
}

/// A guard for an active call. Other requests may wait for the leases that the call fetches; the guard always wakes
/// them when the call ends, even if the task of the calling request is destroyed.
class UnderWay {
 public:
  UnderWay(limit::Local& local, Waiters& waiters, limit::PendingDecision& pending)
      : local_(local), waiters_(waiters), attempt_(pending) {}
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() {
    if (ended_) return;
    local_.abandon(attempt_);
    wake({});
  }

  Step end(Answer answer, error_code why) {
    const auto step = local_.end(attempt_, answer, SteadyClock::now());
    if (step == Step::check) return step;
    ended_ = true;
    wake(why);
    return step;
  }

 private:
  void wake(error_code why) {
    for (const auto lease : attempt_.refilled()) waiters_.wake(lease, why);
  }

  limit::Local& local_;
  Waiters& waiters_;
  limit::PendingDecision& attempt_;
  bool ended_ = false;
};

}  // namespace

/// Makes a decision that needs a call or a wait. Keeps `state` alive, because the request may drop the limiter
/// meanwhile.
Task<Result<bool>> SharedLimiter::State::check(std::shared_ptr<State> state, std::span<const limit::Check> checks,
                                               std::span<limit::Decision> decisions) {
  limit::PendingDecision pending(checks, decisions);
  const auto patient_until = SteadyClock::now() + state->patience;
  auto step = state->local->begin(pending, SteadyClock::now());
  bool waited = false;
  while (step == Step::wait) {
    waited = true;
    LeaseWaiter waiter(*state->waiters, pending.awaited());
    if (const auto why = co_await waiter) co_return failed_with(why);
    if (SteadyClock::now() >= patient_until) pending.wait_no_longer();
    step = state->local->begin(pending, SteadyClock::now());
  }
  const bool peek = limit::is_peek(checks);
  if (step != Step::check) {
    if (!peek) state->background->look_after_leases();
    co_return step == Step::allowed;
  }
  UnderWay under_way(*state->local, *state->waiters, pending);
  // permits are given back before a peek as well, because the decision that follows must find them in Redis
  state->background->give_back_first(pending.sent());
  if (waited && SteadyClock::now() >= patient_until)
    co_return failed_with(Errc::timed_out);  // another call would take too long
  for (;;) {
    auto call = state->servers->decide(pending.sent(), pending.told());
    const auto result = co_await call;
    step = under_way.end(answer_of(result), result.has_error() ? result.error() : error_code());
    if (step == Step::check && SteadyClock::now() >= patient_until) {
      under_way.end(Answer::none, Errc::timed_out);
      co_return failed_with(Errc::timed_out);
    }
    if (step == Step::check) continue;
    if (!peek) state->background->look_after_leases();
    if (result.has_error()) co_return failed_with(result.error());
    co_return *result;
  }
}

SharedLimiter::SharedLimiter(boost::asio::io_context& loop, const RedisOptions& options, GatewaysSeen seen)
    : state_(std::make_shared<State>(loop, options, sharers_of(options, std::move(seen)))) {}

SharedLimiter::~SharedLimiter() {
  stop();
  state_->background->halt();
}

Task<Result<bool>> SharedLimiter::decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) {
  if (checks.empty()) co_return true;
  if (const auto here = decide_here(checks, decisions)) co_return *here;
  if (state_->stopped) co_return failed_with(Errc::stopped);
  const bool countable = checks.size() <= limit::kMaxRulesPerRequest;
  auto answer = countable ? State::check(state_, checks, decisions) : state_->servers->decide(checks, decisions);
  co_return co_await answer;
}

std::optional<bool> SharedLimiter::decide_here(std::span<const limit::Check> checks,
                                               std::span<limit::Decision> decisions) {
  if (state_->stopped) return {};
  const auto decision = state_->local->decide(checks, SteadyClock::now(), decisions);
  if (decision && !limit::is_peek(checks)) state_->background->look_after_leases();
  return decision;
}

Duration SharedLimiter::known_wait(const limit::Check& check) const {
  return state_->local->rejections().wait(check, SteadyClock::now());
}

bool SharedLimiter::settle(std::span<const limit::Check> checks, std::span<const Duration> held_for) {
  return state_->background->settle(checks, held_for);
}

Task<error_code> SharedLimiter::charge(const limit::Check& owed, std::string_view token) {
  return Background::charge(state_->background, owed, std::string(token));
}

Task<Result<room::Answer>> SharedLimiter::ask(const room::RoomRule& rule, const room::Question& question) {
  if (state_->stopped) co_return Result<room::Answer>(boost::system::in_place_error, Errc::stopped);
  const auto servers = state_->servers;  // the request may drop the limiter meanwhile
  const auto prefix = state_->prefix;
  const auto key = room::room_key(prefix, rule.name);
  RoomQuestion asked(rule, question, prefix);
  auto call = servers->ask(asked, key);
  const auto result = co_await call;
  if (result.has_error()) co_return Result<room::Answer>(boost::system::in_place_error, result.error());
  co_return asked.answer;
}

Task<Result<ForgetResult>> SharedLimiter::forget(std::string name, std::string from, Duration patience) {
  return forget_limit(state_->servers, state_->pauses, state_->prefix, std::move(name), std::move(from),
                      SteadyClock::now() + patience);
}

SteadyClock::time_point SharedLimiter::recovering_until() const noexcept { return state_->servers->recovering_until(); }

RedisHealth SharedLimiter::health() const noexcept { return state_->servers->health(); }
Counters SharedLimiter::counters() const { return state_->servers->counters(); }
std::vector<NodeStatus> SharedLimiter::nodes() const { return state_->servers->nodes(); }

LocalCounters SharedLimiter::local() const {
  return {.rejected = state_->local->rejected(),
          .leased = state_->local->leased(),
          .refunded = state_->background->refunded(),
          .settled = state_->background->settled(),
          .charged = state_->background->charged(),
          .lost = state_->background->settler().lost()};
}

Outstanding SharedLimiter::outstanding() const { return state_->background->settler().outstanding(); }

void SharedLimiter::stop() {
  if (std::exchange(state_->stopped, true)) return;
  state_->waiters->wake_all(Errc::stopped);
  state_->background->stop();
  state_->pauses->stop();
}

}  // namespace headgate::redis
