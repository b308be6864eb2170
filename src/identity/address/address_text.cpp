#include "address_text.hpp"

#include "headgate/core/text_cursor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

/// Parses four decimal numbers into one number.
std::optional<std::uint32_t> read_dotted(std::string_view text) noexcept {
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
  return bits;
}

/// Maps each byte to its value as a hexadecimal digit; 16 if it is not one.
constexpr auto kHexValues = [] {
  std::array<std::uint8_t, 256> worth{};
  worth.fill(16);
  for (std::uint8_t i = 0; i < 10; ++i) worth[static_cast<std::size_t>('0') + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i)
    worth[static_cast<std::size_t>('a') + i] = worth[static_cast<std::size_t>('A') + i] = 10 + i;
  return worth;
}();

/// Takes up to four digits from `at` on. Takes nothing if there is no digit.
unsigned take_group(std::string_view text, std::size_t& at) noexcept {
  const auto worth = [text](std::size_t place) {
    return unsigned{kHexValues[static_cast<unsigned char>(text[place])]};
  };
  if (at + 4 <= text.size()) {  // the usual case: to parse four digits at once costs half as much as one by one
    const unsigned a = worth(at), b = worth(at + 1), c = worth(at + 2), d = worth(at + 3);
    if ((a | b | c | d) < 16) {
      at += 4;
      return a << 12 | b << 8 | c << 4 | d;
    }
  }
  unsigned group = 0;
  for (const auto start = at; at < text.size() && at - start < 4 && worth(at) < 16; ++at)
    group = group << 4 | worth(at);
  return group;
}

/// The groups of an IPv6 address; the last group has the lowest bits.
struct Groups {
  AddressBits bits;
  unsigned count = 0;

  void push(std::uint64_t group) noexcept {
    bits = {bits.high << 16 | bits.low >> 48, bits.low << 16 | group};
    ++count;
  }
};

char* write_v4(const ip::address_v4& address, char* out, char* end) noexcept {
  const auto bits = address.to_uint();
  TextCursor cursor(out, static_cast<std::size_t>(end - out));
  for (int shift = 24; shift >= 0; shift -= 8) {
    cursor.number((bits >> shift) & 255U);
    if (shift > 0) cursor.character('.');
  }
  return cursor.at();
}

/// Returns the start and length of the longest run of two or more zero groups, or of the first such run if several are
/// equally long (RFC 5952 section 4.2). Returns {8, 0} if there is none.
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

std::optional<AddressBits> parse_v4(std::string_view text) noexcept {
  const auto bits = read_dotted(text);
  if (!bits) return std::nullopt;
  return bits_of(ip::address_v4(*bits));
}

// inet_pton is not used, because it takes twice as long, and every hop of every request is parsed here.
std::optional<AddressBits> parse_v6(std::string_view text) noexcept {
  Groups groups;
  std::optional<Groups> head;  // the groups before "::"
  std::size_t at = 0;
  if (text.starts_with("::")) head.emplace(), at = 2;
  while (at < text.size()) {
    const std::size_t start = at;
    const unsigned group = take_group(text, at);
    if (at == start || groups.count == 8) return std::nullopt;
    if (at < text.size() && text[at] == '.') {
      const auto tail = read_dotted(text.substr(start));
      if (!tail) return std::nullopt;
      groups.push(*tail >> 16);
      groups.push(*tail & 0xffff);
      break;
    }
    groups.push(group);
    if (at == text.size()) break;
    if (text[at++] != ':' || at == text.size()) return std::nullopt;
    if (text[at] != ':') continue;
    if (head) return std::nullopt;
    head = std::exchange(groups, {});
    ++at;
  }
  if (!head) {
    if (groups.count != 8) return std::nullopt;
    return groups.bits;
  }
  if (head->count + groups.count >= 8) return std::nullopt;  // "::" stands for at least one group
  while (head->count < 8) head->push(0);
  return AddressBits{head->bits.high | groups.bits.high, head->bits.low | groups.bits.low};
}

std::optional<ip::address> parse_address(std::string_view text) noexcept {
  if (text.find(':') != text.npos) {
    if (const auto bits = parse_v6(text)) return v6_of(*bits);
  } else if (const auto bits = read_dotted(text)) {
    return ip::address_v4(*bits);
  }
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
