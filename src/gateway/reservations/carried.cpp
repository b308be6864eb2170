#include "carried.hpp"

#include <utility>

namespace headgate::gateway {

std::unique_ptr<Exchange> carried(Exchange& x, Clock& clock) {
  auto out = std::make_unique<Exchange>();
  auto& to = *out;
  const auto own = [&to](std::string_view text) { return text.empty() ? text : to.text.join({text}); };
  to.clock = &clock;
  to.started = x.started;
  to.random = x.random;
  to.snapshot = x.snapshot;
  to.route = x.route;
  to.status = x.status;
  to.ended_by = EndedBy::respond;
  to.caller.known_key = x.caller.known_key;  // belongs to the credentials of the snapshot
  to.used = true;
  to.quotas_noticed = x.quotas_noticed;
  to.appointments.kept = x.appointments.kept;  // has the rule of a check
  to.flight.token = own(x.flight.token);
  to.holds.taken = std::move(x.holds.taken);
  x.holds.taken.clear();
  to.admission = x.admission;
  auto& a = to.admission;
  a.binding = nullptr;
  a.served = true;
  for (auto& check : a.checks) {
    check.key = own(check.key);
    if (!check.token.empty()) check.token = to.flight.token;
  }
  for (auto& use : a.unchecked) use.key = own(use.key);
  if (x.in_flight.is_linked()) x.in_flight.unlink();
  for (const auto step : {Step::bill, Step::in_flight, Step::notices, Step::settle}) x.left.add(step);
  return out;
}

}  // namespace headgate::gateway
