// Implements headgate healthcheck: a single GET, for containers that have no curl.

#include "cli/admin/admin_client.hpp"
#include "commands.hpp"
#include "printable.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/http/url.hpp"
#include "headgate/net/connect.hpp"
#include "headgate/net/read_buffer.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdio>
#include <string_view>

namespace headgate::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(3);

struct Target {
  std::string host;
  std::uint16_t port = 80;
  std::string authority;  // for the Host field
  std::string path;
};

Result<Target, LiteralError> parse(std::string_view url) {
  const std::string example = "http://127.0.0.1:8080/";
  const auto parts = http::split_url(url);
  if (parts.scheme != "http") return LiteralError{"the address must begin with http://", example};
  const auto where = http::split_host_port(parts.host_port);
  if (parts.user || where.misplaced || where.kind == http::HostKind::none)
    return LiteralError{"the address must name a host, and no user", example};
  Target target;
  const auto port = where.port ? http::read_port(*where.port) : target.port;
  if (!port) return LiteralError{"the port must be from 1 to 65535", example};
  target.host = where.host;
  target.port = *port;
  target.authority = parts.host_port;
  target.path = parts.rest.starts_with('/') ? parts.rest : '/' + std::string(parts.rest);
  return target;
}

/// Returns the URL for the check: /healthz of the admin interface, which reports whether the gateway is healthy. A
/// request to a route would count against limits and need a server.
std::string url_of_admin() {
  std::string out = usual_admin();
  while (out.ends_with('/')) out.pop_back();
  return out + "/healthz";
}

/// Writes the status of the answer to `status`; leaves it unchanged if there is no answer.
Task<void> ask(boost::asio::io_context& loop, const Target& target, unsigned& status) {
  net::Connector connector(loop, net::Timers::of(loop), target.host, target.port);
  const net::ConnectOptions terms{.whole = kPatience};
  const auto connected = co_await connector.connect(terms);
  if (connected.has_error()) co_return;
  const auto& stream = connected->stream;
  net::Blocks blocks{{4096, 1}, {4096, 1}};
  net::ReadBuffer input(stream, blocks);
  const auto request =
      "GET " + target.path + " HTTP/1.1\r\nHost: " + target.authority + "\r\nConnection: close\r\n\r\n";
  const std::array<std::string_view, 1> pieces{request};
  const auto sent = co_await stream->write_all(pieces, kPatience);
  while (sent.has_value() && input.data().size() < 12) {
    const auto got = co_await input.fill(kPatience);
    if (got.has_error()) break;
  }
  const auto line = input.data();
  if (line.size() >= 12 && line.starts_with("HTTP/1."))
    status = static_cast<unsigned>(std::atoi(std::string(line.substr(9, 3)).c_str()));
  stream->close();
}

}  // namespace

int healthcheck(const HealthcheckOptions& options) {
  const auto url = options.url.empty() ? url_of_admin() : options.url;
  const auto target = parse(url);
  if (target.has_error()) {
    std::fprintf(stderr, "headgate: %s\n  help: %s\n", target.error().message.c_str(), target.error().help.c_str());
    return kWrongCommandLine;
  }
  boost::asio::io_context loop{1};
  unsigned status = 0;
  spawn(ask(loop, *target, status), "healthcheck");
  loop.run();
  if (status >= 200 && status < 500) return kWell;
  std::fprintf(stderr, "headgate: %s %s\n", printable(url).c_str(),
               status ? ("answered " + std::to_string(status)).c_str() : "did not answer");
  return kFailed;
}

}  // namespace headgate::cli
