// Waits until the permit of a request comes, or its client goes away. In the latter case the permit is lost: if it were
// given back, the next request would get the same moment as one that already waits.

#include "headgate/gateway/delay.hpp"

#include "deadline.hpp"
#include "steps.hpp"

namespace headgate::gateway {

bool waits_for_permit(Path& /*path*/, Exchange& x) { return x.admission.delay > Duration(0) && !x.client_gone; }

Task<MaybeProblem> delay(Path& path, Exchange& x) {
  // Refused at once it gives its permit back: nobody has been told a moment behind it yet.
  if (const auto left = time_left(x); left && *left < x.admission.delay)
    co_return Problem{.status = 504,
                      .ended_by = EndedBy::limit,
                      .detail = "The wait for a permit would be longer than the deadline of this request.",
                      .limit = x.admission.binding->route_limit->limit->name};
  Delay delay(path.services.clock, x.admission.delay);
  x.delay = &delay;
  co_await delay;
  x.delay = nullptr;
  co_return MaybeProblem{};
}

}  // namespace headgate::gateway
