#pragma once
// Buffers of one size. An exchange borrows them while it needs them; idle connections have none.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace headgate::net {

class BlockPool;

/// A borrowed buffer. Goes back to its pool on destruction. Worker thread only.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept : bytes_(std::move(other.bytes_)), pool_(other.pool_) {}
  Block& operator=(Block&& other) noexcept;
  ~Block() { release(); }
  /// Gives the buffer back now.
  void release() noexcept;
  explicit operator bool() const noexcept { return bytes_ != nullptr; }
  char* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept;

 private:
  friend class BlockPool;
  std::unique_ptr<char[]> bytes_;
  BlockPool* pool_ = nullptr;
};

/// A pool of buffers, last in, first out: a busy worker then uses few buffers, which stay in the cache. Worker thread
/// only; outlives its blocks.
class BlockPool {
 public:
  /// Each block has `block_bytes` bytes. Keeps at most `spare` unused blocks and frees the others.
  BlockPool(std::size_t block_bytes, std::size_t spare) : block_bytes_(block_bytes), most_spare_(spare) {
    spare_.reserve(spare);
  }
  /// A block with undefined content. Throws std::bad_alloc.
  Block lend();
  std::size_t block_bytes() const noexcept { return block_bytes_; }

 private:
  friend class Block;
  std::size_t block_bytes_;
  std::size_t most_spare_;
  std::vector<std::unique_ptr<char[]>> spare_;
};

}  // namespace headgate::net
