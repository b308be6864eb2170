#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kEcsParts = std::to_array<LinePart>({
    {"event.action", Meaning::kind, "request"},
    {"@timestamp", Meaning::ended},
    {"event.start", Meaning::began},
    {"client.ip", Meaning::address},
    {"source.ip", Meaning::address},
    {"http.request.method", Meaning::method},
    {"url.domain", Meaning::host},
    {"url.path", Meaning::path},
    {"url.query", Meaning::query},
    {"url.original", Meaning::target},
    {"url.scheme", Meaning::scheme},
    {"http.response.status_code", Meaning::status},
    {"headgate.ended_by", Meaning::ended_by},
    {"http.request.body.bytes", Meaning::request_bytes},
    {"http.response.bytes", Meaning::bytes},
    {"http.response.body.bytes", Meaning::bytes},
    {"event.duration", Meaning::took_ns},
    {"headgate.delayed_ms", Meaning::waited_ms},
    {"headgate.queued_ms", Meaning::waited_ms},
    {"tls.version", Meaning::tls},
    {"headgate.limit", Meaning::limit},
    {"headgate.decision", Meaning::decision},
    {"headgate.cost", Meaning::cost},
    {"headgate.held", Meaning::held},
    {"headgate.descriptors", Meaning::call},
    {"http.request.referrer", Meaning::field, "Referer"},
    {"user_agent.original", Meaning::field, "User-Agent"},
});

}  // namespace

extern const LineFormat ecs;
const LineFormat ecs{.name = "ecs",
                     .about = "headgate: ecs, and others with names of the Elastic Common Schema",
                     .kind = LineKind::json,
                     .parts = kEcsParts};

}  // namespace headgate::access_logs::line_format
