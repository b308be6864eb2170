#pragma once
// The addresses that the name of a server resolves to. Used by names, the diallers and server.

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::upstream {

struct NamedAddresses {
  std::string host;
  std::uint16_t port = 80;
  std::vector<boost::asio::ip::tcp::endpoint> addresses;  ///< addresses of both families, at least one
};

}  // namespace headgate::upstream
