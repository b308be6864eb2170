#include "head_wait.hpp"

#include <algorithm>

namespace headgate::gateway {

using upstream::Failed;
using upstream::Failure;

// This function is not a coroutine, because most answers need no frame for it.
Task<Result<void, Failure>> HeadWait::next() { return deadline_ ? of_deadline() : of_route(); }

Task<Result<void, Failure>> HeadWait::of_route() {
  if (body_.running()) return beside_body();
  if (tries_ != nullptr && tries_->held()) return of_try();
  return server_.read_head(x_.answer, deadline_.most());
}

Task<Result<void, Failure>> HeadWait::of_deadline() {
  auto head = co_await of_route();
  if (head.has_error() && head.error().what == Failed::reply_timeout && deadline_.over())
    co_return GrpcDeadline::failure();
  co_return head;
}

bool HeadWait::late(const Head& head) const {
  return head.has_error() && head.error().what == Failed::reply_timeout && !deadline_.over();
}

/// Waits for the head within the time of one attempt. An attempt that takes longer is cancelled only if another attempt
/// follows; otherwise the wait continues.
Task<Result<void, Failure>> HeadWait::of_try() {
  auto head = co_await server_.read_head(x_.answer, std::min(tries_->patience(), deadline_.most()));
  if (!late(head) || tries_->again(head.error())) co_return head;
  const auto left = std::min(tries_->left(), deadline_.most());
  if (left > Duration(0)) head = co_await server_.read_head(x_.answer, left);
  co_return head;
}

Task<Result<void, Failure>> HeadWait::beside_body() {
  auto wait = deadline_.most();
  while (true) {
    auto head = co_await server_.read_head(x_.answer, wait);
    if (!late(head)) co_return head;
    if (body_.running()) {
      wait = deadline_.most();
      continue;
    }
    const auto since = std::chrono::duration_cast<Duration>(x_.clock->steady() - std::max(sent_at_, body_.ended_at()));
    if (since >= x_.route->timeout) co_return head;
    wait = std::min(x_.route->timeout - since, deadline_.most());
  }
}

}  // namespace headgate::gateway
