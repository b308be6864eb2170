#pragma once
// The fields of a route's own answer: those of a fixed answer, and where a redirect leads.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Only for routes with edits and a fixed answer; `fields` has its Content-Type.
void edit_fixed_answer(Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
