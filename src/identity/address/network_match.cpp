#include "network_match.hpp"

#include "headgate/identity/client_address.hpp"

#include <algorithm>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

constexpr unsigned kMapped = 96;  // the common prefix of all IPv4-mapped addresses, in bits

bool begin_alike(const AddressBits& one, const AddressBits& other, unsigned prefix) noexcept {
  if (prefix == 0) return true;  // a shift by all 64 bits would be undefined
  if (prefix <= 64) return (one.high ^ other.high) >> (64 - prefix) == 0;
  return one.high == other.high && (one.low ^ other.low) >> (128 - prefix) == 0;
}

bool holds(const Network& network, const AddressBits& address) noexcept {
  if (const auto* v4 = std::get_if<ip::network_v4>(&network)) {
    return address.is_v4() && begin_alike(bits_of(v4->address()), address, kMapped + v4->prefix_length());
  }
  // Only blocks within ::ffff:0:0/96 contain IPv4 addresses; other IPv6 blocks contain none, not even ::/0.
  const auto& v6 = *std::get_if<ip::network_v6>(&network);
  if (v6.prefix_length() < kMapped && address.is_v4()) return false;
  return begin_alike(bits_of(v6.address()), address, v6.prefix_length());
}

}  // namespace

bool contains(std::span<const Network> networks, const AddressBits& address) noexcept {
  return std::any_of(networks.begin(), networks.end(), [&](const Network& each) { return holds(each, address); });
}

bool contains(std::span<const Network> networks, const ip::address& address) noexcept {
  return contains(networks, bits_of(address));
}

}  // namespace headgate::identity
