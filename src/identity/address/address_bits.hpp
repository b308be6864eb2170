#pragma once
// An address as a number. Every hop of every request is parsed into this form and compared in it. Asio's addresses are
// not used, because each takes 32 bytes of memory, and to copy one costs as much as to parse its text.

#include <boost/asio/ip/address.hpp>
#include <boost/endian/conversion.hpp>

#include <cstdint>

namespace headgate::identity {

/// An IPv6 address, or an IPv4 address as IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2), which counts as the same
/// address. There is no zone, because a zone has no meaning on another machine.
struct AddressBits {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool is_v4() const noexcept { return high == 0 && low >> 32 == 0xffff; }
};

inline AddressBits bits_of(const boost::asio::ip::address_v4& address) noexcept {
  return {0, std::uint64_t{0xffff} << 32 | address.to_uint()};
}

inline AddressBits bits_of(const boost::asio::ip::address_v6& address) noexcept {
  const auto bytes = address.to_bytes();
  return {boost::endian::load_big_u64(bytes.data()), boost::endian::load_big_u64(bytes.data() + 8)};
}

inline AddressBits bits_of(const boost::asio::ip::address& address) noexcept {
  return address.is_v4() ? bits_of(address.to_v4()) : bits_of(address.to_v6());
}

inline boost::asio::ip::address_v6 v6_of(const AddressBits& bits) noexcept {
  boost::asio::ip::address_v6::bytes_type bytes;
  boost::endian::store_big_u64(bytes.data(), bits.high);
  boost::endian::store_big_u64(bytes.data() + 8, bits.low);
  return boost::asio::ip::address_v6(bytes);
}

inline boost::asio::ip::address address_of(const AddressBits& bits) noexcept {
  if (bits.is_v4()) return boost::asio::ip::address_v4(static_cast<std::uint32_t>(bits.low));
  return v6_of(bits);
}

}  // namespace headgate::identity
