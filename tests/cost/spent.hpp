#pragma once
// The cost of a piece of work, counted and not timed, so that quadratic work shows on any machine: steps of the counted
// sources (named in tests/CMakeLists.txt), and memory from the heap.

#include <cstddef>
#include <cstdint>

namespace headgate::test {

struct Spent {
  std::uint64_t steps = 0;  ///< executed basic blocks; work inside the C library is not counted
  std::uint64_t allocations = 0;
  std::uint64_t bytes = 0;  ///< allocated, freed or not
};

/// So far: steps of the process, memory of this thread.
Spent spent() noexcept;

template <class Work>
Spent spent_by(const Work& work) {
  const auto before = spent();
  work();
  const auto after = spent();
  return {after.steps - before.steps, after.allocations - before.allocations, after.bytes - before.bytes};
}

}  // namespace headgate::test
