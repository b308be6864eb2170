#pragma once
// Describes a configuration as an operator may see it: the file with its defaults, and without secrets.

#include "config/text/document.hpp"
#include "config/text/report.hpp"

#include "headgate/config/config.hpp"

namespace headgate::config {

/// Describes the checked file, with its included files joined. Strings with placeholders are shown as written, but
/// without the default of ${NAME:-default}. Secrets are shown as "(secret)". Defaults are filled in except in routes,
/// because there may be many of them.
Described describe(const Node& root);

/// Returns the place where each value of the joined file is written, in the form of Described. `report` must have read
/// all files of the configuration.
std::string places_of(const Node& root, const Report& report);

}  // namespace headgate::config
