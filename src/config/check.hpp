#pragma once
// Checks the tree against the table: keys, types, literals, ranges. The checks that need the whole file are in
// build.hpp.

#include "config/text/document.hpp"
#include "config/text/report.hpp"
#include "table.hpp"

namespace headgate::config {

void check(const Node& node, const Section& section, Report& report);

}  // namespace headgate::config
