#pragma once
// Strings and vectors that live about as long as a coroutine, with memory of the same pool (frame_pool.hpp). A head of
// HTTP/2 took eight allocations; malloc and free took a tenth of the instructions of a call of gRPC.

#include "headgate/core/frame_pool.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace headgate {

/// An allocator of the standard library. What it gives is freed on the same thread.
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
  static constexpr std::size_t kMaxKept = 1024;  // a stranger chooses the size: more would stay for ever
};

using PooledString = std::basic_string<char, std::char_traits<char>, PooledMemory<char>>;
template <class T>
using PooledVector = std::vector<T, PooledMemory<T>>;

}  // namespace headgate
