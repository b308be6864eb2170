#pragma once
// All routes as they are listed for people.

#include "headgate/config/config.hpp"

#include <string>

namespace headgate::admin {

/// In the order in which a request is compared with them, as JSON: { "routes": […] }.
std::string routes_in_order(const config::Config& config);

}  // namespace headgate::admin
