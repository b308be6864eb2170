#include "headgate/net/h2_memory.hpp"

#include "headgate/core/frame_pool.hpp"

#include <cstring>
#include <new>

namespace headgate::net {

void* H2Memory::take(std::size_t bytes) noexcept {
  try {
    return frame_pool::take(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// It may be larger than was asked for, but is never smaller than the size under which it is kept.
void H2Memory::give_back(void* at, std::size_t size) noexcept {
  constexpr std::size_t kMaxKept = 1024;  // larger ones are fields that a client has chosen, which would stay for ever
  if (size > kMaxKept) return ::operator delete(at);
  frame_pool::give_back(at, size / frame_pool::kStep * frame_pool::kStep);
}

void* H2Memory::allocate_zeros(std::size_t count, std::size_t bytes, void* self) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* const at = allocate(all, self);
  if (at != nullptr) std::memset(at, 0, all);
  return at;
}

void* H2Memory::change_size(void* at, std::size_t bytes, void* self) {
  const auto before = malloc_usable_size(at);
  if (at != nullptr && bytes <= before && bytes > before / 2) return at;
  void* const now = allocate(bytes, self);
  if (now == nullptr || at == nullptr) return now;
  std::memcpy(now, at, bytes < before ? bytes : before);
  release(at, self);
  return now;
}

}  // namespace headgate::net
