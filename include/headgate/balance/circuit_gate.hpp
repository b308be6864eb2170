#pragma once
// The circuit of an upstream as its workers use it: the decisions of the main thread, and the counters of each worker.
// Used by gateway, upstream and watch.

#include "headgate/balance/circuit.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace headgate::balance {

/// How an exchange passed the circuit; `none` means that it was refused.
enum class CircuitPass : std::uint8_t { none, normal, probe };

/// The latest decisions of the main thread. Any thread.
struct CircuitGate {
  std::atomic<CircuitState> state{CircuitState::closed};
  std::atomic<std::int64_t> until{0};   ///< end of an open circuit, in ns of the steady clock
  std::atomic<std::int32_t> probes{0};  ///< number of probes that may still pass
  /// number of probes that passed; the next two are those that failed, and those that ended without an outcome
  std::atomic<std::uint32_t> passed{0};
  std::atomic<std::uint32_t> failed{0};
  std::atomic<std::uint32_t> left{0};
};

/// The gate for one worker. Worker thread only, except that any thread may read the numbers. The numbers only rise.
class CircuitDoor {
 public:
  using Number = std::atomic<std::uint32_t>;

  explicit CircuitDoor(CircuitGate& gate) : gate_(gate) {}

  /// Returns whether a request would be refused now. Changes nothing.
  bool refuses() const noexcept {
    const auto state = gate_.state.load(std::memory_order_relaxed);
    if (state == CircuitState::closed) return false;
    return state == CircuitState::open || gate_.probes.load(std::memory_order_relaxed) <= 0;
  }
  /// Returns how a request passes the circuit; `none` if it is refused. Call ended() at the end of each pass.
  CircuitPass enter() noexcept {
    const auto state = gate_.state.load(std::memory_order_relaxed);
    if (state == CircuitState::closed) return CircuitPass::normal;
    if (state == CircuitState::open) return CircuitPass::none;
    return gate_.probes.fetch_sub(1, std::memory_order_relaxed) > 0 ? CircuitPass::probe : CircuitPass::none;
  }
  enum class End : std::uint8_t { good, bad, unknown };
  void ended(CircuitPass pass, End end) noexcept {
    if (pass == CircuitPass::probe) {
      auto& count = end == End::good ? gate_.passed : end == End::bad ? gate_.failed : gate_.left;
      count.fetch_add(1, std::memory_order_relaxed);
    } else if (end != End::unknown) {
      add(end == End::good ? good : bad);
    }
  }
  void count_refused() noexcept { add(refused); }
  /// Returns the seconds after which a refused request should try again: for an open circuit the time until it becomes
  /// half open, but at least 1; otherwise 1.
  std::uint64_t retry_after(Circuit::Steady now) const noexcept {
    const std::chrono::nanoseconds left{gate_.until.load(std::memory_order_relaxed) - now.time_since_epoch().count()};
    if (gate_.state.load(std::memory_order_relaxed) != CircuitState::open) return 1;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(left).count()));
  }

  Number good{0};
  Number bad{0};
  Number refused{0};

 private:
  static void add(Number& to) noexcept { to.store(to.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  CircuitGate& gate_;
};

}  // namespace headgate::balance
