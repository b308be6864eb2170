#pragma once
// One hop as the fields of proxies write it: an address that may carry a port. Used by the readers of such fields.

#include "address_bits.hpp"

#include <optional>
#include <string_view>

namespace headgate::identity {

struct Node {
  AddressBits address;
  std::optional<std::string_view> port;  ///< what stands behind the colon, unread; nothing where there is no colon
};

/// "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]" or "[2001:db8::1]:80"; nothing for anything else, such as an IPv4
/// address in brackets or IPv6 without them.
std::optional<Node> parse_node(std::string_view text) noexcept;

/// One to five digits, up to 65535.
bool is_port(std::string_view text) noexcept;

/// The address of an entry where no grammar says how one is written: a node whose port is a number, or IPv6 without
/// brackets and so without a port.
std::optional<AddressBits> parse_entry(std::string_view text) noexcept;

}  // namespace headgate::identity
