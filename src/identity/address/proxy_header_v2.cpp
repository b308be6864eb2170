#include "proxy_header_v2.hpp"

#include "address_text.hpp"

#include <boost/crc.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

// Section 2.2: the signature, version and command, family and transport, and the length of what follows.
constexpr std::size_t kPrefix = 16;

constexpr unsigned kTypeCrc32c = 0x03;
constexpr unsigned kTypeSsl = 0x20;
constexpr unsigned kClientSsl = 0x01;
// On this connection, or in the session that it resumes.
constexpr unsigned kClientCertificate = 0x02 | 0x04;

unsigned byte_at(std::string_view bytes, std::size_t at) noexcept { return static_cast<unsigned char>(bytes[at]); }

unsigned number_at(std::string_view bytes, std::size_t at) noexcept {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}

std::uint32_t long_number_at(std::string_view bytes, std::size_t at) noexcept {
  return std::uint32_t{number_at(bytes, at)} << 16 | number_at(bytes, at + 2);
}

/// A type, a length, and a value of that length.
struct Tlv {
  unsigned type;
  std::string_view value;
};

/// Takes a TLV from the front; nothing if it does not fit.
std::optional<Tlv> take_tlv(std::string_view& rest) noexcept {
  constexpr std::size_t kHead = 3;
  if (rest.size() < kHead || rest.size() - kHead < number_at(rest, 1)) return std::nullopt;
  const Tlv tlv{byte_at(rest, 0), rest.substr(kHead, number_at(rest, 1))};
  rest.remove_prefix(kHead + tlv.value.size());
  return tlv;
}

/// Section 2.2.3: the checksum covers the whole header, with zeros in its own place.
bool sum_is_right(std::string_view header, std::string_view sum) noexcept {
  constexpr std::array<char, 4> kZeros{};
  if (sum.size() != kZeros.size()) return false;
  const auto before = static_cast<std::size_t>(sum.data() - header.data());
  const auto behind = header.substr(before + sum.size());
  boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true> crc;
  crc.process_bytes(header.data(), before);
  crc.process_bytes(kZeros.data(), kZeros.size());
  crc.process_bytes(behind.data(), behind.size());
  return crc.checksum() == long_number_at(sum, 0);
}

/// Parses section 2.2.5: flags, the result of the verification (0: valid), and nested TLVs.
bool read_ssl(std::string_view value, ProxyHeader& out) noexcept {
  constexpr std::size_t kHead = 5;
  if (value.size() < kHead) return false;
  const unsigned client = byte_at(value, 0);
  const bool verified = long_number_at(value, 1) == 0;
  for (auto rest = value.substr(kHead); !rest.empty();) {
    if (!take_tlv(rest)) return false;
  }
  out.tls = (client & kClientSsl) != 0;
  out.certificate = out.tls && (client & kClientCertificate) != 0 && verified;
  return true;
}

/// Parses the TLVs at the end of `header`; false if they are malformed. A duplicate is malformed, because the two could
/// contradict each other.
bool read_tlvs(std::string_view header, std::string_view tlvs, ProxyHeader& out) noexcept {
  bool summed = false;
  bool ssl = false;
  while (!tlvs.empty()) {
    const auto tlv = take_tlv(tlvs);
    if (!tlv) return false;
    if (tlv->type == kTypeCrc32c && (std::exchange(summed, true) || !sum_is_right(header, tlv->value))) return false;
    if (tlv->type == kTypeSsl && (std::exchange(ssl, true) || !read_ssl(tlv->value, out))) return false;
  }
  return true;
}

/// The size of both addresses and ports of a family, in bytes; nothing for a reserved value.
std::optional<std::size_t> addresses_size(unsigned family_and_transport) noexcept {
  switch (family_and_transport) {
    case 0x00:
      return 0;  // unspecified
    case 0x11:
    case 0x12:
      return 12;  // IPv4
    case 0x21:
    case 0x22:
      return 36;  // IPv6
    case 0x31:
    case 0x32:
      return 216;  // a path
    default:
      return std::nullopt;
  }
}

std::optional<ip::address> source_of(std::string_view addresses) noexcept {
  const auto take = [&](auto bytes) {
    std::memcpy(bytes.data(), addresses.data(), bytes.size());
    return bytes;
  };
  if (addresses.size() == 12) return ip::address_v4(take(ip::address_v4::bytes_type{}));
  if (addresses.size() == 36) return unmapped(ip::address_v6(take(ip::address_v6::bytes_type{})));
  return std::nullopt;
}

}  // namespace

ProxyHeaderState read_proxy_header_v2(std::string_view bytes, ProxyHeader& out) noexcept {
  if (bytes.size() < kPrefix) return ProxyHeaderState::more;
  const unsigned version = byte_at(bytes, 12) >> 4;
  const unsigned command = byte_at(bytes, 12) & 0x0f;
  ProxyHeader header;
  header.size = kPrefix + number_at(bytes, 14);
  if (version != 2 || command > 1 || header.size > kMaxProxyHeader) return ProxyHeaderState::malformed;
  if (bytes.size() < header.size) return ProxyHeaderState::more;

  const bool local = command == 0;  // the proxy's own connection: the rest of the header is ignored
  if (!local) {
    const auto whole = bytes.substr(0, header.size);
    const auto size = addresses_size(byte_at(bytes, 13));
    if (!size || whole.size() < kPrefix + *size) return ProxyHeaderState::malformed;
    header.source = source_of(whole.substr(kPrefix, *size));
    if (!read_tlvs(whole, whole.substr(kPrefix + *size), header)) return ProxyHeaderState::malformed;
  }
  out = header;
  return ProxyHeaderState::whole;
}

}  // namespace headgate::identity
