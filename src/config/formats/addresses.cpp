// Parses and checks addresses and URLs.

#include "config/text/report.hpp"
#include "edits.hpp"
#include "formats.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/http/url.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using http::HostKind;
using http::HostPort;

// Returns whether the text has a host, and nothing in a wrong place around it.
bool reachable(const HostPort& where) { return !where.misplaced && where.kind != HostKind::none; }

bool is_address(const HostPort& where) {
  return where.kind == HostKind::v4 || where.kind == HostKind::v6 || where.kind == HostKind::v6_in_zone;
}

// Returns the port, or `otherwise` if none is written; empty if the written port is not valid.
std::optional<std::uint16_t> port_of(const HostPort& where, std::uint16_t otherwise) {
  return where.port ? http::read_port(*where.port) : otherwise;
}

LiteralError no_port(const HostPort& where) {
  return {in_quotes(*where.port) + " is not a port", "a port is a number from 1 to 65535"};
}

Result<redis::RedisNode, LiteralError> parse_node(std::string_view text, std::uint16_t default_port) {
  const std::string form = "write it as \"redis-1:" + std::to_string(default_port) + '"';
  if (text.find("://") != std::string_view::npos)
    return LiteralError{in_quotes(text) + " is not a host and port", form + ", without a scheme"};
  const auto where = http::split_host_port(text);
  if (!reachable(where)) return LiteralError{in_quotes(text) + " is not a host and port", form};
  const auto port = port_of(where, default_port);
  if (!port) return no_port(where);
  return redis::RedisNode{.host = std::string(where.host), .port = *port};
}

}  // namespace

Result<net::ListenOptions, LiteralError> parse_listen(std::string_view text) {
  const std::string form = R"(write ":8080" for every address, "127.0.0.1:8080" for one, "[::1]:8080" for IPv6)";
  net::ListenOptions options;
  options.text = text;
  if (!text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos) {
    return LiteralError{in_quotes(text) + " lacks a colon",
                        "write \":" + std::string(text) + "\" to listen on every address"};
  }
  const auto where = http::split_host_port(text);
  if (where.misplaced) return LiteralError{in_quotes(text) + " is not an address to listen on", form};
  if (!where.port || where.port->empty()) return LiteralError{in_quotes(text) + " lacks a port", form};
  const auto port_number = *where.port == "0" ? 0 : port_of(where, 0);
  if (!port_number) {
    return LiteralError{in_quotes(*where.port) + " is not a port",
                        "a port is a number from 0 (the system picks one) to 65535"};
  }
  options.port = *port_number;
  if (!where.host.empty() && !is_address(where)) {
    const auto port = ':' + std::to_string(options.port);
    const bool everywhere = where.host == "*";
    return LiteralError{
        in_quotes(where.host) + " is not an IP address",
        everywhere ? "write \"" + port + "\" for every address"
                   : "write \"127.0.0.1" + port + "\" for this machine only, \"" + port + "\" for every address"};
  }
  options.host = where.host;
  return options;
}

Result<ServerUrl, LiteralError> parse_server(std::string_view text) {
  const std::string form = R"(write it as "http://127.0.0.1:3000", "http://name:3000" or "https://name")";
  const auto parts = http::split_url(text);
  const auto scheme = lower(parts.scheme);
  if (scheme != "http" && scheme != "https") {
    const bool host = text.find("://") == std::string_view::npos && reachable(http::split_host_port(text));
    return LiteralError{in_quotes(text) + " is not a URL", host ? "write \"http://" + std::string(text) + '"' : form};
  }
  if (parts.user || parts.rest.find('@') != std::string_view::npos) {
    return LiteralError{"a server's URL has no user or password here", form};
  }
  const auto path = parts.rest.substr(0, parts.rest.find_first_of("?#"));
  if (path.size() < parts.rest.size()) {
    return LiteralError{"a server's URL has no query and no fragment",
                        "write \"" + scheme + "://" + std::string(parts.host_port) + std::string(path) + '"'};
  }
  const auto base = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  if (!base.empty()) {
    if (auto error = check_prefix(base)) return *error;
  }
  const auto where = http::split_host_port(parts.host_port);
  if (!reachable(where)) return LiteralError{in_quotes(text) + " has no host that can be reached", form};
  ServerUrl url;
  url.tls = scheme == "https";
  url.base = base;
  auto& server = url.server;
  const auto port = port_of(where, url.tls ? 443 : 80);
  if (!port) return no_port(where);
  server.port = *port;
  server.host = lower(where.host);
  const bool v6 = where.kind == HostKind::v6 || where.kind == HostKind::v6_in_zone;
  server.text = (v6 ? '[' + server.host + ']' : server.host) + ':' + std::to_string(server.port);
  return url;
}

