#pragma once
// The gateway's own answers to callers of gRPC: a head that is trailers, too ("Trailers-Only").

#include "headgate/core/text_arena.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// What a problem is in gRPC.
observe::GrpcStatus grpc_status_of(const Problem& problem) noexcept;

/// Appends to x.fields what says it: grpc-status, grpc-message; where waiting helps, the exact wait for
/// the caller's retries (grpc-retry-pushback-ms, gRFC A6) and for its program (google.rpc.RetryInfo in
/// grpc-status-details-bin); where no wait does, that no retry shall come. `sentence`: of the message.
void append_grpc_status(Exchange& x, const Problem& problem, std::string_view sentence);

/// A google.rpc.Status with this code and message and one detail, a google.rpc.RetryInfo of `wait` milliseconds, in
/// base64 without padding, as gRPC writes fields whose names end with "-bin".
std::string_view retry_info(TextArena& text, unsigned code, std::string_view message, std::uint64_t wait);

}  // namespace headgate::gateway
