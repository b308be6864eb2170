#include "headgate/access_logs/line_format.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat combined;
const LineFormat combined{
    .name = "combined",
    .about = "nginx and Apache: combined, also headgate's",
    .layout =
        R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent")"};

}  // namespace headgate::access_logs::line_format
