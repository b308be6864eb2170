#pragma once
// The Vary field, which names the request fields that an answer depends on.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// Adds `names` to Vary unless Vary already has them (RFC 9110 section 12.5.5). `names` must outlive the answer.
void vary_by(Exchange& x, std::string_view names, http::Fields& fields);

}  // namespace headgate::gateway
