#pragma once
// What a request brings along for its place in a queue: its deadline, and whose it is.

#include "headgate/core/hash.hpp"
#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// Reads the value of X-Request-Deadline: seconds since 1970, with at most six decimals. Nothing if it is anything
/// else.
std::optional<Instant> deadline_in(std::string_view value) noexcept;

/// The line in which a request waits for a place at its upstream: that of its caller, as the queue's `per` tells
/// callers apart; of its address if that is not known.
Hash line_of(Exchange& x);

}  // namespace headgate::gateway
