#include "tries.hpp"

#include "gateway/forward/forwarding_counters.hpp"
#include "gateway/grpc/grpc_call.hpp"

#include "headgate/gateway/delay.hpp"
#include "headgate/http/date.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// longer than any useful timeout of a route
constexpr Duration kLongestRetryAfter = std::chrono::hours(24);

}  // namespace

Tries::Tries(Exchange& x, const Retry& retry, upstream::RetryShare& budget, bool held)
    : x_(x),
      retry_(retry),
      budget_(budget),
      begun_(x.clock->steady()),
      idempotent_(is_idempotent(x.request.method)),
      held_(held) {
  budget_.first_attempt(begun_);
}

Duration Tries::left() const noexcept {
  const auto passed = std::chrono::duration_cast<Duration>(x_.clock->steady() - begun_);
  auto left = x_.route->timeout - passed;
  if (const auto timeout = grpc_timeout_of(x_))
    left = std::min(left, *timeout - std::chrono::duration_cast<Duration>(x_.clock->steady() - x_.started));
  return std::max(left, Duration(0));
}

Attempted Tries::so_far() const {
  return {.attempts = attempts_,
          .idempotent = idempotent_,
          .held = held_,
          .answer_began = answer_began_ || x_.reply->started(),
          .left = left()};
}

// Returns the time for the head of one attempt. If no other attempt can follow, this attempt may use all the time that
// is left.
Duration Tries::patience() const {
  const auto now = so_far();
  if (!retry_.timeout_each || !reason_to_retry(retry_, upstream::Failed::reply_timeout, now)) return now.left;
  return std::min(*retry_.timeout_each, now.left);
}

bool Tries::again(const upstream::Failure& failure) {
  if (scheduled_) return true;
  const auto reason = reason_to_retry(retry_, failure.what, so_far());
  if (!reason || !schedule(*reason, kRetryReasons[*reason], std::nullopt)) return false;
  // The adaptive limit counts the failed attempt, as it would without retries.
  if (*reason != RetryReason::closed) x_.shedding.slot.missed(x_.clock->steady());
  return true;
}

// Decides about another attempt after a gRPC answer. The server may state whether and when a retry helps
// (grpc-retry-pushback-ms).
bool Tries::again_in_grpc() {
  const auto reason = reason_to_retry(retry_, x_.grpc_status, so_far());
  if (!reason) return false;
  const auto pushback = http::value_of(x_.answer.fields, kGrpcPushback);
  std::optional<Duration> asked;
  if (!pushback.empty()) {
    asked = grpc_pushback_in(pushback);
    if (!asked) return false;
  }
  return schedule(*reason, observe::to_text(x_.grpc_status), asked);
}

bool Tries::again_after_answer() {
  if (x_.grpc_status != observe::GrpcStatus::none) return again_in_grpc();
  const auto status = x_.answer.status;
  const auto reason = reason_to_retry(retry_, status, so_far());
  if (!reason) return false;
  const auto after = http::value_of(x_.answer.fields, http::Known::retry_after);
  const auto asked = http::read_retry_after(after, x_.clock->wall(), kLongestRetryAfter);
  return schedule(*reason, x_.text.number(status), asked);
}

bool Tries::schedule(RetryReason reason, std::string_view word, std::optional<Duration> asked) {
  const auto pause = back_off(so_far(), x_.random->even(), asked);
  if (!pause) return false;
  const auto& counters = x_.snapshot->counters->of<ForwardingCounters>();
  if (!budget_.pay(x_.clock->steady(), retry_.budget)) {
    counters.retry_not_paid(x_.route->upstream);
    return false;
  }
  counters.retried(x_.route->upstream, reason);
  x_.retried = x_.retried.empty() ? word : x_.text.extend(x_.retried, {",", word});
  ++attempts_;
  pause_ = *pause;
  scheduled_ = true;
  return true;
}

Task<void> Tries::pause() {
  scheduled_ = false;
  x_.upstream_time = {};
  if (pause_ <= Duration(0) || x_.client_gone) co_return;
  Delay delay(*x_.clock, pause_, Delay::For::retry);
  x_.delay = &delay;
  co_await delay;
  x_.delay = nullptr;
}

}  // namespace headgate::gateway
