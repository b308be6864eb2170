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
  /// One for each thread that the options want, with a service of the program's each; none runs yet.
  Workers(const Options& options, Program& program);

  /// The same addresses on every worker; a port the system picked for the first is used by the others. An error text
  /// where one cannot be had.
  Result<void, std::string> listen(std::vector<net::ListenOptions> addresses);
  /// `ended` is called when none runs any more, on the thread of whichever was the last.
  void start(const std::function<void()>& ended);
  /// Does `what` with every service, on its worker's thread between two of its steps; then `done`, if it is not empty,
  /// once, on the thread of whichever was the last.
  void tell(const std::function<void(Service&)>& what, const std::function<void()>& done = {});
  void drain(Duration delay, Duration within);
  void join();
  std::size_t count() const noexcept { return workers_.size(); }

 private:
  std::atomic<std::uint32_t> connections_{0};
  std::atomic<std::size_t> running_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace headgate::server
