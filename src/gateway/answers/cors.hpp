#pragma once
// Cross-origin requests: preflights are answered here, and answers say which page may read them.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// The route of the request that this preflight asks for: an OPTIONS with Origin and Access-Control-Request-Method.
/// Null if it is none, or that route takes no cross-origin requests.
const Route* preflighted_route(Exchange& x);

/// Answers a preflight, from the gateway itself: no server sees it.
Task<std::optional<Problem>> answer_preflight(Exchange& x);

/// What applies to answers of this exchange: the rules of its route; without a route those of all routes. Null: none.
inline const Cors* cors_of(const Exchange& x) noexcept {
  if (x.route) return x.route->cors;
  return x.snapshot ? x.snapshot->compiled->options().all_routes.cors.get() : nullptr;
}

/// Says in `fields` which page may read the answer, in place of what the server says of it. With Vary, so that no cache
/// gives the answer for one origin to another. Does not touch other fields.
void replace_cors(Exchange& x, const Cors& rules, http::Fields& fields);

}  // namespace headgate::gateway
