#pragma once
// The logs of this process. They are open from the first event of the process to the last.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/observe/options.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::observe {

/// The reason that a log cannot be opened.
struct LogFailure {
  enum class Which : std::uint8_t { access, error } which = Which::access;
  std::string why;
};

/// Receives each event as one JSON object, whatever level is logged. The object has the fields of the log, and
/// `sentence`, which describes the event in one English sentence. Runs on the thread of the event; must not wait and
/// must not report an event.
using EventTap = std::function<void(std::string_view name, std::string_view json)>;
/// Sends all events of level info and above to `tap` from now on, or to nobody if `tap` is empty. When this function
/// returns, the previous tap is no longer called. Any thread, but not from within a tap.
void tap_events(EventTap tap);

/// Returns the `key_id` of `key` in the log lines of this process: "k_" and 16 hexadecimal digits. Any thread.
std::string key_id(std::string_view key);

/// Sends events to stderr while no Logs exist, because stdout is for the output of a command. Call it at the start of
/// the program.
void events_to_stderr();

/// The logs of the process. Constructed and destroyed on the main thread while no other thread runs. Events go to
/// spdlog's default logger, which this object replaces during its lifetime.
class Logs {
 public:
  /// Throws std::runtime_error if a file cannot be opened.
  explicit Logs(const LogOptions& options);
  /// Writes all queued lines. Lines that cannot be written within two seconds are lost.
  ~Logs();
  Logs(const Logs&) = delete;
  Logs& operator=(const Logs&) = delete;

  /// Returns a worker's access log, which must not be used after this object is destroyed. If `before`, the previous
  /// log of the worker, has the same target, its lines stay in the same queue. Any thread.
  AccessLog access_log(const AccessLog* before = nullptr);

  /// New options, with open files that are not used yet. Main thread only.
  class Next {
   public:
    Next(Next&&) noexcept;
    Next& operator=(Next&&) noexcept;
    ~Next();

   private:
    friend class Logs;
    struct State;
    explicit Next(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  /// Opens the files of `options` that are not open yet, and changes nothing else.
  Result<Next, LogFailure> prepare(const LogOptions& options) const;
  /// Applies the new options to events, and to access logs that are made from now on. Main thread only.
  void use(Next next);
  /// Writes the rest of all targets that are no longer used, and closes them. Call it when no worker has an access log
  /// from before the last use(). Does not wait. Main thread only.
  void close_unused();

  /// Stops logging events below `level` until the next use(). Returns false if events are not logged at all. Any
  /// thread.
  bool use_level(LogLevel level) noexcept;
  LogLevel level() const noexcept;  ///< any thread

  /// Reopens files by their names after a rotation has moved them. Main thread only; does not wait.
  void reopen() noexcept;

  /// Returns the current `key_id` of a key. Any thread.
  std::string key_id(std::string_view key) const;

  /// Numbers of lines that were lost or left out since startup. Any thread.
  struct Dropped {
    std::uint64_t access = 0;
    std::uint64_t error = 0;
    std::uint64_t ok_left_out = 0;        ///< lines that `keep_ok` left out
    std::uint64_t refusals_left_out = 0;  ///< lines that `refusals_every` left out
  };
  Dropped dropped() const;

  /// The number of bytes that wait to be written, for the thread with the most such bytes. Each thread may queue
  /// kMaxQueued bytes; lines beyond that are lost. Any thread.
  struct Queued {
    std::size_t access = 0;
    std::size_t error = 0;
  };
  static constexpr std::size_t kMaxQueued = 1UL << 20;
  Queued queued() const;

  /// Returns the access log lines of the last minutes, as far as RecentLines keeps them; empty if the log is off. Any
  /// thread.
  std::string recent() const;

  /// The logs that cannot be written at the moment. Any thread.
  struct Failing {
    bool access = false;
    bool error = false;
  };
  Failing failing() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::observe
