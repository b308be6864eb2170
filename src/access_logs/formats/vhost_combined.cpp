#include "headgate/access_logs/line_format.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat vhost_combined;
const LineFormat vhost_combined{
    .name = "vhost_combined",
    .about = "Apache: vhost_combined",
    .layout =
        R"($host $remote_addr $ident $remote_user [$time_local] "$request" $status $bytes_sent "$http_referer" "$http_user_agent")"};

}  // namespace headgate::access_logs::line_format
