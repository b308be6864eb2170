#pragma once
// The result of a gRPC call, for rules about statuses. The HTTP status of the answer does not show the result, because
// it is always 200.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <optional>

namespace headgate::gateway {

/// Returns the HTTP status that corresponds to a gRPC status, or 0 if there is none. Source: google.rpc.Code
/// (google/rpc/code.proto of the project googleapis).
unsigned http_status_of(observe::GrpcStatus status) noexcept;

/// Records whether the server's answer in x.answer is gRPC, whatever the type of its request is. For a gRPC answer,
/// also records the status in its head, or that the status follows in the trailers. For servers reached over HTTP/2.
void note_grpc_head(Exchange& x) noexcept;

/// Records the status in the trailers of the answer if its head had none. Returns whether the status means that the
/// server failed.
bool note_grpc_trailers(Exchange& x, const http::Fields& trailers);

/// Returns the status of the server's answer in x.answer, as limits count it. Returns nothing if the status will come
/// with the trailers, or if limits do not count it (gateway/limits/unanswered.hpp).
std::optional<unsigned> status_that_counts(const Exchange& x) noexcept;

/// Returns the status of the exchange at its end, also for the gateway's own answers.
unsigned status_at_end(const Exchange& x) noexcept;

/// Returns whether the answer in x.answer means that its server failed. Among the gRPC statuses, only UNAVAILABLE means
/// this, because a caller can provoke any other status with a short deadline or an unreadable message.
bool says_that_server_failed(const Exchange& x) noexcept;

}  // namespace headgate::gateway
