#pragma once
// Buffers of one size, lent for as long as an exchange needs them: idle connections hold none.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace headgate::net {

class BlockPool;

/// A lent buffer; goes back to its pool on destruction.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept : bytes_(std::move(other.bytes_)), pool_(other.pool_) {}
  Block& operator=(Block&& other) noexcept;
  ~Block() { release(); }
  void release() noexcept;
  explicit operator bool() const noexcept { return bytes_ != nullptr; }
  char* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept;

 private:
  friend class BlockPool;
  std::unique_ptr<char[]> bytes_;
  BlockPool* pool_ = nullptr;
};

/// Last in, first out, so that a busy worker runs on a few warm blocks. Worker thread only; outlives its blocks.
class BlockPool {
 public:
  /// Keeps at most `spare` unused blocks of `block_bytes`; more go back to the system.
  BlockPool(std::size_t block_bytes, std::size_t spare) : block_bytes_(block_bytes), most_spare_(spare) {
    spare_.reserve(spare);
  }
  Block lend();
  std::size_t block_bytes() const noexcept { return block_bytes_; }

 private:
  friend class Block;
  std::size_t block_bytes_;
  std::size_t most_spare_;
  std::vector<std::unique_ptr<char[]>> spare_;
};

}  // namespace headgate::net
