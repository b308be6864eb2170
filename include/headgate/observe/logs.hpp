#pragma once
// The logs of this process, open from its first event to its last. One per process.

#include "headgate/core/time.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/options.hpp"

#include <cstdint>
#include <memory>

namespace headgate::observe {

/// Constructed and destroyed on the main thread while no other thread runs. Events go to spdlog's default logger; this
/// object replaces it during its lifetime.
class Logs {
 public:
  /// Throws std::runtime_error if a file cannot be opened.
  explicit Logs(const LogOptions& options);
  /// Writes all queued lines. Lines that cannot be written within two seconds are lost.
  ~Logs();
  Logs(const Logs&) = delete;
  Logs& operator=(const Logs&) = delete;

  /// Makes a worker's access log. It must not be used after this object is destroyed.
  AccessLog access_log();

  /// Opens files again by their names, after a rotation has moved them. Any thread; does not wait.
  void reopen() noexcept;

  /// Lines lost since the start. Any thread.
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
