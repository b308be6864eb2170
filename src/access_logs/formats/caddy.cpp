#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kCaddyParts = std::to_array<LinePart>({
    {"msg", Meaning::kind, "handled request"},
    {"ts", Meaning::ended},
    {"request.remote_ip", Meaning::address},
    {"request.remote_addr", Meaning::address},
    {"request.method", Meaning::method},
    {"request.host", Meaning::host},
    {"request.uri", Meaning::target},
    {"request.headers.", Meaning::fields},
    {"request.tls.version", Meaning::tls},
    {"bytes_read", Meaning::request_bytes},
    {"duration", Meaning::took_s},
    {"size", Meaning::bytes},
    {"status", Meaning::status},
});

}  // namespace

extern const LineFormat caddy;
const LineFormat caddy{.name = "caddy", .about = "Caddy: json", .kind = LineKind::json, .parts = kCaddyParts};

}  // namespace headgate::access_logs::line_format
