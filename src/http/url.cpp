#include "headgate/http/url.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>

namespace headgate::http {
namespace {

namespace ip = boost::asio::ip;

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

constexpr std::size_t kEscape = 3;

bool is_v4(std::string_view text) {
  boost::system::error_code no_address;
  const auto address = ip::make_address_v4(std::string(text), no_address);
  return !no_address && address.to_string() == text;
}

HostKind kind_in_brackets(std::string_view text) {
  boost::system::error_code no_address;
  ip::make_address_v6(std::string(text), no_address);
  if (no_address) return HostKind::none;
  return text.find('%') == text.npos ? HostKind::v6 : HostKind::v6_in_zone;
}

bool is_label(std::string_view label) {
  const auto in_name = [](char c) { return kNameLetters.find(lower(c)) != kNameLetters.npos; };
  return !label.empty() && label.size() <= kLongestLabel && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), in_name);
}

HostKind kind_of(std::string_view host) {
  const bool rooted = host.ends_with('.');
  const auto name = host.substr(0, host.size() - (rooted ? 1 : 0));
  if (name.empty() || name.size() > kLongestName) return HostKind::none;
  // Some readers would take a name whose last label is a number for an address.
  if (name.substr(name.rfind('.') + 1).find_first_not_of(kDigits) == name.npos)
    return !rooted && is_v4(name) ? HostKind::v4 : HostKind::none;
  for (std::size_t begin = 0; begin <= name.size();) {
    const auto end = std::min(name.find('.', begin), name.size());
    if (!is_label(name.substr(begin, end - begin))) return HostKind::none;
    begin = end + 1;
  }
  return rooted ? HostKind::rooted_name : HostKind::name;
}

}  // namespace

UrlParts split_url(std::string_view text) noexcept {
  constexpr std::string_view kBehindScheme = "://";
  UrlParts parts;
  if (const auto end = text.find(kBehindScheme); end != text.npos) {
    parts.scheme = text.substr(0, end);
    text.remove_prefix(end + kBehindScheme.size());
  }
  parts.host_port = text.substr(0, text.find_first_of("/?#"));
  parts.rest = text.substr(parts.host_port.size());
  if (const auto at = parts.host_port.rfind('@'); at != parts.host_port.npos) {
    parts.user = parts.host_port.substr(0, at);
    parts.host_port.remove_prefix(at + 1);
  }
  return parts;
}

HostPort split_host_port(std::string_view text) {
  HostPort out;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    out.misplaced = end == text.npos;
    if (out.misplaced) return out;
    out.host = text.substr(1, end - 1);
    out.kind = kind_in_brackets(out.host);
    text.remove_prefix(end + 1);
  } else {
    out.host = text.substr(0, text.find(':'));
    out.kind = kind_of(out.host);
    text.remove_prefix(out.host.size());
  }
  out.misplaced = !text.empty() && (text.front() != ':' || text.find(':', 1) != text.npos);
  if (!text.empty() && !out.misplaced) out.port = text.substr(1);
  return out;
}

std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  return text.starts_with('0') ? std::nullopt : whole_number<std::uint16_t>(text);
}

bool percent_decode(std::string_view text, std::string& out) {
  constexpr int kFirstPrintable = 0x20;
  out.clear();
  for (; !text.empty(); text.remove_prefix(text.front() == '%' ? kEscape : 1)) {
    const int value = text.front() == '%' ? hex_byte(text.substr(1)) : static_cast<unsigned char>(text.front());
    if (text.front() == '%' && value < kFirstPrintable) return false;
    out += static_cast<char>(value);
  }
  return true;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const int value = text.front() == '%' ? hex_byte(text.substr(1)) : -1;
    out += value < 0 ? text.front() : static_cast<char>(value);
    text.remove_prefix(value < 0 ? 1 : kEscape);
  }
  return out;
}

}  // namespace headgate::http
