#pragma once
// One thread, one loop, and everything that lives on it. Workers share nothing but what they are given.

#include "headgate/gateway/sessions.hpp"
#include "headgate/net/listener.hpp"
#include "headgate/server/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

namespace headgate::server {

class Worker {
 public:
  Worker(const Options& options, const MakeService& make, std::atomic<std::uint32_t>& connections);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Before start(). An error text where the address cannot be had.
  Result<net::Listener*, std::string> listen(const net::ListenOptions& options);
  void start(std::function<void()> ended);

  /// Any thread: say close in every answer from now on; after `delay` take nothing new, finish what is in flight, and
  /// end. What is left `within` after that is broken off.
  void drain(Duration delay, Duration within);
  /// Any thread: done with the service, between two of its steps.
  void tell(std::function<void(Service&)> what);
  void join();

 private:
  static void begin_drain(void* self);
  void check_drained();
  static void drain_tick(void* self);

  boost::asio::io_context loop_{1};
  net::Timers timers_{loop_};
  net::Blocks blocks_;
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
