#pragma once
// Runs a load: sends each request at its moment, and tells every second and at the end what came of it. Used by cli.

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
  std::uint64_t sent = 0;  ///< and ended in it, as all that follows
  std::uint64_t allowed = 0;
  std::uint64_t rejected = 0;
  std::uint64_t in_line = 0;
  std::uint64_t other = 0;
  std::uint64_t no_answer = 0;
  Duration p50{0};
  Duration p99{0};
  std::uint64_t waiting = 0;  ///< callers, for the moment that they were told
  std::uint64_t late = 0;     ///< requests that were not sent at their moment
};

/// What a run came to.
struct LoadReport {
  LoadFigures figures;
  Duration took{0};
  std::uint64_t late_self = 0;         ///< sent more than kLate after its moment, as this process was too slow
  std::uint64_t late_connections = 0;  ///< the same, as no connection was free
  std::uint64_t not_sent = 0;          ///< as too many waited for a connection, or as it ended
  std::uint64_t connections = 0;       ///< opened
  double busiest = 0;                  ///< of one core, in the busiest second: from 0 to 1
};

/// On the thread of its loop.
class LoadRun {
 public:
  static constexpr Duration kLate = std::chrono::milliseconds(10);

  /// `each_second` may be empty. `options` is kept.
  LoadRun(boost::asio::io_context& loop, LoadOptions options, std::function<void(const LoadSecond&)> each_second);
  ~LoadRun();
  LoadRun(const LoadRun&) = delete;
  LoadRun& operator=(const LoadRun&) = delete;

  /// Begins. It ends with the last request, at most the timeout of one after the length of the timetable.
  void start();
  /// Sends nothing more, and waits at most two seconds for what is under way. The second call waits no longer.
  void stop();
  /// Returns whether nothing of it is left on the loop. Only then may it be destroyed.
  bool ended() const noexcept;
  /// Once it has ended.
  LoadReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::load
