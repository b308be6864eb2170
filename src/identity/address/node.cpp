#include "node.hpp"

#include "address_text.hpp"

#include <algorithm>

namespace headgate::identity {

std::optional<ForwardedNode> parse_node(std::string_view text) noexcept {
  const bool bracketed = text.starts_with('[');
  const auto end = text.find(bracketed ? ']' : ':');
  if (bracketed && end == text.npos) return std::nullopt;
  // The notation decides the family, so "[::ffff:192.0.2.1]" is IPv6 here.
  const auto address = bracketed ? parse_v6(text.substr(1, end - 1)) : parse_v4(text.substr(0, end));
  if (!address) return std::nullopt;

  auto behind = end == text.npos ? std::string_view{} : text.substr(bracketed ? end + 1 : end);
  if (behind.empty()) return ForwardedNode{*address, std::nullopt};
  if (behind.front() != ':') return std::nullopt;
  behind.remove_prefix(1);
  return ForwardedNode{*address, behind};
}

bool is_port(std::string_view text) noexcept {
  constexpr std::size_t kMaxDigits = 5;
  if (text.empty() || text.size() > kMaxDigits) return false;
  unsigned port = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    port = port * 10 + static_cast<unsigned>(digit - '0');
  }
  return port <= 65535;
}

std::optional<AddressBits> parse_entry(std::string_view text) noexcept {
  // An IPv6 address without brackets has a colon after at most four digits. No IPv4 address is so short that its port
  // could begin there.
  constexpr std::size_t kLongestGroup = 4;
  const auto start = text.substr(0, kLongestGroup + 1);
  if (!text.starts_with('[') && std::find(start.begin(), start.end(), ':') != start.end()) return parse_v6(text);
  const auto node = parse_node(text);
  if (!node || (node->port && !is_port(*node->port))) return std::nullopt;
  return node->address;
}

}  // namespace headgate::identity
