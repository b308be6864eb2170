#pragma once
// How many requests to an upstream may be sent again. First attempts earn it, retries pay from it: so a failing
// upstream gets a little more work than without retries, never a multiple.

#include "headgate/core/clock.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace headgate::upstream {

/// The arithmetic. Time is an argument, which may be a little older than one before. One thread at a time.
///
/// Whenever a retry is paid for, the ten seconds that end with it have at most kFloor * 10 retries, and `share` of the
/// first attempts of these ten seconds more. It counts in whole seconds: what was earned is forgotten a little early,
/// what was paid a little late.
class RetryWindow {
 public:
  using Steady = Clock::Steady;

  /// What is earned and paid within this time counts.
  static constexpr std::chrono::seconds kDepth{10};
  /// Retries that need not be earned, in a second: an upstream with few requests has retries as well.
  static constexpr std::uint64_t kFloor = 10;
  /// `share` is in parts of this.
  static constexpr std::uint32_t kWhole = 1'000'000;

  /// First attempts have begun at `at`. Attempts of more than kDepth ago count no more.
  void earn(Steady at, std::uint64_t first_attempts) noexcept;
  /// Pays for one retry, if `share` of the first attempts and the floor allow one more.
  [[nodiscard]] bool pay(Steady now, std::uint32_t share) noexcept;

 private:
  struct Second {
    std::int64_t number = -1;  ///< since the epoch of the steady clock
    std::uint64_t first_attempts = 0;
    std::uint64_t retries = 0;
  };
  static constexpr std::size_t kSeconds = static_cast<std::size_t>(kDepth.count()) + 1;

  /// The second of this number; null if it is forgotten.
  Second* second(std::int64_t number) noexcept;

  std::array<Second, kSeconds> seconds_;
};

/// The budget of one upstream, shared by all workers. Any thread.
///
/// A lock and no atomic number, because a payment looks at eleven seconds at once. It is held for some tens of
/// nanoseconds, by failed requests and by one in RetryShare::kStep others.
class RetryBudget {
 public:
  void earn(Clock::Steady at, std::uint64_t first_attempts) noexcept;
  [[nodiscard]] bool pay(Clock::Steady now, std::uint32_t share) noexcept;

 private:
  std::mutex lock_;
  RetryWindow window_;
};

/// What one worker has earned and not told the budget yet. So a request that succeeds touches nothing that other
/// workers write. A payment is never too large for it: attempts that were not told yet are missing from the budget.
/// Worker thread only.
class RetryShare {
 public:
  /// How many first attempts a worker keeps for itself, and for at most a second of its requests.
  static constexpr std::uint64_t kStep = 50;

  explicit RetryShare(std::shared_ptr<RetryBudget> budget) noexcept : budget_(std::move(budget)) {}
  RetryShare(const RetryShare&) = delete;
  RetryShare& operator=(const RetryShare&) = delete;
  ~RetryShare() { tell(); }

  /// The first attempt of a request begins.
  void first_attempt(Clock::Steady now) noexcept;
  /// Pays for a retry. Call it when the retry is scheduled, before its pause.
  [[nodiscard]] bool pay(Clock::Steady now, std::uint32_t share) noexcept;

 private:
  void tell() noexcept;

  std::shared_ptr<RetryBudget> budget_;
  std::uint64_t counted_ = 0;
  Clock::Steady since_{};  ///< when the first of them began
};

/// The budgets of a process, by the name of the upstream. A reload finds them again, so it grants nothing anew. Any
/// thread.
class RetryBudgets {
 public:
  /// The same name gives the same budget.
  std::shared_ptr<RetryBudget> of(const std::string& upstream);

 private:
  std::mutex lock_;
  std::map<std::string, std::shared_ptr<RetryBudget>> budgets_;
};

}  // namespace headgate::upstream
