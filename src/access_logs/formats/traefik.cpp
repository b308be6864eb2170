#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kTraefikParts = std::to_array<LinePart>({
    {"StartUTC", Meaning::began},
    {"time", Meaning::ended},
    {"ClientHost", Meaning::address},
    {"RequestMethod", Meaning::method},
    {"RequestAddr", Meaning::host},
    {"RequestHost", Meaning::host},
    {"RequestPath", Meaning::target},
    {"RequestScheme", Meaning::scheme},
    {"RequestContentSize", Meaning::request_bytes},
    {"DownstreamStatus", Meaning::status},
    {"DownstreamContentSize", Meaning::bytes},
    {"OriginStatus", Meaning::server},
    {"Duration", Meaning::took_ns},
    {"request_", Meaning::fields},
});

}  // namespace

extern const LineFormat traefik;
const LineFormat traefik{.name = "traefik", .about = "Traefik: json", .kind = LineKind::json, .parts = kTraefikParts};

}  // namespace headgate::access_logs::line_format
