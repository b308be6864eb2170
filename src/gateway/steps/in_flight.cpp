// Returns the permits in flight of a request and its place in a capacity, and records how long the request waited for a
// permit.

#include "gateway/limits/in_flight.hpp"

#include "gateway/limits/limit_counters.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/observe/access_log.hpp"

namespace headgate::gateway {

void leave_in_flight(Path& path, Exchange& x) { path.in_flight->release(x); }

namespace {

void count_wait_for_permit(const TierCounters& counters, const Exchange& x) {
  const auto& flight = x.flight;
  if (!flight.waited_for || x.admission.outcome != Admission::Outcome::allowed || x.client_gone) return;
  const auto for_place = x.capacity.waited.value_or(Duration(0));
  counters.of(*flight.waited_for).waits->record(flight.waited - for_place);
}

}  // namespace

constexpr StepCounts kPermitWaitCounts = counts_in<TierCounters, count_wait_for_permit>();

void record_waits_in_turn(const Exchange& x, observe::AccessRecord& record) { record.queued += x.flight.waited; }

}  // namespace headgate::gateway
