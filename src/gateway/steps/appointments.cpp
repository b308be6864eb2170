// Counts the outcome of a request's appointment.

#include "gateway/limits/appointments.hpp"

#include "gateway/limits/limit_counters.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

namespace headgate::gateway {

namespace {

void count_appointments(const TierCounters& counters, const Exchange& x) {
  if (x.appointments.tier == nullptr) return;
  const auto& of_tier = counters.of(*x.appointments.tier).appointments;
  for (std::size_t i = 0; i < of_tier.size(); ++i)
    if (x.appointments.events[i] && of_tier[i]) of_tier[i]->add();
}

}  // namespace

constexpr StepCounts kAppointmentCounts = counts_in<TierCounters, count_appointments>();

}  // namespace headgate::gateway
