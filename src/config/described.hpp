#pragma once
// A configuration as an operator sees it: the text of the file, with defaults filled in, without secrets.

#include "config/text/document.hpp"
#include "config/text/report.hpp"

#include "headgate/config/config.hpp"

namespace headgate::config {

/// Describes the joined and checked file. Strings with placeholders are shown as written, without the default of
/// ${NAME:-default}; secrets are shown as "(secret)". Defaults are filled in except in routes, of which there may be
/// many.
Described describe(const Node& root);

/// Returns where each value of the joined file is written, in the form of Described. `report` has read all of its
/// files.
std::string places_of(const Node& root, const Report& report);

}  // namespace headgate::config
