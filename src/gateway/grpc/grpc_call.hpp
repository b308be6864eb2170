#pragma once
// What a request of gRPC says beside HTTP: that it is one, and how long its caller waits. Source: "gRPC over HTTP2"
// (doc/PROTOCOL-HTTP2.md of its project).

#include "headgate/core/time.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/http/head.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The field with how long its caller waits.
inline constexpr std::string_view kGrpcTimeout = "grpc-timeout";
/// The field with what became of it.
inline constexpr std::string_view kGrpcStatus = "grpc-status";
/// The field of an answer with the milliseconds until a retry helps; "-1": none does.
inline constexpr std::string_view kGrpcPushback = "grpc-retry-pushback-ms";

/// application/grpc, alone or before "+" or ";".
bool is_grpc_type(std::string_view media_type) noexcept;

namespace detail {
bool has_grpc_type(const http::RequestHead& request) noexcept;
}  // namespace detail

/// Whether it is a call of gRPC: a POST over HTTP/2 with the media type application/grpc, alone or before "+"; or one
/// of gRPC-Web that is translated.
inline bool is_grpc(const Exchange& x) noexcept {
  return (x.request.version >= 20 || x.grpc_web != nullptr) && detail::has_grpc_type(x.request);
}

/// Whether its server may take it for one, whatever its caller speaks: what is asked over HTTP/2 is then a whole call.
/// Limits and retries go by this. Only behind the choice of the route.
inline bool is_grpc_for_server(const Exchange& x) noexcept {
  return x.route->asks_http2() && detail::has_grpc_type(x.request);
}

/// Reads a value of `grpc-timeout`: at most eight digits and one of the units H, M, S, m, u, n; rounded down to
/// microseconds. Nothing if it is anything else.
std::optional<Duration> grpc_timeout_in(std::string_view value) noexcept;

/// How long the caller of gRPC waits for the whole answer, from the beginning of its request on; nothing: it is not
/// said, or it is no call of gRPC.
std::optional<Duration> grpc_timeout_of(const Exchange& x) noexcept;

/// The same in the largest precision that eight digits have; "0u" for less than nothing. `out` has room for nine bytes.
std::string_view grpc_timeout(Duration left, char* out) noexcept;

/// A value of `grpc-retry-pushback-ms`; nothing if it says that no retry helps, or cannot be read, which says the same.
std::optional<Duration> grpc_pushback_in(std::string_view value) noexcept;

/// A value of `grpc-status`; GrpcStatus::none if it is empty.
observe::GrpcStatus grpc_status_in(std::string_view value) noexcept;

}  // namespace headgate::gateway
