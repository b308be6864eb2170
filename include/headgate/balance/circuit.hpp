#pragma once
// The circuit breaker of an upstream, as a state machine: if too many exchanges fail, the upstream gets no requests for
// a while. Used by watch; config fills the options.

#include "headgate/balance/share_window.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::balance {

/// When a circuit opens, and for how long. It opens when the share of failed exchanges reaches `open_at`. The share is
/// in millionths (ShareWindow::kWhole).
struct CircuitOptions {
  std::uint32_t open_at = 500'000;              ///< share of failed exchanges at which the circuit opens
  Duration of_last = std::chrono::seconds(10);  ///< length of the time whose exchanges are counted
  std::uint32_t at_least = 20;  ///< number of exchanges in that time below which the circuit does not open
  Duration try_again = std::chrono::seconds(5);  ///< time until an open circuit becomes half open
  /// number of requests that a half-open circuit lets pass at once; this number of answers closes the circuit, and one
  /// failure opens it again
  std::uint32_t trials = 5;
  bool operator==(const CircuitOptions&) const = default;
};

enum class CircuitState : std::uint8_t {
  closed,    ///< all requests pass
  open,      ///< no request passes
  half_open  ///< a few requests pass as probes, and their answers decide
};

/// The events since the previous step, over all workers. Probes are the requests that passed a half-open circuit; the
/// other numbers do not include them.
struct CircuitNews {
  std::uint32_t good = 0;
  std::uint32_t bad = 0;
  std::uint32_t probes_passed = 0;
  std::uint32_t probes_failed = 0;
  std::uint32_t probes_left = 0;  ///< probes that ended without an outcome
};

/// The state machine of one circuit. One thread. All times are arguments and never decrease.
class Circuit {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit Circuit(const CircuitOptions& options) : options_(options), window_(options.of_last) {}

  /// Advances to `now`. Returns whether the state has changed.
  bool step(Steady now, const CircuitNews& news);

  CircuitState state() const noexcept { return state_; }
  Steady since() const noexcept { return since_; }
  /// Returns when an open circuit becomes half open.
  Steady until() const noexcept { return until_; }
  /// Returns how many further probes may pass a half-open circuit, not counting those that have ended.
  std::uint32_t probes() const noexcept { return probes_; }

 private:
  bool become(CircuitState state, Steady now);

  CircuitOptions options_;
  ShareWindow window_;
  CircuitState state_ = CircuitState::closed;
  Steady since_{};
  Steady until_{};
  std::uint32_t passed_ = 0;
  std::uint32_t probes_ = 0;
};

}  // namespace headgate::balance
