#pragma once
// The process: workers, listeners, signals, drain. What it serves is a Program.

#include "headgate/gateway/handler.hpp"
#include "headgate/net/listener.hpp"
#include "headgate/net/options.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/observe/handshake_counters.hpp"
#include "headgate/session/options.hpp"
#include "headgate/session/sessions.hpp"
#include "headgate/upstream/environment.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace headgate::server {

class PassedSockets;
class Workers;

/// Of one listening address: for each worker its own. Empty: no TLS.
using ListenerTls = std::vector<net::ServerTlsPtr>;

/// The handler of a worker's requests, with everything it needs. Made on the main thread before the loops run, then
/// used by one worker.
class WorkerService {
 public:
  virtual ~WorkerService() = default;
  virtual gateway::Handler& handler() = 0;
  /// The current timeouts of client connections.
  virtual session::Timeouts timeouts() const { return {}; }
  /// Counts TLS handshakes; null: nobody does. As long as the service lives.
  virtual const observe::HandshakeCounters* handshakes() const { return nullptr; }
  /// The current bounds of client connections.
  virtual session::Bounds bounds() const { return {}; }
  /// Counts the connections of a listener, which has this text in the configuration.
  virtual observe::ListenerCounters listener_counters(std::string_view listener) {
    return static_cast<void>(listener), observe::ListenerCounters();
  }
  /// Who connects to its listeners.
  virtual net::Listener::For listens_for() const { return net::Listener::For::clients; }
  /// Closes its connections, so that the worker's loop can end.
  virtual void stop() = 0;
};

/// How a worker ends.
struct DrainTimes {
  Duration delay{0};                           ///< how long the listeners stay open after the stop signal
  Duration within = std::chrono::seconds(20);  ///< then the time for requests in flight
};

/// What is served, from its start to its end. The functions stand in the order in which they are called, on the main
/// thread. They may take long.
class Program {
 public:
  virtual ~Program() = default;
  /// What all workers count together.
  session::Totals& totals() noexcept { return totals_; }
  /// Called once for each worker, before any runs.
  virtual std::unique_ptr<WorkerService> make_service(upstream::Environment environment) = 0;
  /// Before the workers listen: the TLS of each address, by its number. An error ends the start.
  virtual Result<std::vector<ListenerTls>, std::string> secure(Workers& workers) {
    return static_cast<void>(workers), std::vector<ListenerTls>();
  }
  /// All workers run, and take changes until ended().
  virtual void started(Workers& workers) { static_cast<void>(workers); }
  virtual DrainTimes drain_times() const { return {}; }
  virtual void reload() {}       ///< SIGHUP
  virtual void reopen_logs() {}  ///< SIGUSR1
  /// SIGUSR2: calls `handed_over` once another process serves in the place of this one.
  virtual void upgrade(const std::function<void()>& handed_over) { static_cast<void>(handed_over); }
  /// How long connections may last then.
  virtual Duration upgrade_drain() const { return drain_times().within; }
  /// The first SIGTERM or SIGINT, or handed over. What is in flight has ended in `at_most`, or is broken off.
  virtual void draining(Duration /*at_most*/) {}
  /// No worker runs any more; also where the start has failed, and started() was never called. Afterwards the loop must
  /// have no work left.
  virtual void ended() {}

 private:
  session::Totals totals_;
};

/// The number of threads: `wanted`, or one per core for 0.
unsigned worker_count(unsigned wanted) noexcept;

struct ServeOptions {
  std::vector<net::ListenOptions> listen;
  unsigned workers = 0;  ///< 0: one per core
  /// Whether the program takes SIGHUP, SIGUSR1 and SIGUSR2. Else SIGHUP ends the process, as is its default.
  bool reloads = false;
  PassedSockets* passed = nullptr;  ///< sockets that this process was started with; null: none
};

/// Serves `program` until SIGTERM or SIGINT, then drains; runs `main_loop` meanwhile. Returns 0 after a normal end, 1
/// if it could not start (the reason is on stderr).
int serve(boost::asio::io_context& main_loop, const ServeOptions& options, Program& program);

}  // namespace headgate::server
