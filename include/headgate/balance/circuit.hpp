#pragma once
// The circuit breaker of an upstream: if too many of its exchanges fail, it gets none for a while. A state machine.

#include "headgate/balance/share_window.hpp"
#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>

namespace headgate::balance {

/// When a circuit opens. `open_at` is in parts of ShareWindow::kWhole.
struct CircuitOptions {
  std::uint32_t open_at = 500'000;               ///< this share of failed exchanges ...
  Duration of_last = std::chrono::seconds(10);   ///< ... in this time ...
  std::uint32_t at_least = 20;                   ///< ... of at least this many
  Duration try_again = std::chrono::seconds(5);  ///< how long it stays open
  std::uint32_t trials = 5;  ///< pass then at the same time; so many answers close it, one failure opens it again
  bool operator==(const CircuitOptions&) const = default;
};

enum class CircuitState : std::uint8_t {
  closed,    ///< every request passes
  open,      ///< none does
  half_open  ///< a few pass, and their answers decide
};

/// What happened since the step before, over all workers. Probes are the requests that passed a half-open circuit; they
/// are not among the others.
struct CircuitNews {
  std::uint32_t good = 0;
  std::uint32_t bad = 0;
  std::uint32_t probes_passed = 0;
  std::uint32_t probes_failed = 0;
  std::uint32_t probes_left = 0;  ///< ended without an outcome
};

/// One thread. All times are arguments and never fall.
class Circuit {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit Circuit(const CircuitOptions& options) : options_(options), window_(options.of_last) {}

  /// Returns whether the state has changed.
  bool step(Steady now, const CircuitNews& news);

  CircuitState state() const noexcept { return state_; }
  Steady since() const noexcept { return since_; }
  /// While it is open: when it will be half open.
  Steady until() const noexcept { return until_; }
  /// While it is half open: how many probes may pass beside those whose end was told.
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
