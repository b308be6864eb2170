#pragma once
// Finds the address of the client that trusted hops name.

#include "headgate/gateway/exchange.hpp"
#include "headgate/identity/client_address.hpp"

namespace headgate::gateway {

/// Does the same as find_client() for a peer that is a trusted hop.
void walk_to_client(Exchange& x, const identity::IdentityOptions& options);

/// Sets the address of the caller, its hops, and whether the fields of the peer are believed. May be called more than
/// once.
inline void find_client(Exchange& x, const identity::IdentityOptions& options) {
  auto& caller = x.caller;
  caller.address = x.peer;
  // A hop that does not know its client has not written the fields about the client either, so they are not believed.
  caller.through_trusted =
      !x.source_untold && !options.trusted_proxies.empty() && identity::contains(options.trusted_proxies, x.peer);
  if (caller.through_trusted) walk_to_client(x, options);
}

/// Returns the client's address for Router::Wanted; null if no route depends on it. Finds the client first if
/// necessary.
inline const boost::asio::ip::address* client_for_routes(Exchange& x) {
  const auto& compiled = *x.snapshot->compiled;
  if (!compiled.routes_by_address()) return nullptr;
  find_client(x, compiled.identity());
  return &x.caller.address;
}

}  // namespace headgate::gateway
