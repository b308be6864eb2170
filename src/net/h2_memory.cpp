#include "headgate/net/h2_memory.hpp"

#include "headgate/core/pooled_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace headgate::net {
namespace {

/// The header in front of a block of memory.
struct alignas(std::max_align_t) Size {
  std::size_t bytes;  ///< size of the block with this header, rounded up as in the pool
};

Size* size_of(void* at) noexcept { return static_cast<Size*>(at) - 1; }

}  // namespace

/// Allocates a block from the thread's pool, because nghttp2 allocates and frees many blocks for each stream.
void* H2Memory::allocate(std::size_t bytes, void* self) {
  std::size_t all = 0;
  if (__builtin_add_overflow(bytes, sizeof(Size) + frame_pool::kStep - 1, &all)) return nullptr;
  all -= all % frame_pool::kStep;
  try {
    auto* const size = new (PooledMemory<char>().allocate(all)) Size{all};
    static_cast<H2Memory*>(self)->change(static_cast<std::int64_t>(all));
    return size + 1;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void H2Memory::release(void* at, void* self) {
  if (at == nullptr) return;
  auto* const size = size_of(at);
  const auto all = size->bytes;
  static_cast<H2Memory*>(self)->change(-static_cast<std::int64_t>(all));
  PooledMemory<char>().deallocate(reinterpret_cast<char*>(size), all);
}

void* H2Memory::allocate_zeros(std::size_t count, std::size_t bytes, void* self) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* const at = allocate(all, self);
  if (at != nullptr) std::memset(at, 0, all);
  return at;
}

void* H2Memory::change_size(void* at, std::size_t bytes, void* self) {
  const auto before = at != nullptr ? size_of(at)->bytes - sizeof(Size) : 0;
  if (at != nullptr && bytes <= before && bytes > before / 2) return at;
  void* const now = allocate(bytes, self);
  if (now == nullptr || at == nullptr) return now;
  std::memcpy(now, at, std::min(bytes, before));
  release(at, self);
  return now;
}

}  // namespace headgate::net
