#pragma once
// Learns from the end of a call of a language model.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Learns the input and the output of the call for each limit that counts its usage (gateway/bodies/learned_use.hpp).
/// The input is learned if the answer has reported it. The output is the one that the answer has reported, or the one
/// that was counted as its text passed. Does nothing if the answer is an error, or was not read. Call it at the end of
/// the exchange; x.learned is not null.
void learn_use(const Exchange& x);

}  // namespace headgate::gateway
