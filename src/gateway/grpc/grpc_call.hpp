#pragma once
// gRPC calls: how a request is recognised as one, and how long its caller waits. Source: "gRPC over HTTP2"
// (doc/PROTOCOL-HTTP2.md of the gRPC project).

#include "headgate/core/time.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/http/head.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The field with the time that the caller waits.
inline constexpr std::string_view kGrpcTimeout = "grpc-timeout";
/// The field with the result of the call.
inline constexpr std::string_view kGrpcStatus = "grpc-status";
/// The field of an answer with the milliseconds until a retry may succeed; "-1" if none will.
inline constexpr std::string_view kGrpcPushback = "grpc-retry-pushback-ms";

/// Returns whether the type is application/grpc, alone or before "+" or ";".
bool is_grpc_type(std::string_view media_type) noexcept;

namespace detail {
bool has_grpc_type(const http::RequestHead& request) noexcept;
}  // namespace detail

/// Returns whether the request is a gRPC call: a POST over HTTP/2 with the media type application/grpc, alone or before
/// "+"; or a gRPC-Web call that is translated.
inline bool is_grpc(const Exchange& x) noexcept {
  // The media type is that of the request that a proxy asks about, and not that of its question.
  return (x.request.version >= 20 || x.grpc_web != nullptr) && x.asked_by == net::AskingProxy::none &&
         detail::has_grpc_type(x.request);
}

/// Returns whether the server may read the request as a gRPC call, even if the caller does not use HTTP/2: when it is
/// forwarded over HTTP/2, the request is a complete call. Limits and retries use this. Valid only after the route was
/// chosen.
inline bool is_grpc_for_server(const Exchange& x) noexcept {
  return x.route->asks_http2() && detail::has_grpc_type(x.request);
}

/// Reads a value of `grpc-timeout`: at most eight digits and one of the units H, M, S, m, u, n; rounded down to
/// microseconds. Returns nothing for any other text.
std::optional<Duration> grpc_timeout_in(std::string_view value) noexcept;

/// Returns how long the caller of a gRPC call waits for the whole answer, from the beginning of its request; nothing if
/// the caller sets no time, or if the request is not a gRPC call.
std::optional<Duration> grpc_timeout_of(const Exchange& x) noexcept;

/// Writes a timeout with the highest precision that eight digits allow; "0u" for a negative one. `out` has room for
/// nine bytes.
std::string_view grpc_timeout(Duration left, char* out) noexcept;

/// Reads a value of `grpc-retry-pushback-ms`. Returns nothing if no retry helps, or if the value cannot be read, which
/// means the same.
std::optional<Duration> grpc_pushback_in(std::string_view value) noexcept;

/// Reads a value of `grpc-status`; GrpcStatus::none if it is empty.
observe::GrpcStatus grpc_status_in(std::string_view value) noexcept;

}  // namespace headgate::gateway
