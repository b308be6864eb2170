// Addresses and URLs.

#include "formats.hpp"
#include "report.hpp"

#include "headgate/core/text.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace headgate::config {
namespace {

template <class Number>
bool whole_number(std::string_view text, std::uint64_t most, Number& out) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > most) return false;
  out = static_cast<Number>(value);
  return true;
}

bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > 253 || text.front() == '.' || text.find("..") != std::string_view::npos)
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

// All digits and dots: meant as an address, so it has to be one ("10.0.0" would be looked up as a name for ever).
bool looks_numeric(std::string_view text) { return text.find_first_not_of("0123456789.") == std::string_view::npos; }

bool is_address(std::string_view text) {
  boost::system::error_code ec;
  boost::asio::ip::make_address(std::string(text), ec);
  return !ec;
}

struct HostPort {
  std::string_view host;
  std::string_view port;  // as written, without its colon
  bool has_port = false;
  bool bracketed = false;
};

// "host", "host:port", "[v6]:port"; false where brackets or colons are wrong.
bool split(std::string_view text, HostPort& out) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return false;
    out.host = text.substr(1, end - 1);
    out.bracketed = true;
    text.remove_prefix(end + 1);
  } else {
    const auto colon = text.find(':');
    out.host = text.substr(0, colon);
    text.remove_prefix(out.host.size());
  }
  if (text.empty()) return true;
  if (text.front() != ':') return false;
  out.has_port = true;
  out.port = text.substr(1);
  return out.port.find(':') == std::string_view::npos;
}

bool valid_host(const HostPort& where) {
  if (where.bracketed) return where.host.find(':') != std::string_view::npos && is_address(where.host);
  return looks_numeric(where.host) ? is_address(where.host) : is_host_name(where.host);
}

// %41 as A; false where an escape is broken or hides a control character.
bool percent_decode(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const auto hex = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
    if (hex.size() != 2 || error != std::errc() || end != hex.data() + 2 || value < 0x20) return false;
    out += static_cast<char>(value);
    i += 2;
  }
  return true;
}

