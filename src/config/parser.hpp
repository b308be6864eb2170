#pragma once
// From text to a tree, going on after a mistake where the meaning is plain.

#include "document.hpp"
#include "report.hpp"

#include <string_view>

namespace headgate::config {

struct Parsed {
  Document document;
  bool complete = false;  ///< whether the tree holds all that was written; else only syntax is worth reporting
};

/// Reports every syntax error, and keys written twice. At most 4 MiB and 64 levels.
Parsed parse(std::string_view text, Report& report);

}  // namespace headgate::config
