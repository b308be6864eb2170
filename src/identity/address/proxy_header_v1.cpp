#include "proxy_header_v1.hpp"

#include "address_text.hpp"
#include "node.hpp"

namespace headgate::identity {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t kMaxLine = 107;  // section 2.1, with its CRLF

/// Takes the text before the first space, and removes the space. Takes all if there is no space.
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
  // The last port is all the remaining text, so a space after it is an error.
  if (!is_canonical_port(take_word(rest)) || !is_canonical_port(rest)) return std::nullopt;
  return unmapped(*source);
}

}  // namespace

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

}  // namespace headgate::identity
