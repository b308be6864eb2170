#include "../envoy_parts.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat envoy;
const LineFormat envoy{
    .name = "envoy",
    .about = "Envoy: its default format",
    .layout = R"([$start_time] "$request" $response_code $response_flags $bytes_received $bytes_sent $duration )"
              R"($upstream_service_time "$x_forwarded_for" "$user_agent" "$request_id" "$authority" "$upstream_host")",
    .parts = kEnvoyParts};

}  // namespace headgate::access_logs::line_format
