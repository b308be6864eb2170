#include "headgate/keyring/url.hpp"

#include "headgate/core/text.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace headgate::keyring {
namespace {

namespace ip = boost::asio::ip;
using Read = Result<Url, std::string>;

constexpr std::size_t kMaxUrl = 2048;
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_";

std::uint16_t default_port(Scheme scheme) noexcept { return scheme == Scheme::https ? 443 : 80; }

/// Quotes nothing that may hold a password, wherever its "@" stands.
Read refused(std::string_view text, std::string_view why) {
  std::string out = text.find('@') == text.npos ? '"' + std::string(text) + '"' : "this URL";
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return Read(boost::system::in_place_error, out + ' ' + std::string(why));
}

/// What may stand in a path or query as it is (RFC 3986 sections 3.3 and 3.4); nothing where all of `target` may.
std::optional<char> first_to_escape(std::string_view target) noexcept {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=:@/?";
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  for (std::size_t i = 0; i < target.size(); ++i) {
    const char c = target[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != kPlain.npos) continue;
    const bool escape = c == '%' && i + 2 < target.size() && kHex.find(target[i + 1]) != kHex.npos &&
                        kHex.find(target[i + 2]) != kHex.npos;
    if (!escape) return c;
  }
  return std::nullopt;
}

/// A name as DNS has them (RFC 1123 section 2.1; underscores occur inside clusters), or an IPv4 address. A name whose
/// last label is a number would be taken for an address by some and for a name by others.
bool is_host(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  const auto last = host.substr(host.rfind('.') + 1);
  if (!last.empty() && last.find_first_not_of(kDigits) == last.npos) {
    error_code no_address;
    const auto address = ip::make_address_v4(std::string(host), no_address);
    return !no_address && address.to_string() == host;
  }
  for (std::size_t begin = 0; begin <= host.size();) {
    const auto end = std::min(host.find('.', begin), host.size());
    const auto label = host.substr(begin, end - begin);
    if (label.empty() || label.size() > 63 || label.find_first_not_of(kNameLetters) != label.npos) return false;
    if (label.front() == '-' || label.back() == '-') return false;
    begin = end + 1;
  }
  return true;
}

std::optional<std::string> read_v6(std::string_view text) {
  error_code no_address;
  const auto address = ip::make_address_v6(std::string(text), no_address);
  if (no_address || address.scope_id() != 0 || text.find('%') != text.npos) return std::nullopt;
  return address.to_string();
}

std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || port == 0 || text.front() == '0') return std::nullopt;
  return port;
}

/// The scheme, and what follows its "://".
std::optional<Scheme> take_scheme(std::string_view& rest) {
  const auto colon = rest.find("://");
  if (colon == rest.npos) return std::nullopt;
  const auto scheme = lower(rest.substr(0, colon));
  rest.remove_prefix(colon + 3);
  if (scheme == "https") return Scheme::https;
  if (scheme == "http") return Scheme::http;
  return std::nullopt;
}

/// The host, and in `rest` what of the authority follows it: nothing, or a colon and a port.
std::optional<std::string> take_host(std::string_view& rest) {
  if (rest.starts_with('[')) {
    const auto close = rest.find(']');
    if (close == rest.npos) return std::nullopt;
    auto address = read_v6(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
    return address;
  }
  const auto colon = std::min(rest.find(':'), rest.size());
  auto host = lower(rest.substr(0, colon));
  rest.remove_prefix(colon);
  if (!is_host(host)) return std::nullopt;
  return host;
}

}  // namespace

Read parse_url(std::string_view text) {
  if (text.size() > kMaxUrl)
    return Read(boost::system::in_place_error, "a URL of more than " + std::to_string(kMaxUrl) + " bytes");
  auto rest = text;
  const auto scheme = take_scheme(rest);
  const auto path = std::min(rest.find_first_of("/?#"), rest.size());
  auto host_and_port = rest.substr(0, path);
  const auto target = rest.substr(path);
  if (host_and_port.find('@') != host_and_port.npos)
    return Read(boost::system::in_place_error,
                "a URL with a user name or password in it; write it without, up to \"@\"");
  if (!scheme) return refused(text, R"(is not a URL; write one such as "https://login.example.com/keys")");

  Url url;
  url.scheme = *scheme;
  url.port = default_port(*scheme);
  const auto host = take_host(host_and_port);
  if (!host) return refused(text, "names no host; write a name, an IPv4 address, or an IPv6 address in brackets");
  url.host = *host;
  if (!host_and_port.empty()) {
    const auto port = host_and_port.front() == ':' ? read_port(host_and_port.substr(1)) : std::nullopt;
    if (!port) return refused(text, "has no port that can be; write one from 1 to 65535, or leave the colon out");
    url.port = *port;
  }
  if (target.find('#') != target.npos)
    return refused(text, "has a fragment, which is never sent; leave out \"#\" and what follows it");
  if (const auto c = first_to_escape(target)) {
    return refused(text, *c == '%'
                             ? "has a \"%\" that no two hexadecimal digits follow; write \"%25\" for the sign itself"
                             : "has a character in its path that must be written as \"%\" and two hexadecimal "
                               "digits");
  }
  url.target = (target.starts_with('/') ? "" : "/") + std::string(target);
  return url;
}

std::string authority(const Url& url) {
  std::string out = url.host.find(':') == url.host.npos ? url.host : '[' + url.host + ']';
  if (url.port != default_port(url.scheme)) out += ':' + std::to_string(url.port);
  return out;
}

std::string to_text(const Url& url) {
  return (url.scheme == Scheme::https ? "https://" : "http://") + authority(url) + url.target;
}

}  // namespace headgate::keyring
