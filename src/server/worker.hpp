#pragma once
// One thread with one loop, and everything that runs on it. Workers share only the objects that they are given.

#include "headgate/core/random.hpp"
#include "headgate/net/listener.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/server/server.hpp"
#include "headgate/session/sessions.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace headgate::server {

using MakeService = std::function<std::unique_ptr<WorkerService>(upstream::Environment)>;

/// The id of a listening address, unique in the process while it is open.
using ListenerId = std::uint64_t;

/// A worker. All functions except start() and join() may be called on any thread, and take effect in the order of the
/// calls.
class Worker {
 public:
  Worker(const MakeService& make, session::Totals& totals);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(std::function<void()> ended);
  /// Accepts connections on `sockets`, which all have one address. With TLS in the options, `tls` is not null.
  void listen(ListenerId id, const net::ListenOptions& options, net::ServerTlsPtr tls,
              std::vector<net::BoundSocket> sockets);
  /// Sets the options of connections that are accepted from now on. The sockets stay open. If `tls` is null, a listener
  /// with TLS keeps its previous one.
  void change(ListenerId id, const net::ListenOptions& options, net::ServerTlsPtr tls);
  /// Accepts the connections that are already waiting, and no others. The listener's connections end as in a drain;
  /// those that are left are broken off after `within`.
  void close(ListenerId id, Duration within);

  /// Makes TLS for this worker's connections. Called on the thread that made the worker, also while it runs.
  net::ServerTls::Made make_tls(const net::ServerTlsOptions& options, const net::ServerTlsTexts& texts);
  /// Uses `tls` for new connections of a listener.
  void use_tls(ListenerId id, net::ServerTlsPtr tls);

  /// Makes every answer close its connection from now on. After `delay`, the worker accepts no new connection, finishes
  /// the requests in flight, and ends. Requests that are not finished are aborted `within` after that.
  void drain(Duration delay, Duration within);
  /// Accepts no new connection from now on, because another process accepts them. Ends when the connections have ended:
  /// each is closed after its next answer, or after its idle time. Closing idle ones at once would break requests that
  /// are on their way to them. Connections that are left are aborted after `within`.
  void hand_over(Duration within);
  /// Runs `what` with the service on the worker's thread, between two steps of the service. The sessions then use the
  /// service's timeouts and bounds. If the service has stopped, as in a drain after the last connection, `what` is not
  /// run. Afterwards `then` runs in any case, if it is not empty: on the worker's thread or, if that thread has ended,
  /// before tell() returns.
  void tell(std::function<void(WorkerService&)> what, std::function<void()> then = {});
  void join();

 private:
  struct Door {
    ListenerId id = 0;
    session::ListenerSettingsPtr settings;
    std::vector<std::unique_ptr<net::Listener>> listeners;
  };
  struct Closing;
  void open_door(Door& door, net::BoundSocket socket);
  void close_door(Door door);
  static void close_over(void* closing);
  static void begin_drain(void* self);
  void close_all_doors();
  void check_drained();
  static void drain_tick(void* self);

  std::unique_ptr<net::TlsLibrary> tls_library_;  // must outlive the loop, which owns the connections; null without TLS
  /// Only the worker's thread uses the sockets, so they need no locks. Other threads may post to the loop.
  boost::asio::io_context loop_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_{loop_.get_executor()};
  net::LoopClock clock_{loop_};
  Random random_ = Random::of_the_system();
  net::Timers timers_{loop_};
  net::LentBytes::Share lent_;
  net::Blocks blocks_;
  std::unique_ptr<WorkerService> service_;
  net::HandshakeTurns handshakes_;
  session::Sessions sessions_;
  std::vector<Door> doors_;
  std::list<Closing> closing_;
  net::Timer delay_{&Worker::begin_drain, this};
  net::Timer tick_{&Worker::drain_tick, this};
  Duration drain_within_{0};
  bool drained_ = false;
  std::chrono::steady_clock::time_point drained_by_;
  std::mutex telling_;
  bool ended_ = false;  ///< guarded by telling_
  std::thread thread_;
};

}  // namespace headgate::server
