#pragma once
// The logs of this process, open from its first event to its last. One per process.

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

/// Why a log cannot be opened.
struct LogFailure {
  enum class Which : std::uint8_t { access, error } which = Which::access;
  std::string why;
};

/// Gets each event, whatever level is logged, as one JSON object: the fields of the log and `sentence`, the event in
/// one English sentence. On the thread of the event: it must not wait, and must not report an event.
using EventTap = std::function<void(std::string_view name, std::string_view json)>;
/// `tap` gets all events of level info and above from now on; empty: nobody does. When it returns, the tap before is
/// not called any more. Any thread, but not from within a tap.
void tap_events(EventTap tap);

/// What stands for `key` in the log lines of this process, as `key_id`: "k_" and 16 hexadecimal digits. Any thread.
std::string key_id(std::string_view key);

/// Events go to stderr where no Logs exist: stdout has what a command was asked for. For a program's first line.
void events_to_stderr();

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

  /// Makes a worker's access log. It must not be used after this object is destroyed. Any thread. If the log that the
  /// worker had `before` has the same target, its lines stay in the same queue.
  AccessLog access_log(const AccessLog* before = nullptr);

  /// Other options, with their files open, but not used yet. Main thread only.
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
  /// Opens the files of `options` that are not open yet. Changes nothing otherwise.
  Result<Next, LogFailure> prepare(const LogOptions& options) const;
  /// Events follow the new options from now on, and so does each access log that is made from now on. Main thread
  /// only.
  void use(Next next);
  /// No worker has an access log any more that was made before the last use(): what is left in the targets that are no
  /// longer used is written, and they are closed. Does not wait. Main thread only.
  void close_unused();

  /// Events of lower levels are not logged any more, until the next use(). Any thread. False where events go nowhere.
  bool use_level(LogLevel level) noexcept;
  LogLevel level() const noexcept;  ///< any thread

  /// Opens files again by their names, after a rotation has moved them. Main thread only; does not wait.
  void reopen() noexcept;

  /// The `key_id` of a key, as it is logged now. Any thread.
  std::string key_id(std::string_view key) const;

  /// Lines that were lost or left out since the start. Any thread.
  struct Dropped {
    std::uint64_t access = 0;
    std::uint64_t error = 0;
    std::uint64_t ok_left_out = 0;        ///< lines that `keep_ok` left out
    std::uint64_t refusals_left_out = 0;  ///< lines that `refusals_every` left out
  };
  Dropped dropped() const;

  /// How many bytes wait to be written, of the thread with the most of them. Each thread has room for kMaxQueued, and
  /// loses what comes beyond. Any thread.
  struct Queued {
    std::size_t access = 0;
    std::size_t error = 0;
  };
  static constexpr std::size_t kMaxQueued = 1UL << 20;
  Queued queued() const;

  /// The lines of the access log of the last minutes, as far as RecentLines keeps them; "" if it is off. Any thread.
  std::string recent() const;

  /// Which of the logs cannot be written at the moment. Any thread.
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
