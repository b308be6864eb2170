#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kEnvoyJsonParts = std::to_array<LinePart>({
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

}  // namespace

extern const LineFormat envoy_json;
const LineFormat envoy_json{.name = "envoy_json",
                            .about = "Envoy and Istio: JSON with their usual names",
                            .kind = LineKind::json,
                            .parts = kEnvoyJsonParts};

}  // namespace headgate::access_logs::line_format
