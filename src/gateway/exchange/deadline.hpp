#pragma once
// The time that the client still waits for its answer, if the client states it. Nothing in the gateway waits longer.

#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// Reads the value of X-Request-Deadline: seconds since 1970, with at most six decimals. Returns nothing for any other
/// text.
std::optional<Instant> deadline_in(std::string_view value) noexcept;

/// Returns the time that is left until the client's deadline: by X-Request-Deadline, or by the grpc-timeout of a gRPC
/// call, which counts from the beginning of the request. If there are both, the shorter time counts. Returns nothing if
/// the client sets no deadline, and a time below 0 if it no longer waits.
std::optional<Duration> time_left(const Exchange& x) noexcept;

/// Returns whether the client's own deadline has passed. This function reads every field that servers honour: also
/// `Connect-Timeout-Ms`, and `grpc-timeout` in a request of another type or over HTTP/1.1.
bool own_deadline_over(const Exchange& x) noexcept;

}  // namespace headgate::gateway
