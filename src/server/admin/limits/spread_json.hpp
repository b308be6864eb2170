#pragma once
// How many gateways heard of a change, as JSON.

#include "server/services/log_exchange.hpp"

#include <nlohmann/json_fwd.hpp>

namespace headgate::server {

/// {"written": true, "heard": 2, "of": 2}; without the numbers if they are not known.
nlohmann::ordered_json to_json(const Spread& spread);

}  // namespace headgate::server
