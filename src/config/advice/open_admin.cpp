// Advice on an admin port that strangers may reach. If the port needs no token, it is an error instead.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

namespace ip = boost::asio::ip;

/// Returns whether the address belongs to a network that the internet cannot reach directly.
bool is_private(const ip::address& address) {
  if (address.is_v6()) {
    const auto bytes = address.to_v6().to_bytes();
    return (bytes[0] & 0xFEU) == 0xFCU || address.to_v6().is_link_local();
  }
  struct Block {
    std::uint32_t network;
    unsigned bits;
  };
  static constexpr std::array<Block, 5> kBlocks{
      {{0x0A000000, 8}, {0x64400000, 10}, {0xA9FE0000, 16}, {0xAC100000, 12}, {0xC0A80000, 16}}};
  const auto number = address.to_v4().to_uint();
  return std::ranges::any_of(kBlocks, [&](const Block& block) {
    return (number >> (32 - block.bits)) == (block.network >> (32 - block.bits));
  });
}

}  // namespace

void advise_open_admin(Adviser& given) {
  const auto& admin = given.config().admin;
  const Node* const listen = text_at(find(&given.build().root, "admin"), "listen");
  // If the address comes from a placeholder, the operator of the machine has chosen it deliberately.
  if (!admin || listen == nullptr || listen->replaced) return;
  boost::system::error_code ec;
  const auto address = ip::make_address(admin->listen.host, ec);
  const bool everywhere = admin->listen.host.empty() || (!ec && address.is_unspecified());
  if (!everywhere && (ec || address.is_loopback() || is_private(address))) return;
  given.say(
      *listen,
      std::string(everywhere ? "administration is on every network of this machine"
                             : "this address is of the internet") +
          ": whoever reaches it may try tokens, and the right one crosses the network unencrypted",
      R"(listen on "127.0.0.1:)" + std::to_string(admin->listen.port) +
          R"(" or on an address of an internal network; if something keeps others out, say so: "accept_advice": ["open_admin"])");
}

}  // namespace headgate::config
