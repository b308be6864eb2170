#pragma once
// Parses text into a tree. Continues after a mistake if the meaning is clear.

#include "document.hpp"
#include "report.hpp"

#include <string_view>

namespace headgate::config {

struct Parsed {
  Document document;
  bool complete = false;  ///< whether the tree holds the whole text; if not, report only syntax errors
};

/// Reports every syntax error and every duplicate key. Accepts at most 64 MiB and 64 levels.
Parsed parse(std::string_view text, Report& report);

}  // namespace headgate::config
