#pragma once
// What was counted between two moments, and how much of it that is a second.

#include "headgate/admin/route_traffic.hpp"
#include "headgate/observe/traffic.hpp"

#include <string>

namespace headgate::admin {

/// `now` without what was counted `before`.
observe::Traffic since(observe::Traffic now, const observe::Traffic& before);
void add_up(observe::Traffic& to, const observe::Traffic& what);
/// `seconds` is above 0.
RouteRates rates_of(std::string route, const observe::Traffic& did, double seconds);

}  // namespace headgate::admin
