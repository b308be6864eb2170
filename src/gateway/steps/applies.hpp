#pragma once
// Which routes have a step: asked once for each route, when a configuration is compiled.

#include "headgate/gateway/compiled_config.hpp"

#include <algorithm>

namespace headgate::gateway {

template <bool after_auth>
bool may_be_suspended(const Route& route) {
  return std::ranges::any_of(route.suspendable, [](const RouteBan& ban) { return ban.after_auth == after_auth; });
}

template <Stage stage>
bool has_limits_in_turn(const Route& route) {
  return lets_wait(route.limits_at(stage));
}

template <Stage stage>
bool has_limits(const Route& route) {
  return route.checks(stage) && !has_limits_in_turn<stage>(route);
}

template <class Has>
bool any_limit(const Route& route, Has has) {
  return std::ranges::any_of(route.plan, has);
}

inline bool counts_in_flight(const Route& route) {
  return route.capacity != nullptr || any_limit(route, [](const RouteLimit& each) { return each.ready->in_flight; });
}

}  // namespace headgate::gateway
