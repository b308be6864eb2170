#include "headgate/access_logs/line_format.hpp"

namespace headgate::access_logs::line_format {

extern const LineFormat csv;
const LineFormat csv{
    .name = "csv", .about = "columns with names in the first line", .kind = LineKind::csv, .general = true};

}  // namespace headgate::access_logs::line_format
