#pragma once
// PROXY headers of version 2, put together byte by byte.

#include <boost/crc.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::test {

inline const std::string kSignature{"\r\n\r\n\0\r\nQUIT\n", 12};

inline std::string two_bytes(std::size_t number) {
  return {static_cast<char>(number >> 8 & 255), static_cast<char>(number & 255)};
}

inline std::string four_bytes(std::uint32_t number) { return two_bytes(number >> 16) + two_bytes(number & 0xffff); }

/// A header of that command (0x20 LOCAL, 0x21 PROXY) and family, whose length is what `rest` has.
inline std::string header_v2(unsigned command, unsigned family, std::string_view rest) {
  return kSignature + static_cast<char>(command) + static_cast<char>(family) + two_bytes(rest.size()) +
         std::string(rest);
}

inline std::string tlv(unsigned type, std::string_view value) {
  return static_cast<char>(type) + two_bytes(value.size()) + std::string(value);
}

/// PP2_TYPE_SSL: `client` are the flags, 0 in `verify` is good.
inline std::string ssl(unsigned client, std::uint32_t verify, std::string_view more = {}) {
  return tlv(0x20, static_cast<char>(client) + four_bytes(verify) + std::string(more));
}

/// From 203.0.113.7:4711 to 192.0.2.1:443.
inline const std::string kIpv4Ends{"\xcb\x00\x71\x07\xc0\x00\x02\x01\x12\x67\x01\xbb", 12};

/// A whole header with its PP2_TYPE_CRC32C, in front of `more`.
inline std::string summed(std::string_view more = {}) {
  const auto with = [&](std::uint32_t sum) {
    return header_v2(0x21, 0x11, kIpv4Ends + tlv(0x03, four_bytes(sum)) + std::string(more));
  };
  const auto zeroed = with(0);
  boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true> crc;
  crc.process_bytes(zeroed.data(), zeroed.size());
  return with(crc.checksum());
}

}  // namespace headgate::test
