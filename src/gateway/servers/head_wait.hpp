#pragma once
// Waits for the heads of an attempt's answer, within the time limits of the route, its retries and the caller.

#include "gateway/grpc/grpc_deadline.hpp"
#include "request_body.hpp"
#include "tries.hpp"

#include "headgate/upstream/attempt.hpp"

namespace headgate::gateway {

/// The wait of one attempt. All objects that it refers to outlive it. Worker thread only.
class HeadWait {
 public:
  /// `tries` is null if the upstream has no retries. `sent_at` is the beginning of the attempt.
  HeadWait(Exchange& x, upstream::Attempt& server, const RequestBody& body, Tries* tries, const GrpcDeadline& deadline,
           Clock::Steady sent_at) noexcept
      : x_(x), server_(server), body_(body), tries_(tries), deadline_(deadline), sent_at_(sent_at) {}

  /// Reads the next head into x.answer, interim or final. The timeout of the route counts from the end of the request;
  /// until then the body has its own timeouts.
  Task<Result<void, upstream::Failure>> next();

 private:
  using Head = Result<void, upstream::Failure>;
  Task<Head> of_route();
  Task<Head> of_deadline();
  Task<Head> of_try();
  Task<Head> beside_body();
  /// Returns whether the wait timed out but may continue.
  bool late(const Head& head) const;

  Exchange& x_;
  upstream::Attempt& server_;
  const RequestBody& body_;
  Tries* tries_;
  const GrpcDeadline& deadline_;
  Clock::Steady sent_at_;
};

}  // namespace headgate::gateway
