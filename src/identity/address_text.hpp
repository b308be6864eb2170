#pragma once
// Addresses read strictly and written canonically, without allocating. Used by the client's address and by networks.

#include "address_bits.hpp"

#include "headgate/identity/client_address.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

/// "192.0.2.1" and nothing else; a leading zero is refused (some read it as octal).
std::optional<AddressBits> parse_v4(std::string_view text) noexcept;
/// RFC 4291 section 2.2 and nothing else: no zone, no brackets.
std::optional<AddressBits> parse_v6(std::string_view text) noexcept;

/// `text` as either of the two, told apart: IPv4-mapped IPv6 is not yet unmapped.
std::optional<boost::asio::ip::address> parse_address(std::string_view text) noexcept;

/// IPv4-mapped IPv6 as IPv4; anything else as it is, less the zone, which means nothing to another machine.
boost::asio::ip::address unmapped(const boost::asio::ip::address& address) noexcept;

/// `address` with all but its first `prefix` bits cleared.
boost::asio::ip::address_v4 masked(const boost::asio::ip::address_v4& address, unsigned prefix) noexcept;
boost::asio::ip::address_v6 masked(const boost::asio::ip::address_v6& address, unsigned prefix) noexcept;

/// Writes the dotted or the RFC 5952 form into `buffer`, at least kMostAddressText bytes, and returns how many were
/// written.
std::size_t write_address(const boost::asio::ip::address& address, std::span<char> buffer) noexcept;

}  // namespace headgate::identity
