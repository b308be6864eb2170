#pragma once
// The texts of health checks.

#include "headgate/core/literals.hpp"
#include "headgate/upstream/health_options.hpp"

#include <string_view>

namespace headgate::config {

/// "200-299": two statuses from 100 to 599.
Result<upstream::StatusRange, LiteralError> parse_status_range(std::string_view text);

}  // namespace headgate::config
