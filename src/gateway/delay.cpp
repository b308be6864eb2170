// A request whose permit comes later waits for it, as long as its client does. A permit that its client no longer waits
// for passes unused: given back, it would let the next request out beside one that already waits.

#include "delay.hpp"

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
