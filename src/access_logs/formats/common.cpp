#include "headgate/access_logs/line_format.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat common;
const LineFormat common{.name = "common",
                        .about = "nginx and Apache: common",
                        .layout = R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent)"};

}  // namespace headgate::access_logs::line_format
