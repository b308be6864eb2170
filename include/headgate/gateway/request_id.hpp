#pragma once
// X-Request-Id: that of the caller if it is valid, else a new one.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// A valid id has 1 to 128 characters of A-Z a-z 0-9 - _ . ; a new one has 16 of Crockford's base 32, and new ones sort
/// by time. A view into the head or x.text.
std::string_view request_id(Exchange& x);

}  // namespace headgate::gateway
