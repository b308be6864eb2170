#include "headgate/net/url.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/url.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <optional>

namespace headgate::net {
namespace {

using ReadUrl = Result<Url, std::string>;

constexpr std::size_t kMaxUrl = 2048;

std::uint16_t port_of(Scheme scheme) noexcept { return scheme == Scheme::https ? 443 : 80; }

/// Returns the error for a refused URL. Quotes the URL only if it has no "@" at all, because it may otherwise contain a
/// password.
ReadUrl refused_url(std::string_view text, std::string_view why) {
  std::string out = text.find('@') == text.npos ? '"' + std::string(text) + '"' : "this URL";
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return ReadUrl(boost::system::in_place_error, out + ' ' + std::string(why));
}

/// Returns the first character that must be escaped in a path or query (RFC 3986 sections 3.3 and 3.4); empty if there
/// is none.
std::optional<char> first_to_escape(std::string_view target) noexcept {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=:@/?";
  for (std::size_t i = 0; i < target.size(); ++i) {
    const char c = target[i];
    if (is_alnum(c, kPlain)) continue;
    if (c != '%' || hex_byte(target.substr(i + 1)) < 0) return c;
  }
  return std::nullopt;
}

std::optional<Scheme> read_scheme(std::string_view text) {
  const auto scheme = lower(text);
  if (scheme == "https") return Scheme::https;
  if (scheme == "http") return Scheme::http;
  return std::nullopt;
}

/// Returns the host in its canonical form; empty if it is not a host that every machine can connect to.
std::optional<std::string> spelled(const headgate::http::HostPort& where) {
  if (where.kind == headgate::http::HostKind::v6) return boost::asio::ip::make_address_v6(where.host).to_string();
  if (where.kind != headgate::http::HostKind::name && where.kind != headgate::http::HostKind::v4) return std::nullopt;
  return lower(where.host);
}

}  // namespace

ReadUrl parse_url(std::string_view text, std::string_view example) {
  if (text.size() > kMaxUrl)
    return ReadUrl(boost::system::in_place_error, "a URL of more than " + std::to_string(kMaxUrl) + " bytes");
  const auto parts = headgate::http::split_url(text);
  if (parts.user)
    return ReadUrl(boost::system::in_place_error,
                   "this URL has a user name or password in it; remove the part up to \"@\"");
  const auto scheme = read_scheme(parts.scheme);
  if (!scheme) return refused_url(text, "is not a URL; write one such as \"" + std::string(example) + '"');

  Url url;
  url.scheme = *scheme;
  url.port = port_of(*scheme);
  const auto where = headgate::http::split_host_port(parts.host_port);
  const auto host = spelled(where);
  if (!host) return refused_url(text, "names no host; write a name, an IPv4 address, or an IPv6 address in brackets");
  url.host = *host;
  if (where.port || where.misplaced) {
    const auto port = where.port ? headgate::http::read_port(*where.port) : std::nullopt;
    if (!port) return refused_url(text, "has an invalid port; write one from 1 to 65535, or leave out the colon");
    url.port = *port;
  }
  const auto target = parts.rest;
  if (target.find('#') != target.npos)
    return refused_url(text, "has a fragment, which is never sent; leave out \"#\" and what follows it");
  if (const auto c = first_to_escape(target)) {
    return refused_url(
        text, *c == '%' ? "has a \"%\" without two hexadecimal digits after it; write \"%25\" for a percent sign"
                        : "has a character in its path that must be written as \"%\" and two hexadecimal "
                          "digits");
  }
  url.target = (target.starts_with('/') ? "" : "/") + std::string(target);
  return url;
}

std::string authority(const Url& url) {
  std::string out = url.host.find(':') == url.host.npos ? url.host : '[' + url.host + ']';
  if (url.port != port_of(url.scheme)) out += ':' + std::to_string(url.port);
  return out;
}

std::string to_text(const Url& url) {
  return (url.scheme == Scheme::https ? "https://" : "http://") + authority(url) + url.target;
}

}  // namespace headgate::net
