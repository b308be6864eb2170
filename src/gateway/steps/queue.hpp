#pragma once
// What a request brings along for its place in a queue: whose it is.

#include "headgate/core/hash.hpp"

namespace headgate::gateway {

struct Exchange;

/// The line in which a request waits for a place at its upstream: that of its caller, as the queue's `per` tells
/// callers apart; of its address if that is not known.
Hash line_of(Exchange& x);

}  // namespace headgate::gateway
