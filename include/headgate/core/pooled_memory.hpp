#pragma once
// Strings and vectors that live about as long as a coroutine, with memory from the same pool (frame_pool.hpp). Without
// the pool, an HTTP/2 head took eight allocations, and malloc and free took a tenth of the instructions of a gRPC call.
// Used by net, session, upstream and gateway.

#include "headgate/core/frame_pool.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headgate {

/// An allocator for the standard library. Its memory must be freed on the same thread.
template <class T>
class PooledMemory {
 public:
  using value_type = T;
  PooledMemory() noexcept = default;
  template <class U>
  PooledMemory(const PooledMemory<U>&) noexcept {}

  T* allocate(std::size_t count) {
    const auto bytes = count * sizeof(T);
    return static_cast<T*>(bytes <= kMaxKept ? frame_pool::take(bytes) : ::operator new(bytes));
  }
  void deallocate(T* at, std::size_t count) noexcept {
    const auto bytes = count * sizeof(T);
    if (bytes <= kMaxKept) return frame_pool::give_back(at, bytes);
    ::operator delete(at);
  }
  friend bool operator==(const PooledMemory&, const PooledMemory&) noexcept { return true; }

 private:
  static constexpr std::size_t kMaxKept = 1024;  // larger strings are not kept, because a client chooses their size
};

using PooledString = std::basic_string<char, std::char_traits<char>, PooledMemory<char>>;
template <class T>
using PooledVector = std::vector<T, PooledMemory<T>>;

}  // namespace headgate
