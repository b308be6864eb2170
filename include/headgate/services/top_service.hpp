#pragma once
// Collects from the workers which callers the limits reject or allow most often.

#include "headgate/core/clock.hpp"
#include "headgate/observe/limit_top.hpp"
#include "headgate/services/main_calls.hpp"
#include "headgate/services/service.hpp"
#include "headgate/services/top_board.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace headgate::services {

/// Calls `each` on the thread of every worker with the sketches that the worker has made since the last call. Then
/// calls `done` once, on the thread of the last worker, or before the function returns. Does nothing while no worker
/// runs.
using TakeTops =
    std::function<void(std::function<void(std::vector<observe::LimitSketches>)> each, std::function<void()> done)>;

/// The service that fills the TopBoard. Main thread, except where a function allows any thread.
class TopService final : public Service, public std::enable_shared_from_this<TopService> {
 public:
  /// Interval of the collection: half of the shortest period, so that counts fall into their own period or the next
  /// one.
  static constexpr Duration kEvery = std::chrono::seconds(5);

  /// The clock must outlive this object.
  TopService(Clock& clock, TakeTops take);

  void adopt(const std::shared_ptr<const ActiveConfig>& active) override { active_ = active; }
  void start() override { alarm_->set(kEvery); }
  void stop() override;

  /// Collects the counts of the workers so far, then calls `done` on the main thread. Drops `done` if the service has
  /// stopped. Any thread.
  void refresh(std::function<void()> done);
  /// Returns the board with the counts collected so far. Any thread.
  const TopBoard& board() const noexcept { return board_; }
  /// Returns the limits whose key changes with nearly each request. Any thread.
  std::vector<std::string> changing() { return board_.changing(clock_.steady()); }
  /// Returns the active configuration.
  const std::shared_ptr<const ActiveConfig>& active() const noexcept { return active_; }
  Clock& clock() const noexcept { return clock_; }

 private:
  void collect(std::function<void()> then);

  Clock& clock_;
  MainCalls calls_;
  TakeTops take_;
  std::unique_ptr<Alarm> alarm_;
  TopBoard board_;
  std::shared_ptr<const ActiveConfig> active_;
  std::mutex mutex_;
  bool closed_ = false;  ///< Guarded by the mutex.
};

}  // namespace headgate::services
