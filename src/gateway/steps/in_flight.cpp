// Gives back the permits in flight of a request and its place in a capacity, and tells how long it waited for a permit.

#include "gateway/limits/in_flight.hpp"

#include "steps.hpp"

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/observe/access_log.hpp"

namespace headgate::gateway {

void leave_in_flight(Path& path, Exchange& x) { path.in_flight->release(x); }

void count_wait_for_permit(const ExchangeCounters& counters, const Exchange& x) {
  const auto& flight = x.flight;
  if (!flight.waited_for || x.admission.outcome != Admission::Outcome::allowed || x.client_gone) return;
  const auto for_place = x.capacity.waited.value_or(Duration(0));
  counters.of_tier(*flight.waited_for).waits->record(flight.waited - for_place);
}

void record_waits_in_turn(const Exchange& x, observe::AccessRecord& record) { record.queued += x.flight.waited; }

}  // namespace headgate::gateway
