#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kHeadgateParts = std::to_array<LinePart>({
    {"event", Meaning::kind, "request"},
    {"ts", Meaning::ended},
    {"client_ip", Meaning::address},
    {"method", Meaning::method},
    {"host", Meaning::host},
    {"path", Meaning::path},
    {"query", Meaning::query},
    {"status", Meaning::status},
    {"ended_by", Meaning::ended_by},
    {"in_bytes", Meaning::request_bytes},
    {"out_bytes", Meaning::bytes},
    {"ms", Meaning::took_ms},
    {"delayed_ms", Meaning::waited_ms},
    {"queued_ms", Meaning::waited_ms},
    {"tls", Meaning::tls},
    {"limit", Meaning::limit},
    {"decision", Meaning::decision},
    {"cost", Meaning::cost},
    {"held", Meaning::held},
    {"descriptors", Meaning::call},
    {"user_agent", Meaning::field, "User-Agent"},
    {"header.", Meaning::fields},
});

}  // namespace

extern const LineFormat headgate_json;
const LineFormat headgate_json{
    .name = "headgate", .about = "headgate: json", .kind = LineKind::json, .parts = kHeadgateParts};

}  // namespace headgate::access_logs::line_format
