// Fuzzes X-Forwarded-For (a field a line) and the networks of a configuration.

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace headgate::fuzz {

void forwarded_for_fuzz(std::string_view text) {
  using namespace headgate::identity;
  static const std::vector<Network> trusted{*parse_network("10.0.0.0/8"), *parse_network("fd00::/8")};
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    fields.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto walk = [&](const boost::asio::ip::address& peer) {
    return walk_hops(peer, AddressField::x_forwarded_for, fields, trusted).client;
  };
  const auto stranger = boost::asio::ip::make_address("203.0.113.7");
  if (walk(stranger) != stranger) std::abort();  // an untrusted peer is not believed

  const auto client = walk(boost::asio::ip::make_address("10.0.0.1"));
  std::array<char, 64> buffer;
  const auto key = client_ip_key(client, 64, buffer);
  const auto block = parse_network(key);
  if (!block || !contains({&*block, 1}, client)) std::abort();  // the key must parse as a block around the client

  if (const auto network = parse_network(text)) {
    const auto again = parse_network(to_text(*network));
    if (!again || *again != *network) std::abort();
  }
}

}  // namespace headgate::fuzz
