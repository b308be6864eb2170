#pragma once
// The measurement: rounds in which everything that is to be compared gets its turn.

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace headgate::bench {

/// How long is measured. The middle of the rounds is what is shown.
struct Rounds {
  unsigned count = 21;                 ///< at least 1
  std::chrono::milliseconds turn{20};  ///< CPU time of each contender in each round
};

/// Does what is measured so many times.
using Contender = std::function<void(std::size_t times)>;

/// Nanoseconds of CPU for each time, a value a round.
using Costs = std::vector<double>;

/// The costs of each contender. Every round measures every one of them, neighbours one right after the other, and the
/// next round the other way round: what drifts (clock, caches, other work on the machine) meets all alike.
std::vector<Costs> measure(const std::vector<Contender>& contenders, const Rounds& rounds);

/// The middle of some values, and their quarter and three-quarter points.
struct Spread {
  double low;
  double middle;
  double high;
};
Spread spread(Costs values);  ///< `values` is not empty

/// What `costs` are as a share of `base`, round by round.
Spread share(const Costs& costs, const Costs& base);

/// CPU time of this thread so far, in nanoseconds.
double thread_cpu() noexcept;

/// Has the compiler believe that somebody looks at `value`, so that it is computed.
template <class T>
void look_at(const T& value) noexcept {
  asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace headgate::bench
