#include "headgate/access_logs/line_format.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat json;
const LineFormat json{
    .name = "json", .about = "JSON with names that say what they are", .kind = LineKind::json, .general = true};

}  // namespace headgate::access_logs::line_format
