#include "headgate/access_logs/line_format.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat nginx_main;
const LineFormat nginx_main{
    .name = "main",
    .about = "nginx: main, as its packages configure it",
    .layout =
        R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" )"
        R"("$http_x_forwarded_for")"};

}  // namespace headgate::access_logs::line_format
