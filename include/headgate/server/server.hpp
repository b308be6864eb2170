#pragma once
// The process: workers, listeners, signals, drain. What it serves is a Program.

#include "headgate/gateway/handler.hpp"
#include "headgate/gateway/options.hpp"
#include "headgate/net/options.hpp"
#include "headgate/observe/handshake_counters.hpp"
#include "headgate/upstream/environment.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <vector>

namespace headgate::server {

class Workers;

/// The handler of a worker's requests, with everything it needs. Made on the main thread before the loops run, then
/// used by one worker.
class Service {
 public:
  virtual ~Service() = default;
  virtual gateway::Handler& handler() = 0;
  /// The current timeouts of client connections.
  virtual gateway::Timeouts timeouts() const { return {}; }
  /// Counts TLS handshakes; null: nobody does. As long as the service lives.
  virtual const observe::HandshakeCounters* handshakes() const { return nullptr; }
  /// Closes its connections, so that the worker's loop can end.
  virtual void stop() = 0;
};

/// What is served, from its start to its end. The functions stand in the order in which they are called, on the main
/// thread. They may take long.
class Program {
 public:
  virtual ~Program() = default;
  /// Called once for each worker, before any runs.
  virtual std::unique_ptr<Service> make_service(upstream::Environment environment) = 0;
  /// The workers listen, and accept nobody yet: listeners with TLS need their certificates now. An error ends the
  /// start.
  virtual Result<void, std::string> listening(Workers& workers) {
    return static_cast<void>(workers), Result<void, std::string>();
  }
  /// All workers run, and take changes until ended().
  virtual void started(Workers& workers) { static_cast<void>(workers); }
  virtual void reload() {}       ///< SIGHUP
  virtual void reopen_logs() {}  ///< SIGUSR1
  virtual void draining() {}     ///< the first SIGTERM or SIGINT
  /// No worker runs any more. Afterwards the loop must have no work left.
  virtual void ended() {}
};

/// The number of threads: `wanted`, or one per core for 0.
unsigned worker_count(unsigned wanted) noexcept;

struct Options {
  std::vector<net::ListenOptions> listen;
  unsigned workers = 0;                       ///< 0: one per core
  Duration drain_delay{0};                    ///< how long the listeners stay open after the stop signal
  Duration drain = std::chrono::seconds(20);  ///< then the time for requests in flight
  gateway::Bounds bounds;
  bool reloads =
      false;  ///< whether the program takes SIGHUP and SIGUSR1; else they end the process, as is their default
};

/// Serves `program` until SIGTERM or SIGINT, then drains; runs `main_loop` meanwhile. Returns 0 after a normal end, 1
/// if it could not start (the reason is on stderr).
int serve(boost::asio::io_context& main_loop, const Options& options, Program& program);

}  // namespace headgate::server
