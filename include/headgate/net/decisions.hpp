#pragma once
// The protocol of a listener: it forwards requests, or decides about the requests of another proxy. Used by config,
// session and gateway.

#include <cstdint>

namespace headgate::net {

/// The use of a listener.
enum class ListenProtocol : std::uint8_t {
  http,               ///< answers to requests
  decision,           ///< decisions about the requests of another proxy's clients
  rate_limit_service  ///< the same as calls of Envoy's rate limit service (gRPC)
};

/// The proxy that asks for a decision about a request of its client, by its way of naming that request.
enum class AskingProxy : std::uint8_t {
  none,     ///< the listener gets the requests of its clients themselves
  nginx,    ///< `auth_request`: X-Original-Method and X-Original-URI
  traefik,  ///< `forwardAuth`: X-Forwarded-Method, X-Forwarded-Uri and X-Forwarded-Host
  caddy,    ///< `forward_auth`: the same fields
  envoy     ///< `ext_authz` by HTTP: method, path and host of the request itself
};

}  // namespace headgate::net
