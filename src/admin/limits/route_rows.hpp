#pragma once
// Routes as they are listed for people.

#include "headgate/gateway/options.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <vector>

namespace headgate::admin {

/// The indices of the routes in the order in which a request is compared with them.
std::vector<std::size_t> compared_order(const gateway::PathOptions& options);
/// One route: where it is, what it demands, where it leads, and its limits.
nlohmann::ordered_json route_row(const gateway::PathOptions& options, const gateway::RouteOptions& route);

}  // namespace headgate::admin
