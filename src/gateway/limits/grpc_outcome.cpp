#include "grpc_outcome.hpp"

#include "gateway/grpc/grpc_call.hpp"
#include "settle.hpp"
#include "unanswered.hpp"

#include "headgate/balance/outcome.hpp"

#include <array>

namespace headgate::gateway {

using observe::GrpcStatus;

unsigned http_status_of(GrpcStatus status) noexcept {
  constexpr std::array<unsigned, 17> kStatuses{200, 499, 500, 400, 504, 404, 409, 403, 429,
                                               400, 409, 400, 501, 500, 503, 500, 401};
  if (status == GrpcStatus::none) return 0;
  return status == GrpcStatus::other ? 500 : kStatuses[static_cast<std::size_t>(status)];
}

void note_grpc_head(Exchange& x) noexcept {
  x.grpc_answer = is_grpc_type(http::value_of(x.answer.fields, http::Known::content_type));
  const bool may_have = x.grpc_answer || is_grpc_for_server(x);
  x.grpc_status = may_have ? grpc_status_in(http::value_of(x.answer.fields, kGrpcStatus)) : GrpcStatus::none;
}

bool note_grpc_trailers(Exchange& x, const http::Fields& trailers) {
  if (x.grpc_status != GrpcStatus::none) return false;
  x.grpc_status = grpc_status_in(http::value_of(trailers, kGrpcStatus));
  if (x.grpc_status == GrpcStatus::none) return false;
  x.unanswered = tells_nothing(x, http_status_of(x.grpc_status));
  if (x.route->takes(Step::settle)) note_late_status(x, http_status_of(x.grpc_status));
  return says_that_server_failed(x);
}

std::optional<unsigned> status_that_counts(const Exchange& x) noexcept {
  if (x.grpc_answer && x.grpc_status == GrpcStatus::none) return std::nullopt;
  const auto status = x.grpc_status != GrpcStatus::none ? http_status_of(x.grpc_status) : x.answer.status;
  return tells_nothing(x, status) ? std::nullopt : std::optional(status);
}

unsigned status_at_end(const Exchange& x) noexcept {
  constexpr unsigned kOk = 200;
  return x.status == kOk && x.grpc_status != GrpcStatus::none ? http_status_of(x.grpc_status) : x.status;
}

bool says_that_server_failed(const Exchange& x) noexcept {
  return x.grpc_status == GrpcStatus::none ? balance::is_failure(x.answer.status)
                                           : x.grpc_status == GrpcStatus::unavailable;
}

}  // namespace headgate::gateway
