#pragma once
// The logs of this process, open from its first event to its last. One for each process.

#include "headgate/core/time.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/options.hpp"

#include <cstdint>
#include <memory>

namespace headgate::observe {

/// Made and destroyed on the main thread while no other runs. Events go where spdlog's default logger leads, and that
/// is here meanwhile.
class Logs {
 public:
  /// Throws std::runtime_error where a file cannot be opened.
  explicit Logs(const LogOptions& options);
  /// Writes out what is queued. What no disk and no pipe takes within two seconds is lost.
  ~Logs();
  Logs(const Logs&) = delete;
  Logs& operator=(const Logs&) = delete;

  /// A worker's own; not used any more when this is destroyed.
  AccessLog access_log();

  /// Files are opened by their names again, after they were moved away. Any thread; waits for nothing.
  void reopen() noexcept;

  /// Lines that were not written, since the start. Any thread.
  struct Dropped {
    std::uint64_t access = 0;
    std::uint64_t error = 0;
  };
  Dropped dropped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::observe
