#pragma once
// How many gateways heard of a change, as JSON.

#include "headgate/services/log_exchange.hpp"

#include <nlohmann/json_fwd.hpp>

namespace headgate::admin {

/// {"written": true, "heard": 2, "of": 2}; without the numbers if they are not known.
nlohmann::ordered_json to_json(const services::Spread& spread);

}  // namespace headgate::admin
