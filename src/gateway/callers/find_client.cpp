#include "find_client.hpp"

#include "forwarding_headers.hpp"

namespace headgate::gateway {

void walk_to_client(Exchange& x, const identity::IdentityOptions& options) {
  ForwardingRoom room;
  const auto told = forwarding_values(x, options.address_field, room);
  const auto hops = identity::walk_hops(x.peer, options.address_field, told, options.trusted_proxies);
  x.caller.address = hops.client;
  x.caller.hops = hops.believed;
}

}  // namespace headgate::gateway
