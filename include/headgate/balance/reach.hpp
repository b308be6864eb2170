#pragma once
// Tells whether a server can be reached: it counts as unreachable if the last attempts at it all failed. A state
// machine without clock and I/O. Used by watch.

#include "headgate/balance/ejection.hpp"
#include "headgate/balance/outcome.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace headgate::balance {

/// The state of one server; one thread. All times are arguments and never decrease. Unlike an ejection, the state does
/// not depend on other servers.
class Reach {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// consecutive attempts without the head of an answer after which a server is failing
  static constexpr std::uint32_t kInARow = 3;
  /// A passed check outweighs the last failure only if that failure is at least this old.
  static constexpr Duration kOld = std::chrono::seconds(10);

  void note(Steady now, const ServerResults& results) noexcept;
  /// Records a passed health check: the server can be reached, unless attempts have failed recently.
  void passed_check(Steady now) noexcept;

  bool failing() const noexcept { return in_a_row_ >= kInARow; }
  /// Returns the number of attempts since the last answer; stops at the largest number.
  std::uint32_t in_a_row() const noexcept { return in_a_row_; }
  /// Returns the outcome of the last attempt.
  AttemptOutcome last() const noexcept { return last_; }
  /// Returns the moment at which the first of the attempts since the last answer failed; last_failed() returns that of
  /// the last one.
  Steady since() const noexcept { return since_; }
  Steady last_failed() const noexcept { return failed_; }

 private:
  std::uint32_t in_a_row_ = 0;
  AttemptOutcome last_ = AttemptOutcome::no_connection;
  Steady since_{};
  Steady failed_{};
};

/// Describes an outcome for people: "could not be connected to".
std::string_view words_of(AttemptOutcome outcome) noexcept;

}  // namespace headgate::balance
