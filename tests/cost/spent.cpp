#include "cost/spent.hpp"

#include <cstdlib>
#include <new>

namespace {
headgate::test::Spent so_far;
}

/// Called by the compiler's code at the beginning of each basic block of the counted sources.
extern "C" void __sanitizer_cov_trace_pc() { ++so_far.steps; }

void* operator new(std::size_t size) {
  ++so_far.allocations;
  so_far.bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace headgate::test {

Spent spent() noexcept { return so_far; }

}  // namespace headgate::test
