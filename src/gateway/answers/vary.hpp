#pragma once
// The field that says what an answer depends on.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// Adds `names` to Vary, unless they are there already (RFC 9110 section 12.5.5). `names` outlives the answer.
void vary_by(Exchange& x, std::string_view names, http::Fields& fields);

}  // namespace headgate::gateway
