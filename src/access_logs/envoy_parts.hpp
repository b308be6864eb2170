#pragma once
// The names that Envoy and Istio use for the parts of a line. Each format of theirs has some of these parts.

#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {

inline constexpr auto kEnvoyParts = std::to_array<LinePart>({
    {"start_time", Meaning::began},
    {"response_code", Meaning::status},
    {"bytes_received", Meaning::request_bytes},
    {"bytes_sent", Meaning::bytes},
    {"duration", Meaning::took_ms},
    {"x_forwarded_for", Meaning::forwarded_for},
    {"user_agent", Meaning::field, "User-Agent"},
    {"authority", Meaning::host},
    {"upstream_host", Meaning::server},
    {"method", Meaning::method},
    {"path", Meaning::target},
    {"downstream_remote_address", Meaning::address},
});

}  // namespace headgate::access_logs::line_format
