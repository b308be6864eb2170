#pragma once
// The bytes of a stream that were read but not used yet, in a borrowed block. Used by sessions and upstream
// connections.

#include "headgate/core/task.hpp"
#include "headgate/net/block_pool.hpp"
#include "headgate/net/stream.hpp"

#include <span>
#include <string_view>

namespace headgate::net {

/// The two buffer sizes of a worker: small for heads and small bodies, large for long heads and long bodies. Worker
/// thread only.
struct Blocks {
  BlockPool small;
  BlockPool large;
  /// count of the bytes of both pools and of other memory of exchanges; null if nothing is counted
  LentBytes::Share* lent = nullptr;
};

/// The read buffer of a stream. Has a block from the first fill until release(). Worker thread only; `blocks` outlives
/// it.
class ReadBuffer {
 public:
  ReadBuffer(StreamPtr stream, Blocks& blocks) : stream_(std::move(stream)), blocks_(&blocks) {}

  /// Returns the unused bytes. Views into them stay valid until the next fill.
  std::string_view data() const noexcept { return {block_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) noexcept { begin_ += bytes; }
  /// Returns the start of data(), for a caller that moves bytes within it.
  char* place() noexcept { return block_.data() + begin_; }
  /// Returns whether the block is full of unused bytes.
  bool full() const noexcept { return block_ && begin_ == 0 && end_ == block_.size(); }

  /// Reads once without waiting. Errors: would_block; no_buffer_space if the block is full; those of the stream. May
  /// move the unused bytes to the front of the block.
  Result<std::size_t> fill_now();
  /// Reads once and waits up to `timeout`. Errors: timed_out, eof, no_buffer_space if the block is full, others of the
  /// stream.
  Task<Result<std::size_t>> fill(Duration timeout);

  /// Keeps the bytes returned so far readable until unpin(): the next fill uses another block. Needed for a head while
  /// its body is read.
  void pin() noexcept { pin_ = true; }
  void unpin() noexcept;

  /// Returns whether the last fill filled the block to its end, so that more bytes are likely to be there. Call it
  /// while data() is empty.
  bool filled() const noexcept { return block_ && end_ == block_.size(); }

  /// Changes to a large block for a long body. Does nothing while there are unused bytes.
  void grow();
  /// Moves the unused bytes to a large block for a long head. Invalidates views into them. Returns false if the block
  /// is large already.
  bool widen();
  /// Gives the block back if no bytes are unused.
  void release() noexcept;

  Stream& stream() noexcept { return *stream_; }

 private:
  void move_on(BlockPool& pool);

  StreamPtr stream_;
  Blocks* blocks_;
  Block block_;
  Block pinned_;
  bool pin_ = false;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace headgate::net
