#include "headgate/access_logs/line_format.hpp"

#include <array>

namespace headgate::access_logs::line_format {
namespace {

constexpr auto kAlbParts = std::to_array<LinePart>({
    {"type", Meaning::scheme},
    {"time", Meaning::ended},
    {"client", Meaning::address_port},
    {"request_processing_time", Meaning::took_s},
    {"target_processing_time", Meaning::took_s},
    {"response_processing_time", Meaning::took_s},
    {"elb_status_code", Meaning::status},
    {"target_status_code", Meaning::server},
    {"sent_bytes", Meaning::bytes},
    {"user_agent", Meaning::field, "User-Agent"},
    {"ssl_protocol", Meaning::tls},
    {"ssl_cipher", Meaning::nothing},
    {"request_creation_time", Meaning::began},
});

}  // namespace

extern const LineFormat aws_alb;
const LineFormat aws_alb{
    .name = "alb",
    .about = "AWS: Application Load Balancer",
    .layout =
        R"($type $time $elb $client $target $request_processing_time $target_processing_time $response_processing_time )"
        R"($elb_status_code $target_status_code $received_bytes $sent_bytes "$request" "$user_agent" $ssl_cipher )"
        R"($ssl_protocol $target_group_arn "$trace_id" "$domain_name" "$chosen_cert_arn" $matched_rule_priority )"
        R"($request_creation_time "$actions_executed")",
    .parts = kAlbParts};

}  // namespace headgate::access_logs::line_format
