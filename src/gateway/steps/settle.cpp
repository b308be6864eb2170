// Settles costs that are known only from the answer.

#include "gateway/limits/settle.hpp"

#include "gateway/admission/holds.hpp"
#include "gateway/admission/learn_use.hpp"
#include "gateway/reservations/reservation_counters.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

namespace headgate::gateway {

constexpr StepCounts kReservationCounts = counts_in<ReservationCounters>();

MaybeProblem note_served(Path& /*path*/, Exchange& x) {
  x.admission.served = true;
  return {};
}

void settle_costs(Path& path, Exchange& x) {
  settle(x, path.services.memory, *path.outage);
  if (x.learned != nullptr && x.bodies) learn_use(x);
  end_holds(path, x);
}

}  // namespace headgate::gateway
