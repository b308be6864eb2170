#pragma once
// The tree against the table: keys, types, literals, ranges. What is left to build.cpp is what only the whole file can
// tell.

#include "document.hpp"
#include "report.hpp"
#include "table.hpp"

namespace headgate::config {

void check(const Node& node, const Section& section, Report& report);

}  // namespace headgate::config
