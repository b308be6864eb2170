#pragma once
// A gateway's part in a shared log: writes local changes, reads remote ones, and tracks which gateways have received
// them.

#include "headgate/config/config.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/shared_log.hpp"
#include "headgate/services/main_calls.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::services {

/// Returns the log of a configuration; null if the configuration needs none.
using OpenLog = std::function<std::shared_ptr<limit::SharedLog>(const config::Config& config)>;

/// How far a change has spread while its caller waited.
struct Spread {
  bool written = false;  ///< True if the log has the change; otherwise the change waits for Redis.
  std::optional<limit::Acknowledgements>
      heard;  ///< The gateways that have received the change; empty if this is unknown.
};

/// The exchange of one log. Main thread, except where a function allows any thread. Reads the log three times per
/// second while entries change, and every kIdlePeriod if nothing has changed for kAwake. So a change reaches all
/// gateways within kIdlePeriod plus two kPeriod, and the time of the calls.
class LogExchange : public std::enable_shared_from_this<LogExchange> {
 public:
  /// Maximum number of changes that wait for Redis. If there are more, the oldest change is dropped: it is not written
  /// to the log any more, but stays in force on this gateway.
  static constexpr std::size_t kMaxWaiting = 65'536;
  /// Maximum time that a caller waits for confirmations of other gateways.
  static constexpr auto kHearing = std::chrono::milliseconds(3000);
  static constexpr auto kPeriod = std::chrono::milliseconds(300);
  static constexpr auto kIdlePeriod = std::chrono::seconds(2);
  static constexpr auto kAwake = std::chrono::seconds(10);
  /// Number of entries after which the log is read again from its beginning: half of what the log keeps.
  static constexpr std::size_t kReadAgain = 32'768;

  /// Puts `entries` in force here, then calls `done`, on any thread.
  using Apply = std::function<void(std::vector<limit::LogEntry> entries, std::function<void()> done)>;
  using Tell = std::function<void(const Spread&)>;

  /// The clock must outlive this object.
  LogExchange(Clock& clock, Apply apply);

  /// Functions for a user that needs to know the complete log. `begins` and `ends` are called around each complete
  /// read. The log is read completely at first, when another log replaces it, and after so many entries that its first
  /// ones may have been dropped.
  struct Whole {
    std::function<void()> begins;
    std::function<void()> ends;
  };
  /// Sets the functions that are called around complete reads. Call this before use().
  void tell_whole(Whole whole) { whole_ = std::move(whole); }

  /// Continues with this log, from its beginning; null for no log. Waiting changes are written to the new log.
  void use(std::shared_ptr<limit::SharedLog> log);
  bool has_log() const noexcept { return log_ != nullptr; }
  /// Exchanges soon instead of at the next period.
  void hurry();
  /// Adds a local change. Any thread.
  void add(limit::LogEntry entry);
  /// Returns whether an added change is not in the log yet. Any thread.
  bool waits() const;
  /// Calls `tell` with the spread of all changes added so far: once all gateways have confirmed them, or after
  /// kHearing. Any thread; `tell` is called on the main thread, or dropped after stop().
  void when_heard(Tell tell);
  /// Returns whether the log was read at least once, or no log is used.
  bool has_read() const noexcept { return !log_ || read_once_; }
  /// Stops the exchange. Waiting changes are lost. While the loop runs, other gateways are told that this one is gone.
  void stop();

 private:
  using Steady = Clock::Steady;
  struct Change {
    std::uint64_t number = 0;
    limit::LogEntry entry;
  };
  struct Listener {
    std::uint64_t number = 0;   ///< Number of the last change whose spread is reported.
    std::uint64_t version = 0;  ///< Version of that change in the log; 0 if the change is not written yet.
    Steady end{};
    Tell tell;
    Spread spread{};
  };
  using LogPtr = std::shared_ptr<limit::SharedLog>;

  static Task<void> exchange(std::shared_ptr<LogExchange> self, LogPtr log);
  static Task<void> leave(LogPtr log);
  static Task<void> hear(std::shared_ptr<LogExchange> self, LogPtr log);
  Task<bool> send(limit::SharedLog& log);
  Task<bool> receive(const LogPtr& log);
  void tick();
  void arm();
  void wake();
  void listen(Listener listener);
  void look_who_has_heard();
  void written(std::uint64_t number, std::uint64_t version);
  void applied(const LogPtr& log, const std::string& position);
  void say_here();

  Clock& clock_;
  MainCalls calls_;
  const Apply apply_;
  std::unique_ptr<Alarm> alarm_;
  std::unique_ptr<Alarm> listen_alarm_;
  LogPtr log_;
  std::string position_;  ///< Position in the log up to which entries were read.
  std::string applied_;   ///< Position in the log up to which entries were applied.
  Whole whole_;
  bool reads_whole_ = false;
  std::size_t read_since_ = 0;  ///< Number of entries since the whole log was read.
  Steady said_{};               ///< Time at which the other gateways were last told that this one is present.
  Steady changed_{};            ///< Time of the last change by this gateway or another one.
  std::deque<Listener> listeners_;
  std::uint64_t written_ = 0;
  std::uint64_t version_ = 0;  ///< Version in the log of the last change that was written.
  bool read_once_ = false;
  bool under_way_ = false;
  bool again_ = false;
  bool hearing_ = false;
  bool say_again_ = false;
  bool stopped_ = false;

  mutable std::mutex mutex_;
  std::deque<Change> waiting_;
  std::uint64_t added_ = 0;
};

}  // namespace headgate::services
