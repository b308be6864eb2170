#include "../envoy_parts.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat istio;
const LineFormat istio{
    .name = "istio",
    .about = "Istio: its default format",
    .layout =
        R"([$start_time] "$request" $response_code $response_flags $response_code_details )"
        R"($connection_termination_details "$upstream_transport_failure_reason" $bytes_received $bytes_sent )"
        R"($duration $upstream_service_time "$x_forwarded_for" "$user_agent" "$request_id" "$authority" "$upstream_host" )"
        R"($upstream_cluster $upstream_local_address $downstream_local_address $downstream_remote_address )"
        R"($requested_server_name $route_name)",
    .parts = kEnvoyParts};

}  // namespace headgate::access_logs::line_format
