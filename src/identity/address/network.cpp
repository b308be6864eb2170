#include "headgate/identity/network.hpp"

#include "address_text.hpp"

#include "headgate/core/whole_number.hpp"

#include <array>
#include <optional>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

/// Returns the user's text in quotes, cut if it is too long for a message.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 64;
  if (text.size() <= kShown) return '"' + std::string(text) + '"';
  return '"' + std::string(text.substr(0, kShown)) + "...\"";
}

std::string address_text(const ip::address& address) {
  std::array<char, kMaxAddressText> buffer;
  return {buffer.data(), write_address(address, buffer)};
}

std::string block_text(const ip::address& address, unsigned prefix) {
  return address_text(address) + '/' + std::to_string(prefix);
}

std::optional<unsigned> parse_prefix(std::string_view text, unsigned most) noexcept {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return whole_number<unsigned>(text, 0, most);
}

ip::address masked_any(const ip::address& address, unsigned prefix) noexcept {
  if (address.is_v4()) return masked(address.to_v4(), prefix);
  return masked(address.to_v6(), prefix);
}

Network block(const ip::address& address, unsigned prefix) {
  const auto bits = static_cast<unsigned short>(prefix);
  if (address.is_v4()) return ip::network_v4(address.to_v4(), bits);
  return ip::network_v6(address.to_v6(), bits);
}

std::string not_an_address(std::string_view text, std::string_view address) {
  if (address.find('%') != address.npos) {
    return quoted(text) +
           " names a zone, which only this machine knows; write the address without \"%\" and what follows it";
  }
  return quoted(text) + R"( is not an IP address or network; write one such as "10.0.0.0/8", "10.1.2.3" or "fd00::/8")";
}

}  // namespace

Result<Network, std::string> parse_network(std::string_view text) {
  const auto slash = text.find('/');
  const auto written = text.substr(0, slash);
  auto address = parse_address(written);
  if (!address) return not_an_address(text, written);

  const unsigned most = address->is_v4() ? 32 : 128;
  unsigned prefix = most;
  if (slash != text.npos) {
    const auto read = parse_prefix(text.substr(slash + 1), most);
    if (!read) {
      return quoted(text) + ": the part after the slash must be a number of bits from 0 to " + std::to_string(most) +
             ", as in \"" + block_text(masked_any(*address, most / 4), most / 4) + '"';
    }
    prefix = *read;
  }
  if (const auto network = masked_any(*address, prefix); network != *address) {
    return quoted(text) + " has host bits set; write \"" + block_text(network, prefix) + "\" for the network or \"" +
           address_text(*address) + "\" for the one address";
  }
  if (const auto v4 = unmapped(*address); v4.is_v4() && address->is_v6() && prefix >= 96) return block(v4, prefix - 96);
  return block(*address, prefix);
}

std::string block_of(const ip::address& address, unsigned length) {
  const auto plain = unmapped(address);
  if (plain.is_v4() && length == 32) return address_text(plain);
  return block_text(masked_any(plain, length), length);
}

std::string to_text(const Network& network) {
  return std::visit(
      [](const auto& net) {
        const ip::address address = net.address();
        const unsigned most = address.is_v4() ? 32 : 128;
        return net.prefix_length() == most ? address_text(address) : block_text(address, net.prefix_length());
      },
      network);
}

}  // namespace headgate::identity
