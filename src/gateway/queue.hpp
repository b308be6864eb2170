#pragma once
// The deadline that a request brings along.

#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Reads the value of X-Request-Deadline: seconds since 1970, with at most six decimals. Nothing if it is anything
/// else.
std::optional<Instant> deadline_in(std::string_view value) noexcept;

}  // namespace headgate::gateway
