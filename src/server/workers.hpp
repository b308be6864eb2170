#pragma once
// All workers of a process, managed by the main thread.

#include "listeners.hpp"
#include "worker.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headgate::server {

/// Main thread only.
class Workers {
 public:
  /// Makes worker_count(wanted) workers, each with a service of the program. None of them runs yet.
  Workers(unsigned wanted, Program& program);

  /// The addresses that all workers listen on.
  Listeners& listeners() noexcept { return *listeners_; }
  /// Calls `ended` when no worker runs any more, on the thread of the last one.
  void start(const std::function<void()>& ended);
  /// Runs `what` with every service, on its worker's thread between two steps. Then calls `done` once, if it is not
  /// empty, on the thread of the last worker. Workers that have ended in a drain are left out, and `done` may be called
  /// before tell() returns.
  void tell(const std::function<void(WorkerService&)>& what, const std::function<void()>& done = {});
  /// Makes TLS for a listener. The error is a sentence without its full stop. Called on the thread that made the
  /// workers, also while they run.
  Result<ListenerTls, std::string> make_tls(const net::ServerTlsOptions& options, const net::ServerTlsTexts& texts);
  void drain(Duration delay, Duration within);
  void hand_over(Duration within);
  void join();
  std::size_t count() const noexcept { return workers_.size(); }

 private:
  std::atomic<std::size_t> running_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<Listeners> listeners_;
};

}  // namespace headgate::server
