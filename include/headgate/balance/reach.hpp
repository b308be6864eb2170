#pragma once
// Whether a server answers at all: the last attempts at it all failed, or not. A state machine without clock and I/O.

#include "headgate/balance/ejection.hpp"
#include "headgate/balance/outcome.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace headgate::balance {

/// One server; one thread. All times are arguments and never fall. It knows nothing of other servers: unlike an
/// ejection it is not about whether another one does better.
class Reach {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  static constexpr std::uint32_t kInARow = 3;  ///< attempts without the head of an answer, and none with one between
  static constexpr Duration kOld = std::chrono::seconds(10);  ///< a failure that a passed check outweighs

  void note(Steady now, const Happened& happened) noexcept;
  /// A health check passed: the server can be reached, unless attempts have failed just now.
  void passed_check(Steady now) noexcept;

  bool failing() const noexcept { return in_a_row_ >= kInARow; }
  /// Attempts since the last answer; at most the largest number.
  std::uint32_t in_a_row() const noexcept { return in_a_row_; }
  /// What became of the last of them.
  AttemptOutcome last() const noexcept { return last_; }
  /// When the first of them failed, and the last.
  Steady since() const noexcept { return since_; }
  Steady last_failed() const noexcept { return failed_; }

 private:
  std::uint32_t in_a_row_ = 0;
  AttemptOutcome last_ = AttemptOutcome::no_connection;
  Steady since_{};
  Steady failed_{};
};

/// What became of an attempt, for people: "could not be connected to".
std::string_view words_of(AttemptOutcome outcome) noexcept;

}  // namespace headgate::balance
