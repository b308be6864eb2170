// Takes a place at the upstream and holds it until the head of the answer arrives, or until the exchange ends.

#include "shed.hpp"
#include "steps.hpp"

namespace headgate::gateway {

// Takes the place, unless the request has waited for it and has it already (gateway/steps/queue).
MaybeProblem take_place(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (x.client_gone) return {};
  if (!concurrency) {
    if (x.shedding.effective != x.shedding.priority) overload_of(x)->trickled(path.services.clock.steady());
    return {};
  }
  if (!x.shedding.slot.held() && !concurrency->admits(x.shedding.effective)) return refuse_place(x, *concurrency);
  const auto now = path.services.clock.steady();
  if (x.shedding.effective != x.shedding.priority) concurrency->trickled(now);
  if (!x.shedding.slot.held()) x.shedding.slot.take(*concurrency, x.shedding.effective, now);
  show_concurrency(path, x, *concurrency);
  return {};
}

void leave_place(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  if (!concurrency) return;
  if (x.shedding.slot.held())
    x.client_gone ? x.shedding.slot.abandoned(path.services.clock.steady()) : x.shedding.slot.leave();
  show_concurrency(path, x, *concurrency);
}

}  // namespace headgate::gateway
