#pragma once
// Costs that are known only from the answer: an estimate is held before the request and settled after it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/limiter.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headgate::gateway {

class Outage;

/// Records that x.answer now has the head of the server's answer to the client, also for the candidate. Call it before
/// the head is sent.
void note_told(Exchange& x);

/// Reads the costs from the head of a server's answer, so that the caller is told the remaining permits. An answer
/// without a valid cost costs the hold, or nothing if its status is 5xx. An answer whose status a limit does not count
/// costs nothing in that limit.
void note_costs(Exchange& x);

/// Records the status of one of the gateway's own answers. Such an answer names no cost, but a limit may count its
/// status. Call it before the answer is sent. Has no effect if the permits were returned. It also has none if the
/// client left before a server or service that got the request had answered: the permits then stay taken
/// (gateway/limits/unanswered.hpp).
void note_status(Exchange& x, unsigned status);

/// Records a status that arrives only in the trailers of a server's answer (gRPC), after its head was sent.
void note_late_status(Exchange& x, unsigned status);

/// Returns the time from the decision of the binding limit until its counter is back in its unused state. The limit
/// must have let the request through, and its cost must be settled or noted.
Duration reset_to_tell(const Exchange& x);

/// Charges or returns the difference between the hold and the used cost: in `memory`, in Redis, and in the debt to
/// Redis after an `outage`.
void settle(Exchange& x, limit::Limiter& memory, Outage& outage);

/// A limit and the cost that the caller of a decision has reported for it, from 0 on.
using ReportedCost = std::pair<std::string, std::int64_t>;

/// Returns whether a limit has let `x` through whose cost only the answer says. Nobody sees that answer if `x` is a
/// decision for another proxy, so its caller reports the cost.
bool holds_reported_cost(const Exchange& x);

/// Sets the costs of these limits: to the reported ones, at most Cost::most, and to the holds of limits for which none
/// is reported. Call settle() afterwards.
void note_reported(Exchange& x, std::span<const ReportedCost> reported);

/// Gives back all permits that are not in flight, also those with a fixed cost, as far as they have not come back with
/// time meanwhile.
void cancel_costs(Exchange& x, limit::Limiter& memory, Outage& outage);

}  // namespace headgate::gateway
