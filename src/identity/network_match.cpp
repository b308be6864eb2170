// Whether an address lies in a network, whichever way either is written.

#include "address_text.hpp"

#include "headgate/identity/client_address.hpp"

#include <boost/endian/conversion.hpp>

#include <algorithm>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

bool lies_in(const ip::network_v4& network, const ip::address_v4& address) noexcept {
  return masked(address, network.prefix_length()) == masked(network.address(), network.prefix_length());
}

bool lies_in(const ip::network_v6& network, const ip::address_v6& address) noexcept {
  const auto block = network.address().to_bytes();
  const auto bytes = address.to_bytes();
  const auto differs = [&](std::size_t half) {
    return boost::endian::load_big_u64(block.data() + 8 * half) ^ boost::endian::load_big_u64(bytes.data() + 8 * half);
  };
  const unsigned prefix = network.prefix_length();
  if (prefix == 0) return true;  // a shift by all 64 bits would be undefined
  if (prefix <= 64) return differs(0) >> (64 - prefix) == 0;
  return differs(0) == 0 && differs(1) >> (128 - prefix) == 0;
}

/// A block within ::ffff:0:0/96 holds IPv4 addresses; every other IPv6 block, ::/0 too, holds none.
bool lies_in(const ip::network_v6& network, const ip::address_v4& address) noexcept {
  if (network.prefix_length() < 96) return false;
  const auto v4 = unmapped(network.address());
  const unsigned prefix = network.prefix_length() - 96U;
  return v4.is_v4() && masked(address, prefix) == masked(v4.to_v4(), prefix);
}

bool holds(const Network& network, const ip::address& address) noexcept {
  if (const auto* v4 = std::get_if<ip::network_v4>(&network)) return address.is_v4() && lies_in(*v4, address.to_v4());
  const auto& v6 = *std::get_if<ip::network_v6>(&network);
  return address.is_v4() ? lies_in(v6, address.to_v4()) : lies_in(v6, address.to_v6());
}

}  // namespace

bool contains(std::span<const Network> networks, const ip::address& address) noexcept {
  const auto plain = unmapped(address);
  return std::any_of(networks.begin(), networks.end(), [&](const Network& network) { return holds(network, plain); });
}

}  // namespace headgate::identity
