#pragma once
// Answers with the `respond` of a route, or as the gateway itself in its place.

#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// Sends the answer; x.fields may have more fields of it. Returns no problem; a failed write ends the exchange as
/// client_closed. `answer` stays valid until the task is done.
template <AnswerFrom from>
Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders limits);

}  // namespace headgate::gateway
