#pragma once
// The part of `headgate check` that describes the routes.

#include "headgate/gateway/options.hpp"

#include <string>

namespace headgate::config {

/// A table of the first fifty routes in file order: where each goes, and its limits with their costs and scales.
std::string routes_in_words(const gateway::Options& options);

}  // namespace headgate::config
