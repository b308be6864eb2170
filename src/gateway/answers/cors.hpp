#pragma once
// Cross-origin requests: answers preflights and adds the fields that state which pages may read an answer.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// Returns the route of the request that this preflight announces. A preflight is an OPTIONS request with Origin and
/// Access-Control-Request-Method. Null if `x` is not a preflight or if the route takes no cross-origin requests.
const Route* preflighted_route(Exchange& x);

/// Answers a preflight without a server.
Task<std::optional<Problem>> answer_preflight(Exchange& x);

/// Returns the CORS rules for answers of this exchange: the rules of its route, or the global rules if no route was
/// found. Null if there are none.
inline const Cors* cors_of(const Exchange& x) noexcept {
  if (x.route) return x.route->cors;
  return x.snapshot ? x.snapshot->compiled->options().all_routes.cors.get() : nullptr;
}

/// Replaces the server's CORS fields in `fields` with those of `rules`. Adds Vary so that no cache returns the answer
/// for one origin to another. Other fields stay unchanged.
void replace_cors(Exchange& x, const Cors& rules, http::Fields& fields);

}  // namespace headgate::gateway
