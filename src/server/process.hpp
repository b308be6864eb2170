#pragma once
// This process and the system around it: the service manager, signals, the limit of open files.

#include "headgate/config/config.hpp"
#include "headgate/core/time.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

namespace headgate::server {

/// Ends the process in bounded time, even if a thread is blocked for ever by a file system that does not answer. Call
/// it on one thread.
class EndAtLatest {
 public:
  EndAtLatest() = default;
  EndAtLatest(const EndAtLatest&) = delete;
  EndAtLatest& operator=(const EndAtLatest&) = delete;
  /// Cancels the end if the object is destroyed in time.
  ~EndAtLatest();

  /// Ends the process with exit code 1 after `after`. If it is called several times, the earliest moment counts.
  void begin(Duration after);

 private:
  void wait();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::chrono::steady_clock::time_point> at_;
  bool ended_ = false;
  std::thread thread_;
};

/// Tells the service manager the state of this process (sd_notify(3)), without its library: sends `state` ("READY=1")
/// to the socket that $NOTIFY_SOCKET names. Does nothing if there is none.
void tell_service_manager(std::string_view state) noexcept;

/// Ignores signals that have no meaning here but would end the process, so that an accidental signal does no harm. Not
/// changed: signals of faults and of job control, SIGQUIT and SIGABRT (they write a core file), and the stop signals
/// (SIGHUP, SIGINT, SIGTERM). If a file reaches its maximum size (SIGXFSZ), the write returns an error.
void ignore_stray_signals();

/// Logs an event if the descriptor limit allows fewer connections than `bounds.connections`.
void warn_of_few_descriptors(const config::Config& config);

}  // namespace headgate::server
