#include "retry.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

using upstream::Failed;

std::optional<RetryReason> named(bool on, RetryReason reason) { return on ? std::optional(reason) : std::nullopt; }

bool may_repeat(const Attempted& so_far) noexcept { return so_far.idempotent && so_far.held && !so_far.answer_began; }

}  // namespace

bool is_idempotent(std::string_view method) noexcept {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS" ||
         method == "TRACE";
}

std::optional<RetryReason> reason_to_retry(const Retry& retry, Failed failed, const Attempted& so_far) {
  if (so_far.attempts >= retry.attempts || so_far.answer_began) return std::nullopt;
  switch (failed) {
    case Failed::no_connection:
    case Failed::connect_timeout:
    case Failed::handshake:
      return named(retry.on_connect_error, RetryReason::connect_error);
    case Failed::reply_timeout:
      return named(retry.on_timeout && may_repeat(so_far), RetryReason::timeout);
    case Failed::sending:
    case Failed::closed:
      return named(retry.on_closed && may_repeat(so_far), RetryReason::closed);
    case Failed::untrusted:       // another attempt would find the same certificate
    case Failed::malformed:       // the server may have processed the request, and would process it again
    case Failed::head_too_large:  // as `malformed`
    case Failed::full:            // another attempt would find no free place either
    case Failed::own_want:        // another attempt would find no descriptor either
    case Failed::deadline:        // no client waits for another attempt
      break;
  }
  return std::nullopt;
}

std::optional<RetryReason> reason_to_retry(const Retry& retry, unsigned status, const Attempted& so_far) {
  const bool listed = std::binary_search(retry.statuses.begin(), retry.statuses.end(), status);
  return named(listed && so_far.attempts < retry.attempts && may_repeat(so_far), RetryReason::status);
}

std::optional<RetryReason> reason_to_retry(const Retry& retry, observe::GrpcStatus status, const Attempted& so_far) {
  const bool named_one =
      status < observe::GrpcStatus::other && (retry.grpc_statuses >> static_cast<unsigned>(status) & 1);
  return named(named_one && so_far.attempts < retry.attempts && so_far.held && !so_far.answer_began,
               RetryReason::status);
}

std::optional<Duration> back_off(const Attempted& so_far, double dice, std::optional<Duration> asked) {
  auto most = kFirstBackOff;
  for (unsigned i = 1; i < so_far.attempts && most < kLongestBackOff; ++i) most *= 2;
  auto pause = std::chrono::duration_cast<Duration>(std::min(most, kLongestBackOff) * dice);
  if (asked) pause = std::max(pause, *asked);
  return pause < so_far.left ? std::optional(pause) : std::nullopt;
}

upstream::Failure broken_off(const error_code& cause) noexcept {
  const bool late = cause == boost::asio::error::timed_out;
  // Over TLS a close alone does not show that the answer is complete, because anyone on the network path can close the
  // connection.
  const bool unannounced = cause == boost::asio::error::connection_aborted;
  // a client that has left is also a cause of this error, but it gets no answer
  const bool taken_down = cause == boost::asio::error::operation_aborted;
  return {.what = late ? Failed::reply_timeout : Failed::closed,
          .cause = cause,
          .why = late          ? "it was silent for too long during its answer"
                 : taken_down  ? upstream::kTakenDown
                 : unannounced ? "it closed without the close_notify of TLS, so its answer may be cut off"
                               : ""};
}

}  // namespace headgate::gateway
