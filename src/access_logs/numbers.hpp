#pragma once
// Numbers and addresses as logs write them.

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::access_logs {

/// Digits alone. Nothing: it is none, or has more than 19 digits.
std::optional<std::uint64_t> whole_number(std::string_view text) noexcept;

/// A number of 0 or more with an optional fraction and exponent, times 10^`places`, rounded down. Nothing: it is none,
/// or the result is 10^19 or more.
std::optional<std::uint64_t> scaled_number(std::string_view text, unsigned places) noexcept;

/// An address of IPv4 or IPv6, in brackets or not, with an optional port and an optional zone, which is dropped.
/// IPv4-mapped IPv6 is IPv4. False: it is none, and `out` is as before.
bool read_address(std::string_view text, boost::asio::ip::address& out) noexcept;

}  // namespace headgate::access_logs
