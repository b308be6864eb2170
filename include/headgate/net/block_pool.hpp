#pragma once
// Pools of buffers of one size, used by read_buffer and by exchanges. An exchange borrows buffers while it needs
// them; idle connections have none.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headgate::net {

class BlockPool;

/// The bytes in the buffers of all workers. Each worker counts on its own and adds in steps of a quarter of a megabyte,
/// so the total may be wrong by that much per worker.
class LentBytes {
 public:
  static constexpr std::int64_t kStep = 256L * 1024;
  /// The count of one worker, used on its thread only.
  class Share {
   public:
    explicit Share(LentBytes* total) noexcept : total_(total) {}
    void add(std::int64_t bytes) noexcept {
      counted_ += bytes;
      if (static_cast<std::uint64_t>(counted_ + kStep) <= static_cast<std::uint64_t>(2 * kStep)) return;
      if (total_) total_->bytes_.fetch_add(counted_, std::memory_order_relaxed);
      counted_ = 0;
    }
    /// Returns the bytes of all workers together.
    std::uint64_t all() const noexcept { return total_ ? total_->read() : 0; }

   private:
    LentBytes* total_;
    std::int64_t counted_ = 0;
  };
  /// Returns the bytes of all workers together. Any thread.
  std::uint64_t read() const noexcept {
    const auto bytes = bytes_.load(std::memory_order_relaxed);
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
  }

 private:
  std::atomic<std::int64_t> bytes_{0};
};

/// A borrowed buffer. Goes back to its pool on destruction. Worker thread only.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept : bytes_(std::move(other.bytes_)), pool_(other.pool_) {}
  Block& operator=(Block&& other) noexcept;
  ~Block() { release(); }
  /// Gives the buffer back now.
  void release() noexcept {
    if (bytes_) give_back();
  }
  explicit operator bool() const noexcept { return bytes_ != nullptr; }
  char* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept;

 private:
  friend class BlockPool;
  void give_back() noexcept;
  std::unique_ptr<char[]> bytes_;
  BlockPool* pool_ = nullptr;
};

/// A pool of buffers, last in, first out, so that a busy worker uses few buffers, which stay in the cache. Worker
/// thread only; outlives its blocks.
class BlockPool {
 public:
  /// Each block has `block_bytes` bytes. The pool keeps at most `spare` unused blocks and frees the others. `lent`
  /// counts the bytes that are lent and outlives the pool; null if they are not counted.
  BlockPool(std::size_t block_bytes, std::size_t spare, LentBytes::Share* lent = nullptr)
      : block_bytes_(block_bytes), most_spare_(spare), lent_(lent) {
    spare_.reserve(spare);
  }
  /// Returns a block with undefined content. Throws std::bad_alloc.
  Block lend();
  std::size_t block_bytes() const noexcept { return block_bytes_; }

 private:
  friend class Block;
  std::size_t block_bytes_;
  std::size_t most_spare_;
  LentBytes::Share* lent_;
  std::vector<std::unique_ptr<char[]>> spare_;
};

}  // namespace headgate::net
