#pragma once
// Differences between two sets of counters, and rates per second from them.

#include "headgate/admin/route_traffic.hpp"
#include "headgate/observe/traffic.hpp"

#include <string>

namespace headgate::admin {

/// Returns `now` minus `before`.
observe::Traffic since(observe::Traffic now, const observe::Traffic& before);
void add_up(observe::Traffic& to, const observe::Traffic& what);
/// `seconds` must be greater than 0.
RouteRates rates_of(std::string route, const observe::Traffic& did, double seconds);

}  // namespace headgate::admin
