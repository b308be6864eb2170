#include "cost/spent.hpp"

#include "support/counted_memory.hpp"

namespace {
std::uint64_t steps = 0;
}

/// Called by the compiler's code at the beginning of each basic block of the counted sources.
extern "C" void __sanitizer_cov_trace_pc() { ++steps; }

namespace headgate::test {

Spent spent() noexcept {
  return {.steps = steps, .allocations = taken_from_heap.allocations, .bytes = taken_from_heap.bytes};
}

}  // namespace headgate::test
