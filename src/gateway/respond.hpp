#pragma once
// A route that answers by itself.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders style);

}  // namespace headgate::gateway
