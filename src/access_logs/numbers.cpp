#include "numbers.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kMaxDigits = 19;
constexpr double kMaxScaled = 1e19;

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Reads an IPv4 address at the front of `text`, and removes it. Returns false if there is none.
bool take_v4(std::string_view& text, std::uint32_t& out) noexcept {
  std::uint32_t bytes = 0, value = 0;
  unsigned digits = 0, dots = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (digit(text[at])) {
      value = value * 10 + static_cast<std::uint32_t>(text[at] - '0');
      if (++digits > 3) return false;
    } else if (text[at] == '.' && digits > 0 && value < 256 && dots < 3) {
      bytes = bytes << 8 | value;
      value = digits = 0;
      ++dots;
    } else {
      break;
    }
  }
  if (dots != 3 || digits == 0 || value > 255) return false;
  out = bytes << 8 | value;
  text.remove_prefix(at);
  return true;
}

bool is_port(std::string_view rest) noexcept {
  if (!rest.starts_with(':') || rest.size() > 6) return false;
  for (const char c : rest.substr(1))
    if (!digit(c)) return false;
  return true;
}

bool read_v6(std::string_view text, boost::asio::ip::address& out) noexcept {
  std::array<char, INET6_ADDRSTRLEN + 1> copy{};
  text = text.substr(0, text.find('%'));
  if (text.size() >= copy.size()) return false;
  std::memcpy(copy.data(), text.data(), text.size());
  boost::asio::ip::address_v6::bytes_type bytes{};
  if (::inet_pton(AF_INET6, copy.data(), bytes.data()) != 1) return false;
  const boost::asio::ip::address_v6 address(bytes);
  if (address.is_v4_mapped())
    out = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address);
  else
    out = address;
  return true;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  std::uint64_t out = 0;
  for (const char c : text) {
    if (!digit(c)) return std::nullopt;
    out = out * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return out;
}

std::optional<std::uint64_t> scaled_number(std::string_view text, unsigned places) noexcept {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto fraction = point == text.npos ? std::string_view() : text.substr(point + 1);
  if (whole.size() + places <= kMaxDigits) {
    bool plain = !whole.empty();
    std::uint64_t out = 0;
    for (const char c : whole) {
      plain = plain && digit(c);
      out = out * 10 + static_cast<std::uint64_t>(c - '0');
    }
    for (std::size_t i = 0; i < places || i < fraction.size(); ++i) {
      const char c = i < fraction.size() ? fraction[i] : '0';
      plain = plain && digit(c);
      if (i < places) out = out * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (plain) return out;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  for (unsigned i = 0; i < places; ++i) value *= 10;
  if (!(value >= 0 && value < kMaxScaled)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

bool read_address(std::string_view text, boost::asio::ip::address& out) noexcept {
  std::uint32_t v4 = 0;
  if (auto rest = text; take_v4(rest, v4)) {
    if (!rest.empty() && !is_port(rest)) return false;
    out = boost::asio::ip::address_v4(v4);
    return true;
  }
  if (!text.starts_with('[')) return read_v6(text, out);
  const auto close = text.find(']');
  if (close == text.npos) return false;
  const auto rest = text.substr(close + 1);
  return (rest.empty() || is_port(rest)) && read_v6(text.substr(1, close - 1), out);
}

}  // namespace headgate::access_logs
