#include "node.hpp"

#include "address_text.hpp"

namespace headgate::identity {

std::optional<Node> parse_node(std::string_view text) noexcept {
  const bool bracketed = text.starts_with('[');
  const auto end = text.find(bracketed ? ']' : ':');
  if (bracketed && end == text.npos) return std::nullopt;
  const auto address = parse_address(bracketed ? text.substr(1, end - 1) : text.substr(0, end));
  // As it is written, not as what it stands for: "[::ffff:192.0.2.1]" is IPv6 here.
  if (!address || address->is_v6() != bracketed) return std::nullopt;

  auto behind = end == text.npos ? std::string_view{} : text.substr(bracketed ? end + 1 : end);
  if (behind.empty()) return Node{unmapped(*address), std::nullopt};
  if (behind.front() != ':') return std::nullopt;
  behind.remove_prefix(1);
  return Node{unmapped(*address), behind};
}

bool is_port(std::string_view text) noexcept {
  constexpr std::size_t kMostDigits = 5;
  if (text.empty() || text.size() > kMostDigits) return false;
  unsigned port = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    port = port * 10 + static_cast<unsigned>(digit - '0');
  }
  return port <= 65535;
}

std::optional<boost::asio::ip::address> parse_entry(std::string_view text) noexcept {
  const auto colon = text.find(':');
  if (colon != text.npos && !text.starts_with('[') && text.find(':', colon + 1) != text.npos) {
    const auto address = parse_address(text);
    if (!address) return std::nullopt;
    return unmapped(*address);
  }
  const auto node = parse_node(text);
  if (!node || (node->port && !is_port(*node->port))) return std::nullopt;
  return node->address;
}

}  // namespace headgate::identity
