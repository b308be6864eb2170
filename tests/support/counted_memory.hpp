#pragma once
// Counts what each thread allocates on the heap. This replaces the allocation functions of the whole program, so
// include it in one source only.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace headgate::test {

struct Taken {
  std::size_t allocations = 0;
  std::size_t bytes = 0;
};
inline thread_local Taken taken_from_heap;

inline void* take_from_heap(std::size_t size) noexcept {
  ++taken_from_heap.allocations;
  taken_from_heap.bytes += size;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace headgate::test

void* operator new(std::size_t size) {
  if (void* memory = headgate::test::take_from_heap(size)) return memory;
  throw std::bad_alloc();
}
// This function is replaced as well, because the library's version would not match the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return headgate::test::take_from_heap(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
