#pragma once
// What health checks say of one server: up until it is known to be down. A state machine without clock and I/O.

#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// How many checks decide. Both are at least 1.
struct HealthRule {
  std::uint32_t down_after = 3;  ///< failed checks one after the other until a server counts as down
  std::uint32_t up_after = 2;    ///< passed checks one after the other until it counts as up again
  bool operator==(const HealthRule&) const = default;
};

/// One server. It begins up, and its very first check decides at once: a gateway that starts must not send requests for
/// `down_after` checks to a server that is away. One thread.
class Health {
 public:
  enum class Result : bool { failed, passed };
  enum class Change : std::uint8_t { none, down, up };

  /// A check ended. Returns what it changed.
  Change note(Result result, const HealthRule& rule) noexcept;
  bool up() const noexcept { return up_; }
  /// Returns whether a check has ended at all.
  bool known() const noexcept { return known_; }
  /// Returns how many checks one after the other contradict up().
  std::uint32_t against() const noexcept { return against_; }
  /// Other checks than before begin: what contradicted up() counts no more.
  void begin_anew() noexcept { against_ = 0; }

 private:
  bool up_ = true;
  bool known_ = false;
  std::uint32_t against_ = 0;
};

/// Returns how long until the next check of a server: `every`, a tenth more or less, so that the checks of many servers
/// and gateways do not come at the same moment. `random` is any number, each as likely.
Duration until_next_check(Duration every, std::uint64_t random) noexcept;

/// Returns how long until the first check of the server with index `at` of `count` that begin together: they are spread
/// over one second, or over `every` if that is shorter.
Duration until_first_check(Duration every, std::size_t at, std::size_t count) noexcept;

}  // namespace headgate::balance
