#pragma once
// The part of `headgate check` that says what requests meet.

#include "headgate/gateway/options.hpp"

#include <string>

namespace headgate::config {

/// A table of the routes in the order written, each with where it goes and its limits, their costs and scales. The
/// first fifty of them.
std::string routes_in_words(const gateway::Options& options);

}  // namespace headgate::config
