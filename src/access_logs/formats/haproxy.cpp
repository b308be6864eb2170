#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kHaproxyParts = std::to_array<LinePart>({
    {"client", Meaning::address_port},
    {"request_date", Meaning::began},
    {"frontend", Meaning::scheme},
    {"server", Meaning::server},
    {"Ta", Meaning::took_ms},
    {"status_code", Meaning::status},
    {"bytes_read", Meaning::bytes},
});

bool digit_at(std::string_view line, std::size_t at) noexcept { return line[at] >= '0' && line[at] <= '9'; }

/// Returns the line without the time, host and process that a syslog daemon writes before it in several forms. The line
/// itself begins with the client, a blank and "[22/Nov/2026:05:30:12.345]".
std::string_view behind_syslog(std::string_view line) {
  constexpr std::size_t kDate = 12;  // size of " [22/Nov/2026:"
  for (auto at = line.find(" ["); at != line.npos && at + kDate < line.size(); at = line.find(" [", at + 1)) {
    if (!digit_at(line, at + 2) || !digit_at(line, at + 3) || line[at + 4] != '/' || line[at + 8] != '/') continue;
    const auto before = line.rfind(' ', at - 1);
    return at == 0 || before == line.npos ? line : line.substr(before + 1);
  }
  return line;
}

}  // namespace

extern const LineFormat haproxy;
const LineFormat haproxy{
    .name = "haproxy",
    .about = "HAProxy: httplog and httpslog",
    .layout =
        R"($client [$request_date] $frontend $backend/$server $TR/$Tw/$Tc/$Tr/$Ta $status_code $bytes_read $CC $CS )"
        R"($termination_state $actconn/$feconn/$beconn/$srv_conn/$retries $srv_queue/$backend_queue $captured"$request")",
    .parts = kHaproxyParts,
    .body = behind_syslog};

}  // namespace headgate::access_logs::line_format
