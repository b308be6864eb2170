#pragma once
// Makes health checks over the network: an HTTP request, or only a connection. Used by server.

#include "headgate/upstream/health_checks.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace headgate::upstream {

/// Returns the addresses of a server's name; if empty, the check resolves the name.
using AddressesOf = std::function<std::vector<net::Tcp::endpoint>(const std::string& host, std::uint16_t port)>;

/// Returns a function that makes checks on `loop`, which outlives them; the loop's thread only. A check with a path
/// sends a GET on a connection of its own and follows no redirect; a check without a path only connects. Both do the
/// TLS handshake if requests to the servers use TLS.
BeginHealthCheck health_calls(boost::asio::io_context& loop, AddressesOf addresses_of);

}  // namespace headgate::upstream
