#pragma once
// Runs a load: sends each request at its time, and reports the results every second and at the end. Used by cli.

#include "headgate/load/crowd.hpp"
#include "headgate/load/options.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace headgate::load {

/// One second of a run.
struct LoadSecond {
  std::uint64_t number = 1;
  std::uint64_t sent = 0;  ///< requests that ended in this second, like the counts below
  std::uint64_t allowed = 0;
  std::uint64_t rejected = 0;
  std::uint64_t in_line = 0;
  std::uint64_t other = 0;
  std::uint64_t no_answer = 0;
  Duration p50{0};
  Duration p99{0};
  std::uint64_t waiting = 0;  ///< callers that wait until a time that an answer gave them
  std::uint64_t late = 0;     ///< requests that were not sent on time
};

/// The result of a run.
struct LoadReport {
  LoadFigures figures;
  Duration took{0};
  std::uint64_t late_self = 0;  ///< requests sent more than kLate after their time because this process was too slow
  /// requests sent more than kLate after their time because no connection was free
  std::uint64_t late_connections = 0;
  std::uint64_t not_sent = 0;     ///< requests not sent, because too many waited for a connection or the run ended
  std::uint64_t connections = 0;  ///< number of opened connections
  double busiest = 0;             ///< use of one core in the busiest second, from 0 to 1
};

/// The run. Used only on the thread of the loop.
class LoadRun {
 public:
  static constexpr Duration kLate = std::chrono::milliseconds(10);

  /// `each_second` may be empty. `options` is copied.
  LoadRun(boost::asio::io_context& loop, LoadOptions options, std::function<void(const LoadSecond&)> each_second);
  ~LoadRun();
  LoadRun(const LoadRun&) = delete;
  LoadRun& operator=(const LoadRun&) = delete;

  /// Begins the run. It ends with the last request, at most one request timeout after the length of the timetable.
  void start();
  /// Sends nothing more, and waits at most two seconds for requests under way. A second call ends the wait.
  void stop();
  /// Returns whether none of the run's work is left on the loop. The run may be destroyed only then.
  bool ended() const noexcept;
  /// Returns the result. Call it after the run has ended.
  LoadReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::load
