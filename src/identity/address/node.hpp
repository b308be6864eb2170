#pragma once
// A hop in a proxy's field: an address with an optional port. Used by the parsers of such fields.

#include "address_bits.hpp"

#include <optional>
#include <string_view>

namespace headgate::identity {

struct ForwardedNode {
  AddressBits address;
  std::optional<std::string_view> port;  ///< the text after the colon, not parsed; absent if there is no colon
};

/// Parses "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]" or "[2001:db8::1]:80". Empty for any other text, such as an IPv4
/// address in brackets or IPv6 without them.
std::optional<ForwardedNode> parse_node(std::string_view text) noexcept;

/// Returns whether the text has one to five digits and is at most 65535.
bool is_port(std::string_view text) noexcept;

/// Parses an entry in a field without a standard: a node with a numeric port or none, or IPv6 without brackets and
/// port.
std::optional<AddressBits> parse_entry(std::string_view text) noexcept;

}  // namespace headgate::identity
