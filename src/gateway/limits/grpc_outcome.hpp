#pragma once
// The result of a gRPC call, where statuses decide: the HTTP status of its answer is 200 whatever the result is.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <optional>

namespace headgate::gateway {

/// Returns the HTTP status that corresponds to a gRPC status. Source: google.rpc.Code (google/rpc/code.proto of the
/// project googleapis). 0 for none.
unsigned http_status_of(observe::GrpcStatus status) noexcept;

/// Notes whether the server's answer in x.answer is gRPC, whatever type its request has, and the status in its head or
/// that the status comes with the trailers. For servers reached over HTTP/2.
void note_grpc_head(Exchange& x) noexcept;

/// Notes the status in the trailers of that answer, if its head had none. Returns whether the status says that the
/// server failed.
bool note_grpc_trailers(Exchange& x, const http::Fields& trailers);

/// Returns the status of the server's answer in x.answer, as limits count it; nothing while only the trailers will have
/// it, or if it does not decide (gateway/limits/unanswered.hpp).
std::optional<unsigned> status_that_counts(const Exchange& x) noexcept;

/// Returns the status of the exchange at its end, also for the gateway's own answers.
unsigned status_at_end(const Exchange& x) noexcept;

/// Returns whether the answer in x.answer says that its server failed: of the gRPC statuses only UNAVAILABLE does. A
/// caller can provoke the others at will, by a short deadline, or by a message that cannot be read.
bool says_that_server_failed(const Exchange& x) noexcept;

}  // namespace headgate::gateway
