#pragma once
// The second call for a decision: `POST /settle`.

#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

struct Path;

/// Returns whether the request is a call that settles a reservation, and no question about a request of a client.
bool is_settle_call(const Exchange& x) noexcept;

/// Answers the call with 204, or returns its problem; it has then changed nothing.
Task<MaybeProblem> answer_settle_call(Path& path, Exchange& x);

}  // namespace headgate::gateway
