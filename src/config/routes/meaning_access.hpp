#pragma once
// The part of `headgate check` that says who may use routes: what they demand of callers, and pages of other origins.

#include "headgate/gateway/options.hpp"

#include <string>

namespace headgate::config {

/// "a token with scope orders:write and plan pro or enterprise"; empty if the route demands no more than a valid
/// credential.
std::string demands_in_words(const gateway::RouteOptions& route);

/// A sentence for each "cors" of the file; empty if there is none.
std::string origins_in_words(const gateway::Options& options);

}  // namespace headgate::config
