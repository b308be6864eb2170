#pragma once
// All workers of a process, from the main thread's side.

#include "worker.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::server {

/// Main thread only.
class Workers {
 public:
  /// Makes one worker for each thread of the options, each with its own service of the program. None runs yet.
  Workers(const Options& options, Program& program);

  /// Listens on the same addresses on every worker. With port 0 the system chooses one for the first worker, and the
  /// others use it. An error text if an address is not available.
  Result<void, std::string> listen(std::vector<net::ListenOptions> addresses);
  /// Calls `ended` when no worker runs any more, on the thread of the last one.
  void start(const std::function<void()>& ended);
  /// Runs `what` with every service, on its worker's thread between two steps; then calls `done`, if it is not empty,
  /// once, on the thread of the last worker.
  void tell(const std::function<void(Service&)>& what, const std::function<void()>& done = {});
  /// New connections of a listener, by its number in the order of listen(), use this from now on: at the start, when
  /// files have changed, or at a reload. All workers, or none after an error, which is a sentence without its dot.
  Result<void, std::string> use_tls(std::size_t listener, const net::ServerTlsOptions& options,
                                    const net::ServerTlsTexts& texts);
  void drain(Duration delay, Duration within);
  void join();
  std::size_t count() const noexcept { return workers_.size(); }

 private:
  std::atomic<std::uint32_t> connections_{0};
  std::atomic<std::size_t> running_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace headgate::server
