// headgate healthcheck: one GET, for containers that have no curl.

#include "commands.hpp"

#include "headgate/core/literals.hpp"
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
  std::string path = "/";
};

Result<Target, LiteralError> parse(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) return LiteralError{"the address must begin with http://", "http://127.0.0.1:8080/"};
  url.remove_prefix(kScheme.size());
  Target target;
  const auto slash = url.find('/');
  auto authority = url.substr(0, slash);
  if (slash != std::string_view::npos) target.path = url.substr(slash);
  if (const auto colon = authority.rfind(':');
      colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    const auto digits = std::string(authority.substr(colon + 1));
    const auto port =
        digits.find_first_not_of("0123456789") == std::string::npos && !digits.empty() && digits.size() < 6
            ? std::stoul(digits)
            : 0;
    if (port == 0 || port > 65535) return LiteralError{"the port must be from 1 to 65535", "http://127.0.0.1:8080/"};
    target.port = static_cast<std::uint16_t>(port);
    authority = authority.substr(0, colon);
  }
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  target.host = authority;
  return target;
}

/// Writes the status of the answer to `status`; leaves it unchanged if there is none.
Task<void> ask(boost::asio::io_context& loop, const Target& target, unsigned& status) {
  net::Connector connector(loop, net::Timers::of(loop), target.host, target.port);
  const net::ConnectOptions terms{.whole = kPatience};
  const auto connected = co_await connector.connect(terms);
  if (connected.has_error()) co_return;
  const auto& stream = connected->stream;
  net::Blocks blocks{{4096, 1}, {4096, 1}};
  net::ReadBuffer input(stream, blocks);
  const auto request = "GET " + target.path + " HTTP/1.1\r\nHost: " + target.host + "\r\nConnection: close\r\n\r\n";
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
  const auto target = parse(options.url);
  if (target.has_error()) {
    std::fprintf(stderr, "headgate: %s\n  help: %s\n", target.error().message.c_str(), target.error().help.c_str());
    return kWrongCommandLine;
  }
  boost::asio::io_context loop{1};
  unsigned status = 0;
  spawn(ask(loop, *target, status), "healthcheck");
  loop.run();
  if (status >= 200 && status < 500) return kWell;
  std::fprintf(stderr, "headgate: %s %s\n", options.url.c_str(),
               status ? ("answered " + std::to_string(status)).c_str() : "did not answer");
  return kFailed;
}

}  // namespace headgate::cli
