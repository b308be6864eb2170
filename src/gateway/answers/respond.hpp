#pragma once
// Answers with the `respond` of a route.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// Writes the answer. Returns no problem; a failed write ends the exchange as client_closed.
Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders style);

}  // namespace headgate::gateway
