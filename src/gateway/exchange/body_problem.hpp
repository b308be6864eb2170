#pragma once
// Problems with reading a request's body.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Returns the problem for a read of a request's body that failed with `cause`.
Problem problem_of_body(const error_code& cause);

/// Records for the log that the client sent or took a body too slowly, if `cause` says so.
void note_slow(Exchange& x, const error_code& cause) noexcept;

}  // namespace headgate::gateway
