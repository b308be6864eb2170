#pragma once
// A queue of log lines between two threads. One thread adds lines, the other removes them, and neither waits for the
// other.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::observe {

/// A ring of blocks. A line never crosses the end of a block, so the text that front() returns is contiguous. One
/// thread calls push(), another one front() and pop(); any thread may call dropped().
class Lane {
 public:
  static constexpr std::size_t kBlock = 64UL * 1024;
  static constexpr std::size_t kBlocks = 16;
  static constexpr std::size_t kLongest = kBlock - 1;  ///< most bytes of a line

  enum class Pushed {
    kept,
    block_full,  ///< the line is queued, and a whole block is ready to be removed
    dropped      ///< the line is dropped, because the queue has no room
  };

  Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  Pushed push(std::string_view line) noexcept;
  /// Returns the number of bytes in the queue, including unused bytes at the ends of blocks. Any thread.
  std::size_t waiting() const noexcept {
    const auto tail = tail_.load(std::memory_order_acquire);
    return static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail);
  }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  /// Returns the oldest lines in the queue, at most one block; empty if there are none.
  std::string_view front() noexcept;
  /// Removes the first `bytes` bytes of front(). The last of them may be in the middle of a line.
  void pop(std::size_t bytes) noexcept;

 private:
  using Place = std::uint64_t;  // bytes since the start, as if the ring were infinite

  std::unique_ptr<char[]> bytes_;
  std::array<std::uint32_t, kBlocks> used_{};  // used bytes of each complete block
  alignas(64) std::atomic<Place> head_{0};
  std::atomic<std::uint64_t> dropped_{0};
  alignas(64) std::atomic<Place> tail_{0};
};

}  // namespace headgate::observe
