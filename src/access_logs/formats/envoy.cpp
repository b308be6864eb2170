#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kEnvoyParts = std::to_array<LinePart>({
    {"start_time", Meaning::began},
    {"response_code", Meaning::status},
    {"bytes_received", Meaning::request_bytes},
    {"bytes_sent", Meaning::bytes},
    {"duration", Meaning::took_ms},
    {"x_forwarded_for", Meaning::forwarded_for},
    {"user_agent", Meaning::field, "User-Agent"},
    {"authority", Meaning::host},
    {"upstream_host", Meaning::server},
});

}  // namespace

extern const LineFormat envoy;
const LineFormat envoy{
    .name = "envoy",
    .about = "Envoy: its default format",
    .layout = R"([$start_time] "$request" $response_code $response_flags $bytes_received $bytes_sent $duration )"
              R"($upstream_service_time "$x_forwarded_for" "$user_agent" "$request_id" "$authority" "$upstream_host")",
    .parts = kEnvoyParts};

}  // namespace headgate::access_logs::line_format
