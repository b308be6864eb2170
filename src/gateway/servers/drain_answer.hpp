#pragma once
// Reads the rest of an answer whose client has left, for the cost at its end.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/http/exchange_io.hpp"

namespace headgate::gateway {

/// Reads the server's answer until it ends or breaks off, for at most ten minutes, and throws its bytes away. Does
/// nothing unless the exchange has a place for it (take_drain_place()), or gets one.
Task<void> drain_answer(Exchange& x, http::BodyReader& from);

}  // namespace headgate::gateway
