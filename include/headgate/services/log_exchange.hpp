#pragma once
// A gateway's part in a log that gateways share: writes what changed here, reads what changed elsewhere, and knows who
// has heard.

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

/// Where a log of this configuration is; null if it has none.
using OpenLog = std::function<std::shared_ptr<limit::SharedLog>(const config::Config& config)>;

/// How far a change came in the time that its caller waited.
struct Spread {
  bool written = false;               ///< the log has it; else it waits for Redis
  std::optional<limit::Heard> heard;  ///< not set: not known
};

/// One for each log, on the main thread except where it says any thread. Reads three times a second while something
/// changes, and every kIdlePeriod when nothing has for kAwake. So a change is heard everywhere within kIdlePeriod and
/// two kPeriod, and the time of the calls.
class LogExchange : public std::enable_shared_from_this<LogExchange> {
 public:
  /// How many changes wait for Redis at most; beyond it the oldest is dropped. It still holds here.
  static constexpr std::size_t kMaxWaiting = 65'536;
  /// How long a caller waits for others to hear.
  static constexpr auto kHearing = std::chrono::milliseconds(3000);
  static constexpr auto kPeriod = std::chrono::milliseconds(300);
  static constexpr auto kIdlePeriod = std::chrono::seconds(2);
  static constexpr auto kAwake = std::chrono::seconds(10);
  /// After so many entries the log is read from its beginning: half of what it keeps.
  static constexpr std::size_t kReadAgain = 32'768;

  /// Makes `entries` hold here, then calls `done`, on any thread.
  using Apply = std::function<void(std::vector<limit::LogEntry> entries, std::function<void()> done)>;
  using Tell = std::function<void(const Spread&)>;

  /// The clock outlives it.
  LogExchange(Clock& clock, Apply apply);

  /// How a reader of the whole log takes part. It is read whole at first, when it turns out to be another one, and
  /// after so many entries that it may have dropped some at its beginning.
  struct Whole {
    std::function<void()> begins;
    std::function<void()> ends;
  };
  /// Before use().
  void tell_whole(Whole whole) { whole_ = std::move(whole); }

  /// Goes on with this log, from its beginning; null: with none. What waits is written to the new one.
  void use(std::shared_ptr<limit::SharedLog> log);
  bool has_log() const noexcept { return log_ != nullptr; }
  /// Soon, in place of with the next period.
  void hurry();
  /// Something changed here. Any thread.
  void add(limit::LogEntry entry);
  /// Whether something that was added is not in the log yet. Any thread.
  bool waits() const;
  /// Tells how far all that was added until now has come: once all gateways have heard, or after kHearing. Any thread;
  /// `tell` is called on the main thread, or dropped after stop().
  void when_heard(Tell tell);
  /// Whether the log was read once, or there is none.
  bool has_read() const noexcept { return !log_ || read_once_; }
  /// What waits is lost. While the loop runs, the others are told that this gateway is gone.
  void stop();

 private:
  using Steady = Clock::Steady;
  struct Change {
    std::uint64_t number = 0;
    limit::LogEntry entry;
  };
  struct Listener {
    std::uint64_t number = 0;   ///< of the last change that it asks about
    std::uint64_t version = 0;  ///< 0: not written yet
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
  std::string position_;  ///< read up to here
  std::string applied_;   ///< and acted on up to here
  Whole whole_;
  bool reads_whole_ = false;
  std::size_t read_since_ = 0;  ///< entries since the whole log was read
  Steady said_{};               ///< when the others were last told so
  Steady changed_{};            ///< when something did, here or elsewhere
  std::deque<Listener> listeners_;
  std::uint64_t written_ = 0;
  std::uint64_t version_ = 0;  ///< of the last change that was written
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
