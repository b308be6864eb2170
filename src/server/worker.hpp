#pragma once
// One thread with one loop, and everything that runs on it. Workers share only what they are given.

#include "headgate/gateway/sessions.hpp"
#include "headgate/net/handshake_turns.hpp"
#include "headgate/net/listener.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/server/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <thread>

namespace headgate::server {

using MakeService = std::function<std::unique_ptr<Service>(upstream::Environment)>;

class Worker {
 public:
  Worker(const Options& options, const MakeService& make, std::atomic<std::uint32_t>& connections);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Call it before start(). Returns an error text if the address is not available.
  Result<net::Listener*, std::string> listen(const net::ListenOptions& options);
  void start(std::function<void()> ended);

  /// Makes TLS for this worker's connections. The thread that made the worker, also while it runs.
  net::ServerTls::Made make_tls(const net::ServerTlsOptions& options, const net::ServerTlsTexts& texts);
  /// Any thread. New connections of a listener, by its number in the order of listen(), use `tls` from now on.
  void use_tls(std::size_t listener, net::ServerTlsPtr tls);

  /// Any thread. From now on every answer closes its connection. After `delay` the worker accepts nothing new, finishes
  /// requests in flight, and ends. It aborts what is left `within` after that.
  void drain(Duration delay, Duration within);
  /// Any thread. Runs `what` with the service, on the worker's thread, between two steps of the service.
  void tell(std::function<void(Service&)> what);
  void join();

 private:
  static void begin_drain(void* self);
  void check_drained();
  static void drain_tick(void* self);

  std::unique_ptr<net::TlsLibrary> tls_library_;  // outlives the loop, which has the connections; null: no TLS
  boost::asio::io_context loop_{1};
  net::LoopClock clock_{loop_};
  net::Timers timers_{loop_};
  net::Blocks blocks_;
  net::HandshakeTurns handshakes_;
  std::unique_ptr<Service> service_;
  gateway::Sessions sessions_;
  std::vector<std::unique_ptr<net::Listener>> listeners_;
  net::Timer delay_{&Worker::begin_drain, this};
  net::Timer tick_{&Worker::drain_tick, this};
  Duration drain_within_{0};
  std::chrono::steady_clock::time_point drained_by_;
  std::thread thread_;
};

}  // namespace headgate::server
