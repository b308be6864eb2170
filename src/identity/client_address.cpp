#include "headgate/identity/client_address.hpp"

#include "address_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

constexpr int kMaxHops = 64;  // said in the header; no honest chain comes near it

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_port(std::string_view text) noexcept {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port <= 65535;
}

/// "1.2.3.4", "1.2.3.4:80", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443"; nothing for anything else.
std::optional<ip::address> parse_entry(std::string_view entry) noexcept {
  if (entry.starts_with('[')) {
    const auto close = entry.find(']');
    if (close == entry.npos) return std::nullopt;
    const auto after = entry.substr(close + 1);
    if (!after.empty() && (after.front() != ':' || !is_port(after.substr(1)))) return std::nullopt;
    entry = entry.substr(1, close - 1);
    if (entry.find(':') == entry.npos) return std::nullopt;  // brackets are for IPv6 alone
  } else if (const auto colon = entry.find(':'); colon != entry.npos && colon == entry.rfind(':')) {
    if (!is_port(entry.substr(colon + 1))) return std::nullopt;
    entry = entry.substr(0, colon);
  }
  const auto address = parse_address(entry);
  if (!address) return std::nullopt;
  return unmapped(*address);
}

/// The entries of all fields, last one first.
class FromTheRight {
 public:
  explicit FromTheRight(std::span<const std::string_view> fields) noexcept : fields_(fields) {}

  /// The next entry to the left, trimmed; nothing once there is none.
  std::optional<std::string_view> next() noexcept {
    if (!within_) {
      if (fields_.empty()) return std::nullopt;
      rest_ = fields_.back();
      fields_ = fields_.first(fields_.size() - 1);
    }
    const auto comma = rest_.rfind(',');
    within_ = comma != rest_.npos;
    const auto entry = within_ ? rest_.substr(comma + 1) : rest_;
    if (within_) rest_ = rest_.substr(0, comma);
    return trimmed(entry);
  }

 private:
  std::span<const std::string_view> fields_;
  std::string_view rest_;
  bool within_ = false;  // rest_ still holds entries, the leftmost of which may be empty
};

bool lies_in(const ip::network_v4& network, const ip::address_v4& address) noexcept {
  return masked(address, network.prefix_length()) == masked(network.address(), network.prefix_length());
}

bool lies_in(const ip::network_v6& network, const ip::address_v6& address) noexcept {
  const auto block = network.address().to_bytes();
  const auto bytes = address.to_bytes();
  const std::size_t whole = network.prefix_length() / 8U;
  const unsigned rest = network.prefix_length() % 8U;
  if (std::memcmp(block.data(), bytes.data(), whole) != 0) return false;
  return rest == 0 || ((block[whole] ^ bytes[whole]) >> (8 - rest)) == 0;
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

/// As contains, for an address that is unmapped already.
bool any_holds(std::span<const Network> networks, const ip::address& address) noexcept {
  return std::any_of(networks.begin(), networks.end(), [&](const Network& network) { return holds(network, address); });
}

}  // namespace

bool contains(std::span<const Network> networks, const ip::address& address) noexcept {
  return any_holds(networks, unmapped(address));
}

Hops walk_hops(const ip::address& peer, AddressField, std::span<const std::string_view> fields,
               std::span<const Network> trusted) noexcept {
  Hops hops{unmapped(peer), 0};
  FromTheRight entries(fields);
  for (int hop = 0; hop < kMaxHops && any_holds(trusted, hops.client); ++hop) {
    const auto entry = entries.next();
    if (!entry) break;
    const auto said = parse_entry(*entry);
    if (!said) break;
    hops.client = *said;
    ++hops.believed;
  }
  return hops;
}

std::string_view client_ip_subject(const ip::address& address, unsigned ipv6_prefix, std::span<char> buffer) noexcept {
  constexpr std::size_t kLongest = kMaxAddressText + 4;  // "/128"
  if (buffer.size() < kLongest) return {};
  const auto plain = unmapped(address);
  if (plain.is_v4()) return {buffer.data(), write_address(plain, buffer)};
  const unsigned prefix = std::clamp(ipv6_prefix, 1U, 128U);
  std::size_t size = write_address(masked(plain.to_v6(), prefix), buffer);
  buffer[size++] = '/';
  char* const end = std::to_chars(buffer.data() + size, buffer.data() + buffer.size(), prefix).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

}  // namespace headgate::identity
