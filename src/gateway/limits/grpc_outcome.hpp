#pragma once
// What the answer to a call of gRPC says about the call, where statuses decide: its HTTP status is 200 whatever became
// of it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <optional>

namespace headgate::gateway {

/// The HTTP status that stands for it. Source: google.rpc.Code (google/rpc/code.proto of the project googleapis). 0 for
/// none.
unsigned http_status_of(observe::GrpcStatus status) noexcept;

/// Notes whether a server's answer in x.answer is one of gRPC, whatever type its request has; the status that its head
/// has, or that it comes with the trailers. For servers that are asked over HTTP/2.
void note_grpc_head(Exchange& x) noexcept;

/// Notes the status that the trailers of that answer have, where its head has none. Returns whether it says that the
/// server failed.
bool note_grpc_trailers(Exchange& x, const http::Fields& trailers);

/// The status of the server's answer in x.answer, as limits count it; nothing while only its trailers will say it, and
/// if it tells nothing (gateway/limits/unanswered.hpp).
std::optional<unsigned> status_that_counts(const Exchange& x) noexcept;

/// The same of the exchange, at its end: of the gateway's own answers, too.
unsigned status_at_end(const Exchange& x) noexcept;

/// Whether the answer in x.answer says that its server failed: of the statuses of gRPC only UNAVAILABLE does. A caller
/// can have the others whenever it likes, by a short deadline, or by a message that cannot be read.
bool says_that_server_failed(const Exchange& x) noexcept;

}  // namespace headgate::gateway
