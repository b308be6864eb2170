#pragma once
// X-Request-Id: the caller's where it is sane, else one of ours.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// A sane id has 1 to 128 characters of A-Z a-z 0-9 - _ . ; ours are 16 of Crockford's base 32, and sort by time.
std::string_view request_id(Exchange& x);

}  // namespace headgate::gateway
