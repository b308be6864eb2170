#pragma once
// A clock that is a variable: time passes when its owner says so, and alarms ring at their times. Used by simulation
// and tests.

#include "headgate/core/clock.hpp"
#include "headgate/core/frame_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headgate::engine {

/// The clock. One thread. Setting, ringing and removing an alarm take logarithmic time in the number of set alarms.
class VirtualClock final : public Clock {
 public:
  /// Creates a clock that shows `start`.
  explicit VirtualClock(Instant start) noexcept : start_(start) {}

  Steady steady() const noexcept override { return kFirst + passed_; }
  Instant wall() const noexcept override { return start_ + passed_; }
  std::time_t second() const noexcept override {
    return std::chrono::floor<std::chrono::seconds>(wall().time_since_epoch()).count();
  }
  std::unique_ptr<Alarm> alarm(Alarm::Ring ring, void* owner) override;
  /// Creates a bell. Its owner is called as soon as time passes, even by zero. Ring it only on the thread of the clock.
  std::unique_ptr<Bell> bell(Alarm::Ring ring, void* owner) override;

  /// Lets time pass until `moment`. Alarms until then ring in the order of their times, and those with the same time in
  /// the order in which they were set. Does nothing if `moment` is past and no alarm is due.
  void advance_to(Instant moment);
  void advance(Duration by) { advance_to(wall() + by); }
  /// Lets time pass until the next alarm, which rings; false if none is set.
  bool advance_to_alarm();
  /// Returns when the next alarm rings; empty if none is set.
  std::optional<Instant> next_alarm() const noexcept {
    return due_.empty() ? std::nullopt : std::optional(start_ + due_.front().at);
  }
  /// Returns how many alarms are set.
  std::size_t armed() const noexcept { return due_.size(); }

 private:
  class OnThisClock;
  class AlarmBell;
  /// The first time of the steady clock. It is not zero, because some code treats the start of the steady clock as
  /// "never".
  static constexpr Steady kFirst{std::chrono::hours(1000)};

  /// A set alarm. The heap stores the sort keys beside the pointer, so that comparisons do not access the alarm.
  struct Due {
    Duration at{0};
    std::uint64_t number = 0;  ///< order in which the alarms were set
    OnThisClock* alarm = nullptr;
    bool before(const Due& other) const noexcept { return at != other.at ? at < other.at : number < other.number; }
  };

  void put(std::size_t at, const Due& due) noexcept;
  void rise(std::size_t at, Due due) noexcept;
  void sink(std::size_t at, Due due) noexcept;
  void set(OnThisClock& alarm, Duration after);
  void forget(OnThisClock& alarm) noexcept;
  void ring_first();

  Instant start_;
  Duration passed_{0};
  std::uint64_t numbered_ = 0;
  std::vector<Due> due_;  ///< a heap: each entry is before its two children
};

}  // namespace headgate::engine
