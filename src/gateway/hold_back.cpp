// A request whose permit comes later waits for it, as long as its client does. A permit that its client no longer waits
// for passes unused: given back, it would let the next request out beside one that already waits.

#include "hold.hpp"

#include "headgate/gateway/gateway.hpp"

namespace headgate::gateway {

Task<void> Gateway::hold_back(Exchange& x) {
  if (x.client_gone) co_return;
  Hold hold(services_.loop, x.admission.delay);
  x.hold = &hold;
  co_await hold;
  x.hold = nullptr;
}

}  // namespace headgate::gateway
