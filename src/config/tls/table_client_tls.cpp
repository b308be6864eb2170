// TLS of connections that headgate makes.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kServerName = text("a name", check_server_name);
constexpr Key kClientTlsKeys[] = {
    {"ca", &kFilePath, "", R"("/etc/headgate/ca.pem")",
     "PEM file of the trusted certificate authorities; default: those of the system"},
    {"certificate", &kFilePath, "", R"("/etc/headgate/gateway.pem")",
     "PEM file of the gateway's own certificate chain, if the server requires one"},
    {"key", &kFilePath, "", R"("/etc/headgate/gateway-key.pem")", "PEM file of its key"},
    {"server_name", &kServerName, "", R"("api.internal")",
     "Name that the server's certificate must have; default: the host that headgate connects to"},
    {"verify", &kBoolean, "true", "true", "`false` accepts any certificate: only for tests"},
};

}  // namespace

constexpr Section kRedisTlsSection{"redis_tls", "redis.tls", "TLS to Redis, and to its Sentinels.", kClientTlsKeys};
constexpr Section kUpstreamTlsSection{"upstream_tls", "upstreams.<name>.tls", "TLS to servers with `https://`.",
                                      kClientTlsKeys};

}  // namespace headgate::config
