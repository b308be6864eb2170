#pragma once
// Costs that are known only from the answer: an estimate is held before the request and settled after it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/limiter.hpp"

namespace headgate::gateway {

class Outage;

/// Notes that the head of the server's answer that the client gets is in x.answer, before the client is told: here and
/// in the candidate.
void note_told(Exchange& x);

/// Reads the costs from the head of a server's answer, so that the caller is told what is left. An answer without a
/// valid cost costs the hold, or nothing if its status is 5xx. An answer whose status a limit does not count costs
/// nothing there.
void note_costs(Exchange& x);

/// The same for an answer of our own with this status: it says no cost, but a limit may count its status. Call it
/// before the answer is told. Nothing if what limits took was given back, or if the client has avoided the answer of
/// whom the gateway had asked (gateway/limits/unanswered.hpp): then what was taken stays taken.
void note_status(Exchange& x, unsigned status);

/// The same where only the trailers of a server's answer say it (gRPC), when its head has been told.
void note_late_status(Exchange& x, unsigned status);

/// Of the binding limit, which let the request through and whose cost is settled or noted: the time from its decision
/// on until it is as if never used.
Duration reset_to_tell(const Exchange& x);

/// Charges or gives back the difference between what was held and what the answer says: in `memory`, in Redis, and what
/// is owed to Redis after an `outage`.
void settle(Exchange& x, limit::Limiter& memory, Outage& outage);

}  // namespace headgate::gateway