Result<RedisUrl, LiteralError> parse_redis_url(std::string_view text) {
  const std::string form = R"(write it as "redis://127.0.0.1:6379/0", or "rediss://..." for TLS)";
  if (text.starts_with("unix:") || text.starts_with('/')) {
    return LiteralError{"Redis over a Unix socket is not available in this version", form};
  }
  const auto parts = http::split_url(text);
  if (parts.scheme != "redis" && parts.scheme != "rediss") return LiteralError{"this is not a Redis URL", form};
  RedisUrl url;
  url.tls = parts.scheme == "rediss";
  const auto user = parts.user.value_or("");
  const auto colon = std::min(user.find(':'), user.size());
  // If a password contains a '/', the text seems to end its host there, and the '@' comes later.
  const bool split_early = parts.rest.find('@') != std::string_view::npos;
  if (split_early || !http::percent_decode(user.substr(0, colon), url.username) ||
      !http::percent_decode(user.substr(std::min(colon + 1, user.size())), url.password)) {
    return LiteralError{"the user or password of this URL cannot be read",
                        "write other than letters and digits as %XX, or use \"username\" and \"password\""};
  }
  const auto database = parts.rest.starts_with('/') ? parts.rest.substr(1) : parts.rest;
  url.database = whole_number<std::uint32_t>(database, 0, 1'000'000);
  if (!database.empty() && !url.database) {
    return LiteralError{"a Redis database is a number", R"(write it after the host, as in "redis://127.0.0.1:6379/0")"};
  }
  const auto where = http::split_host_port(parts.host_port);
  if (!reachable(where)) return LiteralError{"this Redis URL has no host that can be reached", form};
  const auto port = port_of(where, url.node.port);
  if (!port) return LiteralError{"a port is a number from 1 to 65535", form};
  url.node.port = *port;
  url.node.host = where.host;
  return url;
}

Result<redis::RedisNode, LiteralError> parse_redis_node(std::string_view text) { return parse_node(text, 6379); }
Result<redis::RedisNode, LiteralError> parse_sentinel_node(std::string_view text) { return parse_node(text, 26'379); }

std::optional<LiteralError> check_listen(std::string_view text) {
  const auto read = parse_listen(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_server(std::string_view text) {
  const auto read = parse_server(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}
std::optional<LiteralError> check_server_name(std::string_view text) {
  const bool v6 = text.find(':') != std::string_view::npos && !text.starts_with('[');
  const auto alone = v6 ? '[' + std::string(text) + ']' : std::string(text);
  const auto where = http::split_host_port(alone);
  if (reachable(where) && !where.port && !text.starts_with('[') && text.find_first_of("*/") == std::string_view::npos)
    return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a name that a certificate is verified for",
                      R"(write the name alone, as in "api.internal")"};
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
  const bool below = text.starts_with("*.");
  const auto name = below ? text.substr(2) : text;
  if (text.find("://") != std::string_view::npos || text.find('/') != std::string_view::npos) {
    return LiteralError{in_quotes(text) + " is not a host", "write the name alone, as in \"api.example.com\""};
  }
  const auto where = http::split_host_port(name);
  if (!reachable(where) || (below && is_address(where))) {
    return LiteralError{in_quotes(text) + " is not a host",
                        text == "*" ? "leave \"host\" out for every host"
                                    : R"(write "api.example.com", or "*.example.com" for all below it)"};
  }
  if (where.port) {
    return LiteralError{"a route's host has no port", "write \"" + std::string(text.substr(0, text.rfind(':'))) + '"'};
  }
  return std::nullopt;
}

}  // namespace headgate::config
