#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kTraefikClfParts = std::to_array<LinePart>({
    {"ClientHost", Meaning::address},
    {"StartUTC", Meaning::began},
    {"ServiceURL", Meaning::server},
    {"Duration", Meaning::took_ms},
});

}  // namespace

extern const LineFormat traefik_clf;
const LineFormat traefik_clf{
    .name = "traefik_clf",
    .about = "Traefik: common",
    .layout =
        R"($ClientHost - $ClientUsername [$StartUTC] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" )"
        R"($RequestCount "$RouterName" "$ServiceURL" ${Duration}ms)",
    .parts = kTraefikClfParts};

}  // namespace headgate::access_logs::line_format
