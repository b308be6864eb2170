// Waits until the permit of a request comes, or its client goes away. In the latter case the permit is lost: if it were
// given back, the next request would get the same moment as one that already waits.

#include "headgate/gateway/delay.hpp"

#include "steps.hpp"

namespace headgate::gateway {

bool waits_for_permit(Path& /*path*/, Exchange& x) { return x.admission.delay > Duration(0) && !x.client_gone; }

Task<MaybeProblem> delay(Path& path, Exchange& x) {
  Delay delay(path.services.clock, x.admission.delay);
  x.delay = &delay;
  co_await delay;
  x.delay = nullptr;
  co_return MaybeProblem{};
}

}  // namespace headgate::gateway
