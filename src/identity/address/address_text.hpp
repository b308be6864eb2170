#pragma once
// Parses addresses strictly and writes them canonically, without allocating. Used for the client's address and for
// networks.

#include "address_bits.hpp"

#include "headgate/identity/client_address.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::identity {

/// Parses "192.0.2.1" and no other form; a leading zero is an error, because some programs parse it as octal.
std::optional<AddressBits> parse_v4(std::string_view text) noexcept;
/// Parses the forms of RFC 4291 section 2.2 and no other: no zone, no brackets.
std::optional<AddressBits> parse_v6(std::string_view text) noexcept;

/// Parses an address of either form. IPv4-mapped IPv6 stays IPv6.
std::optional<boost::asio::ip::address> parse_address(std::string_view text) noexcept;

/// Returns an IPv4-mapped IPv6 address as IPv4. Returns any other address unchanged, but without its zone, which has no
/// meaning on another machine.
boost::asio::ip::address unmapped(const boost::asio::ip::address& address) noexcept;

/// Returns `address` with all but its first `prefix` bits cleared.
boost::asio::ip::address_v4 masked(const boost::asio::ip::address_v4& address, unsigned prefix) noexcept;
boost::asio::ip::address_v6 masked(const boost::asio::ip::address_v6& address, unsigned prefix) noexcept;

/// Writes an IPv4 address in dotted form and an IPv6 address in the form of RFC 5952 into `buffer`, which has at least
/// kMaxAddressText bytes. Returns the number of bytes written.
std::size_t write_address(const boost::asio::ip::address& address, std::span<char> buffer) noexcept;

}  // namespace headgate::identity
