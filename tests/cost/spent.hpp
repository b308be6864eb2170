#pragma once
// What a piece of work costs, counted and not timed, so that a loop within a loop shows on any machine: steps of the
// counted sources (tests/CMakeLists.txt names them), and memory from the heap.

#include <cstddef>
#include <cstdint>

namespace headgate::test {

struct Spent {
  std::uint64_t steps = 0;  ///< basic blocks that were run; what the C library does within one call is not seen
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;  ///< allocated, whether freed since or not
};

/// So far, by this process.
Spent spent() noexcept;

template <class Work>
Spent spent_by(const Work& work) {
  const auto before = spent();
  work();
  const auto after = spent();
  return {after.steps - before.steps, after.allocations - before.allocations, after.bytes - before.bytes};
}

}  // namespace headgate::test
