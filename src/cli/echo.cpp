// Implements headgate echo, a small upstream for tests. It uses the same codec as the gateway.

#include "commands.hpp"
#include "echo_handler.hpp"
#include "printable.hpp"

#include "headgate/config/listen.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/server/server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace headgate::cli {
namespace {

class EchoService final : public server::WorkerService {
 public:
  EchoService(const EchoDefaults& defaults, net::Timers& timers) : handler_(defaults, timers) {}
  gateway::Handler& handler() override { return handler_; }
  void stop() override {}

 private:
  EchoHandler handler_;
};

class Echo final : public server::Program {
 public:
  explicit Echo(const EchoDefaults& defaults) : defaults_(defaults) {}
  std::unique_ptr<server::WorkerService> make_service(upstream::Environment environment) override {
    return std::make_unique<EchoService>(defaults_, environment.timers);
  }

 private:
  const EchoDefaults& defaults_;
};

/// Parses "8s/45s". Returns false after a message if it is invalid.
bool read_fails(const std::string& text, EchoDefaults& defaults) {
  const auto slash = text.find('/');
  const auto part = parse_duration(text.substr(0, slash));
  const auto every = parse_duration(slash == std::string::npos ? "" : text.substr(slash + 1));
  if (part.has_value() && every.has_value() && *part < *every) {
    defaults.fails = *part;
    defaults.fails_every = *every;
    return true;
  }
  std::fprintf(stderr, "headgate: --fails: \"%s\" is no part of a time\n  help: write \"8s/45s\": for 8 of each 45 s\n",
               printable(text).c_str());
  return false;
}

}  // namespace

int echo(const EchoOptions& options) {
  EchoDefaults defaults;
  defaults.status = options.status;
  defaults.bytes = options.bytes;
  if (!options.delay.empty()) {
    const auto delay = parse_duration(options.delay);
    if (delay.has_error()) {
      std::fprintf(stderr, "headgate: --delay: %s\n  help: %s\n", delay.error().message.c_str(),
                   delay.error().help.c_str());
      return kWrongCommandLine;
    }
    defaults.delay = *delay;
  }
  if (!options.fails.empty() && !read_fails(options.fails, defaults)) return kWrongCommandLine;
  const auto listen = config::parse_listen(options.listen);
  if (listen.has_error()) {
    std::fprintf(stderr, "headgate: --listen: %s\n  help: %s\n", listen.error().message.c_str(),
                 listen.error().help.c_str());
    return kWrongCommandLine;
  }
  observe::LogOptions log;
  log.access = "off";
  const observe::Logs logs(log);
  server::ServeOptions serving;
  serving.listen = {*listen};
  serving.workers = options.workers;
  boost::asio::io_context main_loop{1};
  Echo echo(defaults);
  return server::serve(main_loop, serving, echo);
}

}  // namespace headgate::cli
