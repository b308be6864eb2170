#pragma once
// Decides which routes have a step. Called once for each route, when a configuration is compiled.

#include "gateway/limits/round.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/cost_source.hpp"

#include <algorithm>

namespace headgate::gateway {

template <bool after_auth>
bool may_be_suspended(const Route& route) {
  return std::ranges::any_of(route.suspendable, [](const RouteBan& ban) { return ban.after_auth == after_auth; });
}

template <Stage stage, RoundPart part>
bool has_limits(const Route& route) {
  return std::ranges::any_of(route.limits_at(stage), [](const RouteLimit& each) { return is_in(part, each); });
}

template <class Has>
bool any_limit(const Route& route, Has has) {
  return std::ranges::any_of(route.plan, has);
}

inline bool counts_in_flight(const Route& route) {
  return route.capacity != nullptr || any_limit(route, [](const RouteLimit& each) { return each.ready->in_flight; });
}

inline bool has_bill(const Route& route) {
  return any_limit(route, [](const RouteLimit& each) { return each.limit->bill; });
}

inline bool has_appointments(const Route& route) {
  return any_limit(route, [](const RouteLimit& each) { return each.limit->appointments.has_value(); });
}

inline bool reads_credentials(const Route& route) {
  return route.reads.has(Needs::api_key) || route.reads.has(Needs::token) || route.demands != nullptr ||
         route.require != Require::nothing;
}

/// Returns whether callers learn from the route that a credential is wrong, so that they can guess credentials.
inline bool refuses_credentials(const Route& route) {
  return route.auth != nullptr || route.basic != nullptr || route.reads.has(Needs::token) || route.demands != nullptr ||
         route.require != Require::nothing ||
         (route.reads.has(Needs::api_key) && route.unknown_key != UnknownKey::anonymous);
}

inline bool has_queue(const Route& route) {
  const auto* const upstream = route.upstream_options;
  return upstream != nullptr && upstream->concurrency && upstream->concurrency->queue;
}

/// Returns whether the route's requests may be refused because there are too many requests.
inline bool sheds(const Route& route) {
  const auto* const upstream = route.upstream_options;
  return upstream != nullptr &&
         (upstream->concurrency || upstream->server_queue || route.shedding->loop_lag > Duration(0));
}

inline bool has_circuit(const Route& route) {
  return route.upstream_options != nullptr && route.upstream_options->circuit;
}

inline bool has_notices(const Route& route) {
  return any_limit(route, [](const RouteLimit& each) { return !each.limit->notify_at.empty(); });
}

/// Returns whether answers name costs, or whether limits count only some statuses.
inline bool has_what_is_settled(const Route& route) {
  return any_limit(
      route, [](const RouteLimit& each) { return is_settled(each.cost) || !each.limit->counted_statuses.empty(); });
}

}  // namespace headgate::gateway
