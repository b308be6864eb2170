#include "headgate/core/text_arena.hpp"

#include "headgate/core/frame_pool.hpp"

#include <algorithm>
#include <new>

namespace headgate {

namespace {

constexpr std::size_t kBlock = 1024;

}  // namespace

// Only blocks of the usual size are kept for reuse, because a client can choose the size of larger ones.
void TextArena::add_block(std::size_t size) {
  const auto bytes = std::max(kBlock, size + sizeof(Block));
  void* const memory = bytes == kBlock ? frame_pool::take(bytes) : ::operator new(bytes);
  blocks_ = new (memory) Block{blocks_, bytes};
  at_ = reinterpret_cast<char*>(blocks_ + 1);
  end_ = reinterpret_cast<char*>(blocks_) + bytes;
}

void TextArena::free_blocks() noexcept {
  while (blocks_ != nullptr) {
    auto* const block = blocks_;
    blocks_ = block->before;
    if (block->bytes == kBlock)
      frame_pool::give_back(block, kBlock);
    else
      ::operator delete(block);
  }
}

}  // namespace headgate
