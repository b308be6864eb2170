#pragma once
// How long the client still waits for its answer, as far as it says so. Nothing here waits longer.

#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// Reads the value of X-Request-Deadline: seconds since 1970, with at most six decimals. Nothing if it is anything
/// else.
std::optional<Instant> deadline_in(std::string_view value) noexcept;

/// By X-Request-Deadline, or by the grpc-timeout of a call of gRPC, which counts from the beginning of the request; the
/// shorter of both. Nothing: it does not say. Below 0: it does not wait any more.
std::optional<Duration> time_left(const Exchange& x) noexcept;

/// Whether the time is over that the client has given its request, by any field that servers honour: also
/// `grpc-timeout` in a request of another type or over HTTP/1.1, and `Connect-Timeout-Ms`.
bool own_deadline_over(const Exchange& x) noexcept;

}  // namespace headgate::gateway
