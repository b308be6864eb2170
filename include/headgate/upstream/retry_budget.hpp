#pragma once
// The budget of retries of an upstream. First attempts add to it and retries are paid from it, so a failing upstream
// gets a little more load than without retries, never a multiple. Used by gateway and server.

#include "headgate/core/clock.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace headgate::upstream {

/// The arithmetic of the budget. The caller passes the time, which may be slightly earlier than in a previous call. One
/// thread at a time.
///
/// Whenever a retry is paid, the ten seconds that end with it have at most kFloor * 10 retries plus `share` of the
/// first attempts in these ten seconds. Counts are kept per whole second: first attempts expire a little early, retries
/// a little late.
class RetryWindow {
 public:
  using Steady = Clock::Steady;

  /// Time after which first attempts and retries no longer count.
  static constexpr std::chrono::seconds kDepth{10};
  /// Retries per second that are allowed without any first attempts, so that an upstream with few requests has retries
  /// as well.
  static constexpr std::uint64_t kFloor = 10;
  /// The value of `share` that means as many retries as first attempts.
  static constexpr std::uint32_t kWhole = 1'000'000;

  /// Adds first attempts that began at `at`. Attempts older than kDepth do not count.
  void earn(Steady at, std::uint64_t first_attempts) noexcept;
  /// Pays for a retry if `share` of the first attempts and the floor allow one more; otherwise returns false.
  [[nodiscard]] bool pay(Steady now, std::uint32_t share) noexcept;

 private:
  struct Second {
    std::int64_t number = -1;  ///< the number of this second since the epoch of the steady clock
    std::uint64_t first_attempts = 0;
    std::uint64_t retries = 0;
  };
  static constexpr std::size_t kSeconds = static_cast<std::size_t>(kDepth.count()) + 1;

  /// Returns the counts of the second with this number; null if they have expired.
  Second* second(std::int64_t number) noexcept;

  std::array<Second, kSeconds> seconds_;
};

/// The budget of one upstream, shared by all workers. Any thread.
///
/// Uses a lock rather than an atomic number, because a payment reads eleven seconds at once. The lock is held for some
/// tens of nanoseconds. A worker takes it for each retry, and to add the first attempts that its RetryShare has
/// collected.
class RetryBudget {
 public:
  void earn(Clock::Steady at, std::uint64_t first_attempts) noexcept;
  [[nodiscard]] bool pay(Clock::Steady now, std::uint32_t share) noexcept;

 private:
  std::mutex lock_;
  RetryWindow window_;
};

/// The first attempts of one worker that are not yet in the budget. They are collected here so that most requests that
/// succeed do not write to memory that workers share. The budget cannot be overdrawn this way, because it only lacks
/// these attempts for a while. Worker thread only.
class RetryShare {
 public:
  /// Number of first attempts that a worker collects before it adds them to the budget; the first attempt of a new
  /// second adds the earlier ones as well.
  static constexpr std::uint64_t kStep = 50;

  explicit RetryShare(std::shared_ptr<RetryBudget> budget) noexcept : budget_(std::move(budget)) {}
  RetryShare(const RetryShare&) = delete;
  RetryShare& operator=(const RetryShare&) = delete;
  ~RetryShare() { tell(); }

  /// Counts the first attempt of a request.
  void first_attempt(Clock::Steady now) noexcept;
  /// Pays for a retry; false if the budget does not allow one. Call it when the retry is scheduled, before its pause.
  [[nodiscard]] bool pay(Clock::Steady now, std::uint32_t share) noexcept;

 private:
  void tell() noexcept;

  std::shared_ptr<RetryBudget> budget_;
  std::uint64_t counted_ = 0;
  Clock::Steady since_{};  ///< time at which the first of the collected attempts began
};

/// The budgets of a process by upstream name. A budget is kept over reloads, so that a reload grants no additional
/// retries. Any thread.
class RetryBudgets {
 public:
  /// Returns the budget of an upstream; the same name always gives the same budget.
  std::shared_ptr<RetryBudget> of(const std::string& upstream);

 private:
  std::mutex lock_;
  std::map<std::string, std::shared_ptr<RetryBudget>> budgets_;
};

}  // namespace headgate::upstream
