#pragma once
// Keeps frequent messages from filling the log. Used by redis and notify.

#include "headgate/observe/event.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::observe {

/// Passes kBurst lines at once, then one per second, and counts the dropped ones. One thread.
class LineGate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kBurst = 6;

  [[nodiscard]] bool pass(Time now);
  /// Returns the field with the number of lines dropped since the last one, or an empty field. Resets the count.
  EventField left_out();

 private:
  double tokens_ = kBurst;
  Time refilled_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace headgate::observe
