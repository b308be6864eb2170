#include "address_text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address_v4> parse_v4(std::string_view text) noexcept {
  std::uint32_t bits = 0;
  std::size_t at = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != '.')) return std::nullopt;
    const std::size_t start = at;
    unsigned value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < 3; ++at) {
      value = value * 10 + static_cast<unsigned>(text[at] - '0');
    }
    const std::size_t digits = at - start;
    if (digits == 0 || value > 255 || (digits > 1 && text[start] == '0')) return std::nullopt;
    bits = (bits << 8) | value;
  }
  if (at != text.size()) return std::nullopt;
  return ip::address_v4(bits);
}

std::optional<ip::address_v6> parse_v6(std::string_view text) noexcept {
  std::array<char, kMaxAddressText + 1> terminated;
  // A NUL inside would end the text early for inet_pton, and what follows it would pass unread.
  if (text.size() > kMaxAddressText || text.find('\0') != text.npos) return std::nullopt;
  std::memcpy(terminated.data(), text.data(), text.size());
  terminated[text.size()] = '\0';
  ip::address_v6::bytes_type bytes;
  if (::inet_pton(AF_INET6, terminated.data(), bytes.data()) != 1) return std::nullopt;
  return ip::address_v6(bytes);
}

char* write_v4(const ip::address_v4& address, char* out, char* end) noexcept {
  const auto bits = address.to_uint();
  for (int shift = 24; shift >= 0; shift -= 8) {
    out = std::to_chars(out, end, (bits >> shift) & 255U).ptr;
    if (shift > 0) *out++ = '.';
  }
  return out;
}

/// The longest run of two or more zero groups, the first of equals (RFC 5952 section 4.2); {8, 0} where there is none.
std::pair<std::size_t, std::size_t> longest_zero_run(const std::array<unsigned, 8>& groups) noexcept {
  std::pair<std::size_t, std::size_t> best{groups.size(), 0};
  for (std::size_t i = 0; i < groups.size();) {
    std::size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.second) best = {i, end - i};
    i = end + 1;
  }
  return best;
}

char* write_v6(const ip::address_v6& address, char* out, char* end) noexcept {
  const auto bytes = address.to_bytes();
  std::array<unsigned, 8> groups;
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = bytes[2 * i] * 256U + bytes[2 * i + 1];
  const auto [zeros, length] = longest_zero_run(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == zeros) {
      *out++ = ':';
      *out++ = ':';
      i += length - 1;
      continue;
    }
    if (i > 0 && i != zeros + length) *out++ = ':';
    out = std::to_chars(out, end, groups[i], 16).ptr;
  }
  return out;
}

}  // namespace

std::optional<ip::address> parse_address(std::string_view text) noexcept {
  if (text.find(':') == text.npos) {
    if (const auto address = parse_v4(text)) return ip::address(*address);
    return std::nullopt;
  }
  if (const auto address = parse_v6(text)) return ip::address(*address);
  return std::nullopt;
}

ip::address unmapped(const ip::address& address) noexcept {
  if (address.is_v4()) return address;
  const auto bytes = address.to_v6().to_bytes();
  constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(kMapped.data(), bytes.data(), kMapped.size()) != 0) return ip::address_v6(bytes);
  return ip::address_v4(ip::address_v4::bytes_type{bytes[12], bytes[13], bytes[14], bytes[15]});
}

ip::address_v4 masked(const ip::address_v4& address, unsigned prefix) noexcept {
  if (prefix == 0) return {};  // a shift by all 32 bits would be undefined
  return ip::address_v4(address.to_uint() & (prefix >= 32 ? ~std::uint32_t{0} : ~std::uint32_t{0} << (32 - prefix)));
}

ip::address_v6 masked(const ip::address_v6& address, unsigned prefix) noexcept {
  auto bytes = address.to_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned kept = prefix > 8 * i ? std::min(prefix - 8U * static_cast<unsigned>(i), 8U) : 0U;
    bytes[i] = static_cast<unsigned char>(bytes[i] & (0xff00U >> kept));
  }
  return ip::address_v6(bytes);
}

std::size_t write_address(const ip::address& address, std::span<char> buffer) noexcept {
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  char* const last = address.is_v4() ? write_v4(address.to_v4(), begin, end) : write_v6(address.to_v6(), begin, end);
  return static_cast<std::size_t>(last - begin);
}

}  // namespace headgate::identity