bool is_port(std::string_view text, std::uint16_t& out) { return whole_number(text, 65'535, out) && out != 0; }

Result<redis::Node, LiteralError> parse_node(std::string_view text, std::uint16_t default_port) {
  const std::string form = "write it as \"redis-1:" + std::to_string(default_port) + '"';
  if (text.find("://") != std::string_view::npos)
    return LiteralError{in_quotes(text) + " is not a host and port", form + ", without a scheme"};
  HostPort where;
  redis::Node node{.host = {}, .port = default_port};
  if (!split(text, where) || !valid_host(where)) return LiteralError{in_quotes(text) + " is not a host and port", form};
  if (where.has_port && !is_port(where.port, node.port))
    return LiteralError{in_quotes(where.port) + " is not a port", "a port is a number from 1 to 65535"};
  node.host = where.host;
  return node;
}

}  // namespace

Result<net::ListenOptions, LiteralError> parse_listen(std::string_view text) {
  const std::string form = R"(write ":8080" for every address, "127.0.0.1:8080" for one, "[::1]:8080" for IPv6)";
  HostPort where;
  net::ListenOptions options;
  options.text = text;
  if (!text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos) {
    return LiteralError{in_quotes(text) + " lacks a colon",
                        "write \":" + std::string(text) + "\" to listen on every address"};
  }
  if (!split(text, where)) return LiteralError{in_quotes(text) + " is not an address to listen on", form};
  if (!where.has_port || where.port.empty()) return LiteralError{in_quotes(text) + " lacks a port", form};
  if (!whole_number(where.port, 65'535, options.port)) {
    return LiteralError{in_quotes(where.port) + " is not a port",
                        "a port is a number from 0 (the system picks one) to 65535"};
  }
  if (!where.host.empty() && (!valid_host(where) || !is_address(where.host))) {
    const auto port = ':' + std::to_string(options.port);
    const bool everywhere = where.host == "*";
    return LiteralError{
        in_quotes(where.host) + " is not an IP address",
        everywhere ? "write \"" + port + "\" for every address"
                   : "write \"127.0.0.1" + port + "\" for this machine alone, \"" + port + "\" for every address"};
  }
  options.host = where.host;
  return options;
}

Result<upstream::ServerOptions, LiteralError> parse_server(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  const std::string form = R"(write it as "http://127.0.0.1:3000" or "http://name:3000")";
  if (lower(text.substr(0, 8)) == "https://") {
    return LiteralError{"servers over https are not available in this version",
                        "write \"http://...\", on a network you trust"};
  }
  if (lower(text.substr(0, kScheme.size())) != kScheme) {
    HostPort bare;
    const bool host = split(text, bare) && valid_host(bare);
    return LiteralError{in_quotes(text) + " is not a URL", host ? "write \"http://" + std::string(text) + '"' : form};
  }
  auto rest = text.substr(kScheme.size());
  if (rest.find('@') != std::string_view::npos) {
    return LiteralError{"a server's URL has no user or password here", form};
  }
  if (rest.ends_with('/') && rest.find('/') == rest.size() - 1) rest.remove_suffix(1);
  if (const auto extra = rest.find_first_of("/?#"); extra != std::string_view::npos) {
    return LiteralError{"a server's URL ends after its port, but here follows " + in_quotes(rest.substr(extra)),
                        "write \"http://" + std::string(rest.substr(0, extra)) + "\"; a request keeps its own path"};
  }
  HostPort where;
  upstream::ServerOptions server;
  if (!split(rest, where) || !valid_host(where))
    return LiteralError{in_quotes(text) + " has no host that can be reached", form};
  if (where.has_port && !is_port(where.port, server.port)) {
    return LiteralError{in_quotes(where.port) + " is not a port", "a port is a number from 1 to 65535"};
  }
  server.host = lower(where.host);
  server.text = (where.bracketed ? '[' + server.host + ']' : server.host) + ':' + std::to_string(server.port);
  return server;
}

Result<RedisUrl, LiteralError> parse_redis_url(std::string_view text) {
  const std::string form = R"(write it as "redis://127.0.0.1:6379/0", or "rediss://..." for TLS)";
  const std::string_view scheme = text.starts_with("rediss://") ? "rediss://" : "redis://";
  if (text.starts_with("unix:") || text.starts_with('/')) {
    return LiteralError{"Redis over a Unix socket is not available in this version", form};
  }
  if (!text.starts_with(scheme)) return LiteralError{"this is not a Redis URL", form};
  auto rest = text.substr(scheme.size());
  RedisUrl url;
  url.tls = scheme == "rediss://";
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const auto user = rest.substr(0, at);
    const auto colon = user.find(':');
    const auto password = colon == std::string_view::npos ? std::string_view() : user.substr(colon + 1);
    if (!percent_decode(user.substr(0, colon), url.username) || !percent_decode(password, url.password) ||
        user.find('/') != std::string_view::npos) {
      return LiteralError{"the user or password of this URL cannot be read",
                          "write other than letters and digits as %XX, or use \"username\" and \"password\""};
    }
    rest.remove_prefix(at + 1);
  }
  const auto slash = rest.find('/');
  const auto database = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (!database.empty() && !whole_number(database, 1'000'000, url.database.emplace())) {
    return LiteralError{"a Redis database is a number",
                        R"(write it behind the host, as in "redis://127.0.0.1:6379/0")"};
  }
  HostPort where;
  if (!split(rest.substr(0, slash), where) || !valid_host(where))
    return LiteralError{"this Redis URL has no host that can be reached", form};
  if (where.has_port && !is_port(where.port, url.node.port)) {
    return LiteralError{"a port is a number from 1 to 65535", form};
  }
  url.node.host = where.host;
  return url;
}

Result<redis::Node, LiteralError> parse_redis_node(std::string_view text) { return parse_node(text, 6379); }
Result<redis::Node, LiteralError> parse_sentinel_node(std::string_view text) { return parse_node(text, 26'379); }

std::optional<LiteralError> check_listen(std::string_view text) {
  const auto read = parse_listen(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_server(std::string_view text) {
  const auto read = parse_server(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_redis_url(std::string_view text) {
  const auto read = parse_redis_url(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_redis_node(std::string_view text) {
  const auto read = parse_redis_node(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_sentinel_node(std::string_view text) {
  const auto read = parse_sentinel_node(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_host(std::string_view text) {
  HostPort where;
  const bool below = text.starts_with("*.");
  const auto name = below ? text.substr(2) : text;
  if (text.find("://") != std::string_view::npos || text.find('/') != std::string_view::npos) {
    return LiteralError{in_quotes(text) + " is not a host", "write the name alone, as in \"api.example.com\""};
  }
  if (!split(name, where) || !valid_host(where) || (below && where.bracketed)) {
    return LiteralError{in_quotes(text) + " is not a host",
                        text == "*" ? "leave \"host\" out for every host"
                                    : R"(write "api.example.com", or "*.example.com" for all below it)"};
  }
  if (where.has_port) {
    return LiteralError{"a route's host has no port", "write \"" + std::string(text.substr(0, text.rfind(':'))) + '"'};
  }
  return std::nullopt;
}

}  // namespace headgate::config
