#pragma once
// The health of one server according to its health checks, as a state machine without clock and I/O. A server counts as
// up until it is known to be down. Used by upstream.

#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// The numbers of checks that change the state of a server. Both are at least 1.
struct HealthRule {
  std::uint32_t down_after = 3;  ///< consecutive failed checks until a server counts as down
  std::uint32_t up_after = 2;    ///< consecutive passed checks until it counts as up again
  bool operator==(const HealthRule&) const = default;
};

/// The state of one server. A new server counts as up, but its first check alone decides. Otherwise, a gateway would
/// send requests to a dead server for `down_after` checks after startup. One thread.
class Health {
 public:
  enum class Result : bool { failed, passed };
  enum class Change : std::uint8_t { none, down, up };

  /// Records the result of a check. Returns the change that it caused.
  Change note(Result result, const HealthRule& rule) noexcept;
  bool up() const noexcept { return up_; }
  /// Returns whether any check has ended.
  bool known() const noexcept { return known_; }
  /// Returns how many consecutive checks contradict up().
  std::uint32_t against() const noexcept { return against_; }
  /// Forgets the checks that contradicted up(), because the checks have new options.
  void begin_anew() noexcept { against_ = 0; }

 private:
  bool up_ = true;
  bool known_ = false;
  std::uint32_t against_ = 0;
};

/// Returns the time until the next check of a server: `every`, with a random deviation of a tenth, so that the checks
/// of many servers and gateways do not coincide. `random` is a uniformly distributed number.
Duration until_next_check(Duration every, std::uint64_t random) noexcept;

/// Returns the time until the first check of server `at` of `count` that start together. The first checks are spread
/// over one second, or over `every` if that is shorter.
Duration until_first_check(Duration every, std::size_t at, std::size_t count) noexcept;

}  // namespace headgate::balance
