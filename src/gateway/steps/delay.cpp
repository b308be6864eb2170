// Waits until the permit of a request comes, or its client goes away. In the latter case the permit is lost: if it were
// given back, the next request would get the same moment as one that already waits.

#include "headgate/gateway/delay.hpp"

#include "headgate/gateway/gateway.hpp"

namespace headgate::gateway {

Task<void> Gateway::delay(Exchange& x) {
  if (x.client_gone) co_return;
  Delay delay(services_.clock, x.admission.delay);
  x.delay = &delay;
  co_await delay;
  x.delay = nullptr;
}

}  // namespace headgate::gateway
