#pragma once
// Sends the `respond` of a route, or an answer of the gateway itself with the same contents.

#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// Sends the answer with its own fields and those in x.fields. Never returns a problem: a failed write ends the
/// exchange as client_closed. `answer` must stay valid until the task is done.
template <AnswerFrom from>
Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders limits);

}  // namespace headgate::gateway
