#pragma once
// What has been read from a stream and not used yet, in a lent block.

#include "headgate/core/task.hpp"
#include "headgate/net/block_pool.hpp"
#include "headgate/net/stream.hpp"

#include <span>
#include <string_view>

namespace headgate::net {

/// The worker's two sizes of buffers: heads and small bodies fit a small one; long bodies move on to a large one.
struct Blocks {
  BlockPool small;
  BlockPool large;
};

/// A stream's read buffer. Holds a block only from the first read until rest(). Worker thread only.
class ReadBuffer {
 public:
  ReadBuffer(StreamPtr stream, Blocks& blocks) : stream_(std::move(stream)), blocks_(&blocks) {}

  /// Unused bytes. Views into them stay valid until the next fill.
  std::string_view data() const noexcept { return {block_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) noexcept { begin_ += bytes; }
  /// Where data() lies, for who rearranges what it takes from there.
  char* place() noexcept { return block_.data() + begin_; }
  /// Whether there is no room left behind what is unused.
  bool full() const noexcept { return block_ && begin_ == 0 && end_ == block_.size(); }

  /// Reads once without waiting; the error may be would_block. Unused bytes move to the front when room is short.
  Result<std::size_t> fill_now();
  /// Reads once, waiting up to `timeout`. Errors: timed_out, eof, no_buffer_space when full.
  Task<Result<std::size_t>> fill(Duration timeout);

  /// What was handed out so far must stay readable (a head whose body follows): later fills go to another block, until
  /// unpin().
  void pin() noexcept { pin_ = true; }
  void unpin() noexcept;

  /// Moves on to a large block, for a long body. Only while nothing is unused.
  void grow();
  /// Moves what is unused to a large block, for a long head; false where it is in one. Views into it end.
  bool widen();
  /// Gives the block back where nothing is unused.
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
