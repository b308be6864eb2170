#pragma once
// What is wrong with a request's body, as its client is told: at once where it announces too much, else when a read of
// it fails.

#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// What a failed read of a request's body means to the client.
Problem problem_of_body(const error_code& cause);

}  // namespace headgate::gateway
