// Fuzzes Forwarded: whatever a client writes, the element that the next hop appends is the one that is believed.

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::fuzz {

void forwarded_fuzz(std::string_view bytes) {
  using namespace headgate::identity;
  static const std::vector<Network> trusted{*parse_network("10.0.0.0/8")};
  static const auto peer = boost::asio::ip::make_address("10.0.0.1");
  static const auto client = boost::asio::ip::make_address("2001:db8::1");
  const std::string words(bytes);

  const std::string appended = words + R"(, for="[2001:db8::1]:80";host="a, \"b", for=10.0.0.2)";
  std::string_view field = appended;
  const auto hops = walk_hops(peer, AddressField::forwarded, {&field, 1}, trusted);
  if (hops.client != client || hops.believed != 2) std::abort();

  field = words;
  const auto alone = walk_hops(peer, AddressField::forwarded, {&field, 1}, trusted);
  Chain room;
  const auto chain = believed_chain(alone, peer, AddressField::forwarded, {&field, 1}, room);
  if (chain.size() != alone.believed + 1 || chain.front() != alone.client) std::abort();
}

}  // namespace headgate::fuzz
