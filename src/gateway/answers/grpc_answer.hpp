#pragma once
// The gateway's own answers to gRPC callers: a head that also serves as trailers ("Trailers-Only").

#include "headgate/core/text_arena.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

/// Returns the gRPC status for a problem.
observe::GrpcStatus grpc_status_of(const Problem& problem) noexcept;

/// Appends the fields of the problem to x.fields: grpc-status and grpc-message, and when to retry. If waiting helps,
/// the exact wait is in grpc-retry-pushback-ms (gRFC A6), which the caller's gRPC library reads, and in a
/// google.rpc.RetryInfo in grpc-status-details-bin, which its program can read. If no wait helps,
/// grpc-retry-pushback-ms forbids retries. `sentence` is the message.
void append_grpc_status(Exchange& x, const Problem& problem, std::string_view sentence);

/// Returns a google.rpc.Status with this code and message, and a google.rpc.RetryInfo of `wait` milliseconds as its
/// only detail. The text is base64 without padding, as gRPC encodes fields whose names end with "-bin".
std::string_view retry_info(TextArena& text, unsigned code, std::string_view message, std::uint64_t wait);

}  // namespace headgate::gateway
