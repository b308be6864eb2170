#pragma once
// The process: its workers, listeners, signals and drain. The process serves a Program.

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

/// The TLS of one listening address, one for each worker. Empty without TLS.
using ListenerTls = std::vector<net::ServerTlsPtr>;

/// The handler of a worker's requests, with everything that the handler needs. The object is made on the main thread
/// before the loops run, and is then used by one worker.
class WorkerService {
 public:
  virtual ~WorkerService() = default;
  virtual gateway::Handler& handler() = 0;
  /// Returns the current timeouts of client connections.
  virtual session::Timeouts timeouts() const { return {}; }
  /// Returns the counters of TLS handshakes; null if handshakes are not counted. They live as long as the service.
  virtual const observe::HandshakeCounters* handshakes() const { return nullptr; }
  /// Returns the current bounds of client connections.
  virtual session::Bounds bounds() const { return {}; }
  /// Returns the counters of the listener whose text in the configuration is `listener`.
  virtual observe::ListenerCounters listener_counters(std::string_view listener) {
    return static_cast<void>(listener), observe::ListenerCounters();
  }
  /// Returns whether clients or operators connect to the listeners.
  virtual net::Listener::For listens_for() const { return net::Listener::For::clients; }
  /// Returns whether something must still be sent that no client waits for. A drain waits for it, within its time.
  virtual bool has_unsent() const { return false; }
  /// Closes the connections of the service, so that the worker's loop can end.
  virtual void stop() = 0;
};

/// The times that a worker may take to end.
struct DrainTimes {
  Duration delay{0};                           ///< time for which the listeners stay open after the stop signal
  Duration within = std::chrono::seconds(20);  ///< time that requests in flight may take afterwards
};

/// The program that is served, from start to end. The functions are declared in the order of their calls, all on the
/// main thread. They may take long.
class Program {
 public:
  virtual ~Program() = default;
  /// Returns the counts of all workers together.
  session::Totals& totals() noexcept { return totals_; }
  /// Makes the service of a worker. Called once for each worker, before any worker runs.
  virtual std::unique_ptr<WorkerService> make_service(upstream::Environment environment) = 0;
  /// Returns the TLS of each listening address, in the order of the addresses. Called before the workers listen. An
  /// error ends the start.
  virtual Result<std::vector<ListenerTls>, std::string> secure(Workers& workers) {
    return static_cast<void>(workers), std::vector<ListenerTls>();
  }
  /// Starts the work of the program when all workers run. The workers accept changes until ended() is called.
  virtual void started(Workers& workers) { static_cast<void>(workers); }
  virtual DrainTimes drain_times() const { return {}; }
  virtual void reload() {}       ///< Handles SIGHUP.
  virtual void reopen_logs() {}  ///< Handles SIGUSR1.
  /// Replaces this process (SIGUSR2). Calls `handed_over` once another process serves in place of this one.
  virtual void upgrade(const std::function<void()>& handed_over) { static_cast<void>(handed_over); }
  /// Returns how long connections may last after an upgrade.
  virtual Duration upgrade_drain() const { return drain_times().within; }
  /// Begins the drain, at the first SIGTERM or SIGINT and at the end of an upgrade. Requests in flight that do not end
  /// within `at_most` are broken off.
  virtual void draining(Duration /*at_most*/) {}
  /// Ends the work of the program. Called when no worker runs any more, and also if the start failed and started() was
  /// never called. Afterwards, the main loop must have no work left.
  virtual void ended() {}

 private:
  session::Totals totals_;
};

/// Returns the number of threads: `wanted`, or one per core if that is 0.
unsigned worker_count(unsigned wanted) noexcept;

struct ServeOptions {
  std::vector<net::ListenOptions> listen;
  unsigned workers = 0;  ///< number of workers; 0 for one per core
  /// Whether the program handles SIGHUP, SIGUSR1 and SIGUSR2. Otherwise SIGHUP ends the process, as it does by default.
  bool reloads = false;
  PassedSockets* passed = nullptr;  ///< sockets that this process was started with; null if there are none
};

/// Serves `program` until SIGTERM or SIGINT, then drains; runs `main_loop` meanwhile. Returns 0 after a normal end, 1
/// if it could not start (the reason is on stderr).
int serve(boost::asio::io_context& main_loop, const ServeOptions& options, Program& program);

}  // namespace headgate::server
