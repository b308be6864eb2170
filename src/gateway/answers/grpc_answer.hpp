#pragma once
// The gateway's own answers to callers of gRPC: a head that is trailers, too ("Trailers-Only").

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// What a problem is in gRPC.
observe::GrpcStatus grpc_status_of(const Problem& problem) noexcept;

/// Appends to x.fields what says it: grpc-status, grpc-message; where waiting helps, the exact wait for
/// the caller's retries (grpc-retry-pushback-ms, gRFC A6) and for its program (google.rpc.RetryInfo in
/// grpc-status-details-bin); where no wait does, that no retry shall come. `sentence`: of the message.
void append_grpc_status(Exchange& x, const Problem& problem, std::string_view sentence);

}  // namespace headgate::gateway
