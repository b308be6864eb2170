#pragma once
// Collects from the workers which callers are limited.

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

/// Passes to `each` the sketches of every worker since the last call, on that worker's thread between two of its steps.
/// Then calls `done` once, on the thread of the last worker, or before it returns. Does nothing while no worker runs.
using TakeTops =
    std::function<void(std::function<void(std::vector<observe::TakenTop>)> each, std::function<void()> done)>;

/// Main thread only, unless noted.
class TopService final : public Service, public std::enable_shared_from_this<TopService> {
 public:
  /// Half of the shortest period, so that counts fall into their own period or the next one.
  static constexpr Duration kEvery = std::chrono::seconds(5);

  /// The clock must outlive it.
  TopService(Clock& clock, TakeTops take);

  void adopt(const std::shared_ptr<const ActiveConfig>& active) override { active_ = active; }
  void start() override { alarm_->set(kEvery); }
  void stop() override;

  /// Collects what the workers have counted so far, then calls `done` on the main thread; drops it if the service has
  /// stopped. Any thread.
  void refresh(std::function<void()> done);
  /// Based on what has been collected so far. Any thread.
  const TopBoard& board() const noexcept { return board_; }
  /// Returns the limits whose key changes with nearly each request. Any thread.
  std::vector<std::string> changing() { return board_.changing(clock_.steady()); }
  /// The limits in force.
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
