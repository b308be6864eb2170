#include "headgate/gateway/active_exchange.hpp"

#include "headgate/gateway/delay.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/observe/event.hpp"

#include <string>

namespace headgate::gateway {

namespace {

constexpr unsigned kSwitched = 101;  // the status of a tunnel

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& bug) {
    return bug.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

}  // namespace

bool take_drain_place(Exchange& x) noexcept {
  constexpr unsigned kMaxDrained = 1'000;  // of each worker
  if (x.drained_now == nullptr) return false;
  if (!x.drained && *x.drained_now < kMaxDrained) {
    ++*x.drained_now;
    x.drained = true;
  }
  return x.drained;
}

/// The exception's text is only logged. The client gets a fixed sentence.
Task<void> answer_bug(Handler& handler, Exchange& x, std::exception_ptr thrown) {
  observe::event(observe::LogLevel::error, "bug", "an unexpected exception occurred in this gateway",
                 {{"task", "exchange"}, {"what", text_of(thrown)}});
  x.attempt = nullptr;  // the attempt and the other objects were in frames that no longer exist
  x.delay = nullptr;
  const Problem problem{
      .status = 500, .ended_by = EndedBy::bug, .detail = "An internal error occurred in this gateway."};
  co_await send_problem(x, problem, RejectionHeaders::none);
  handler.refused(x);
}

bool ActiveExchange::ends_with_client() const noexcept {
  if (!x_) return false;
  if (x_->delay != nullptr && x_->delay->waits_for() != Delay::For::auth) return true;
  return x_->route != nullptr && x_->route->client_close == ClientClose::end && x_->status != kSwitched;
}

std::uint64_t ActiveExchange::min_rate() const noexcept {
  return x_ && x_->route != nullptr && x_->status != kSwitched ? x_->route->min_rate : 0;
}

ActiveExchange::Server ActiveExchange::end_early(Because because) noexcept {
  if (!x_) return {};
  x_->client_gone = true;
  if (because == Because::broken_off) x_->broken_off = BrokenOff::drain;
  if (because == Because::operator_) x_->broken_off = BrokenOff::operator_;
  if (x_->delay) x_->delay->end();
  if (x_->attempt == nullptr || (because == Because::client_gone && take_drain_place(*x_))) return {};
  return {x_->snapshot, x_->attempt};
}

void ActiveExchange::last_of_connection() noexcept {
  static constexpr bool kDraining = true;
  if (x_) x_->draining = &kDraining;
}

}  // namespace headgate::gateway
