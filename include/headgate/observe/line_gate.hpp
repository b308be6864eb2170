#pragma once
// Keeps frequent messages from filling the log. Used by redis and notify.

#include "headgate/observe/event.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::observe {

/// Passes kBurst lines at once, then one per second, and counts the lines that it does not pass. One thread.
class LineGate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kBurst = 6;

  [[nodiscard]] bool pass(Time now);
  /// Returns a field with the number of lines that did not pass since the last one that did, or an empty field. Resets
  /// the count.
  EventField left_out();

 private:
  double tokens_ = kBurst;
  Time refilled_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace headgate::observe
