#pragma once
// A configuration as it is shown to an operator: what is written, with the defaults filled in, without secrets.

#include "config/text/document.hpp"
#include "config/text/report.hpp"

#include "headgate/config/config.hpp"

namespace headgate::config {

/// Of the joined and checked file. Strings from placeholders are shown as they are written, without the default of
/// ${NAME:-default}; secrets as "(secret)". Defaults are filled in everywhere but in routes, which may be many.
Described describe(const Node& root);

/// Where each value of the joined file is written, as Described has it. `report` has read all of its files.
std::string places_of(const Node& root, const Report& report);

}  // namespace headgate::config
