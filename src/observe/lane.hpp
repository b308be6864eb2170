#pragma once
// Lines on their way to a file: one thread puts them in, another takes them out, and neither waits for the other.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::observe {

/// A ring of blocks. A line never lies across the end of a block, so that what is taken out is always in one piece.
/// push() and dropped() for one thread, front() and pop() for another; dropped() any.
class Lane {
 public:
  static constexpr std::size_t kBlock = 64UL * 1024;
  static constexpr std::size_t kBlocks = 16;
  static constexpr std::size_t kLongest = kBlock - 1;  ///< bytes of a line

  enum class Pushed {
    kept,
    block_full,  ///< kept, and a whole block waits to be taken out
    dropped      ///< there is no room: nobody took enough out
  };

  Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  Pushed push(std::string_view line) noexcept;
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  /// The oldest lines that are still in it, at most a block of them; empty where there are none.
  std::string_view front() noexcept;
  /// The first `bytes` of front() are done with; not of a whole line, maybe.
  void pop(std::size_t bytes) noexcept;

 private:
  using Place = std::uint64_t;  // bytes since the beginning, as if there were one endless block after another

  std::unique_ptr<char[]> bytes_;
  std::array<std::uint32_t, kBlocks> used_{};  // of each block that has been left
  alignas(64) std::atomic<Place> head_{0};
  std::atomic<std::uint64_t> dropped_{0};
  alignas(64) std::atomic<Place> tail_{0};
};

}  // namespace headgate::observe
