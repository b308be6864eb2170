// Counts what became of a request's appointment.

#include "gateway/limits/appointments.hpp"

#include "steps.hpp"

#include "headgate/gateway/exchange_counters.hpp"

namespace headgate::gateway {

void count_appointments(const ExchangeCounters& counters, const Exchange& x) {
  if (x.appointments.tier == nullptr) return;
  const auto& of_tier = counters.of_tier(*x.appointments.tier).appointments;
  for (std::size_t i = 0; i < of_tier.size(); ++i)
    if (x.appointments.events[i] && of_tier[i]) of_tier[i]->add();
}

}  // namespace headgate::gateway
