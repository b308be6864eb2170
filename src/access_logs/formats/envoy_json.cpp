#include "../envoy_parts.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat envoy_json;
const LineFormat envoy_json{.name = "envoy_json",
                            .about = "Envoy and Istio: JSON with their usual names",
                            .kind = LineKind::json,
                            .parts = kEnvoyParts};

}  // namespace headgate::access_logs::line_format
