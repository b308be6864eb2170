#pragma once
// Parses numbers and addresses as logs write them.

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::access_logs {

/// Parses digits only. Empty for other text or more than 19 digits.
std::optional<std::uint64_t> whole_number(std::string_view text) noexcept;

/// Parses a number of 0 or more with an optional fraction and exponent. Returns it times 10^`places`, rounded down.
/// Empty if the text is invalid, or if the result would be 10^19 or more.
std::optional<std::uint64_t> scaled_number(std::string_view text, unsigned places) noexcept;

/// Parses an IPv4 or IPv6 address, in brackets or not, with an optional port and an optional zone, which is dropped.
/// IPv4-mapped IPv6 becomes IPv4. Returns false, with `out` unchanged, if it is invalid.
bool read_address(std::string_view text, boost::asio::ip::address& out) noexcept;

}  // namespace headgate::access_logs
