#pragma once
// Makes health checks over the network: an HTTP request, or only a connection.

#include "headgate/upstream/health_checks.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace headgate::upstream {

/// Where a server's name leads; empty: the check looks it up.
using AddressesOf = std::function<std::vector<net::Tcp::endpoint>(const std::string& host, std::uint16_t port)>;

/// Makes checks on `loop`, which outlives them; its thread only. A check with a path is a GET on a connection of its
/// own that follows no redirect; without one it connects. Both do the TLS handshake where the servers use TLS, as
/// requests do.
BeginHealthCheck health_calls(boost::asio::io_context& loop, AddressesOf addresses_of);

}  // namespace headgate::upstream
