#include "headgate/identity/proxy_protocol.hpp"

#include "address_text.hpp"
#include "node.hpp"

#include <boost/crc.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace headgate::identity {
namespace {

/// The beginning of version 1, a line of text.
constexpr std::string_view kProxyWord = "PROXY ";
/// The beginning of version 2, a binary block.
constexpr std::string_view kProxySignature{"\r\n\r\n\0\r\nQUIT\n", 12};

namespace ip = boost::asio::ip;

constexpr std::size_t kMaxLine = 107;  // maximum length of the line with its CR LF (section 2.1)

/// Takes the text before the first space, and removes the space. Takes everything if there is no space.
std::string_view take_word(std::string_view& rest) noexcept {
  const auto space = rest.find(' ');
  const auto word = rest.substr(0, space);
  rest.remove_prefix(space == rest.npos ? rest.size() : space + 1);
  return word;
}

bool is_canonical_port(std::string_view text) noexcept { return is_port(text) && (text == "0" || text.front() != '0'); }

/// Parses "SOURCE DESTINATION SOURCE-PORT DESTINATION-PORT". Returns the source if all four are valid.
std::optional<ip::address> read_ends(std::string_view rest, bool v6) noexcept {
  const auto source = parse_address(take_word(rest));
  const auto destination = parse_address(take_word(rest));
  if (!source || source->is_v6() != v6 || !destination || destination->is_v6() != v6) return std::nullopt;
  // The last port is the whole remaining text, so a space after it is an error.
  if (!is_canonical_port(take_word(rest)) || !is_canonical_port(rest)) return std::nullopt;
  return unmapped(*source);
}

ProxyHeaderState read_proxy_header_v1(std::string_view bytes, ProxyHeader& out) noexcept {
  const auto end = bytes.substr(0, kMaxLine).find_first_of("\r\n");
  if (end == bytes.npos) return bytes.size() < kMaxLine ? ProxyHeaderState::more : ProxyHeaderState::malformed;
  if (bytes[end] == '\n' || end + 2 > kMaxLine) return ProxyHeaderState::malformed;
  if (end + 1 == bytes.size()) return ProxyHeaderState::more;
  if (bytes[end + 1] != '\n') return ProxyHeaderState::malformed;

  ProxyHeader header;
  header.size = end + 2;
  const auto line = bytes.substr(kProxyWord.size(), end - kProxyWord.size());
  auto rest = line;
  const auto protocol = take_word(rest);
  if (protocol == "TCP4" || protocol == "TCP6") {
    header.source = read_ends(rest, protocol == "TCP6");
    if (!header.source) return ProxyHeaderState::malformed;
  } else if (protocol != "UNKNOWN") {  // the rest of an UNKNOWN line is ignored
    return ProxyHeaderState::malformed;
  }
  out = header;
  return ProxyHeaderState::whole;
}

// Size of the prefix (section 2.2): signature, version and command, family and transport, and the length of the rest.
constexpr std::size_t kPrefix = 16;

constexpr unsigned kTypeCrc32c = 0x03;
constexpr unsigned kTypeSsl = 0x20;
constexpr unsigned kClientSsl = 0x01;
// The bits for a client certificate: one that was sent on this connection, and one in the session that the connection
// resumes.
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

/// Takes a TLV from the front; empty if it does not fit.
std::optional<Tlv> take_tlv(std::string_view& rest) noexcept {
  constexpr std::size_t kHead = 3;
  if (rest.size() < kHead || rest.size() - kHead < number_at(rest, 1)) return std::nullopt;
  const Tlv tlv{byte_at(rest, 0), rest.substr(kHead, number_at(rest, 1))};
  rest.remove_prefix(kHead + tlv.value.size());
  return tlv;
}

/// Checks the checksum, which covers the whole header, with zeros in place of the checksum itself (section 2.2.3).
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

/// Parses the value of section 2.2.5: flags, the result of the verification (0 if it succeeded), and nested TLVs.
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

/// Parses the TLVs at the end of `header`; false if they are malformed. A type that occurs twice is malformed, because
/// the two values could contradict each other.
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

/// Returns the size of both addresses and ports of a family, in bytes; empty if the family is a reserved value.
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

ProxyHeaderState read_proxy_header_v2(std::string_view bytes, ProxyHeader& out) noexcept {
  if (bytes.size() < kPrefix) return ProxyHeaderState::more;
  const unsigned version = byte_at(bytes, 12) >> 4;
  const unsigned command = byte_at(bytes, 12) & 0x0f;
  ProxyHeader header;
  header.size = kPrefix + number_at(bytes, 14);
  if (version != 2 || command > 1 || header.size > kMaxProxyHeader) return ProxyHeaderState::malformed;
  if (bytes.size() < header.size) return ProxyHeaderState::more;

  const bool local = command == 0;  // the connection of the proxy itself, for which the rest of the header is ignored
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

}  // namespace

ProxyHeaderState read_proxy_header(std::string_view bytes, ProxyHeader& out) noexcept {
  if (bytes.starts_with(kProxySignature)) return read_proxy_header_v2(bytes, out);
  if (bytes.starts_with(kProxyWord)) return read_proxy_header_v1(bytes, out);
  // Waits for more bytes only if one of the versions is still possible.
  const bool begins = kProxySignature.starts_with(bytes) || kProxyWord.starts_with(bytes);
  return begins ? ProxyHeaderState::more : ProxyHeaderState::malformed;
}

}  // namespace headgate::identity
