#pragma once
// Lists all routes for people.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::admin {

/// Returns the routes as JSON in the order in which a request is compared with them: { "routes": […] }.
std::string routes_in_order(const config::Config& config);

}  // namespace headgate::admin
