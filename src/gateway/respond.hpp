#pragma once
// A route that answers by itself.

#include <optional>

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer);

}  // namespace headgate::gateway
