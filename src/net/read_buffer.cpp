#include "headgate/net/read_buffer.hpp"

#include <boost/asio/error.hpp>

#include <chrono>
#include <cstring>
#include <optional>

namespace headgate::net {

Result<std::size_t> ReadBuffer::fill_now() {
  if (!block_) block_ = blocks_->small.lend();
  if (pin_) move_on(blocks_->small);
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0 && end_ == block_.size()) {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == block_.size()) return error_code(boost::asio::error::no_buffer_space);
  const auto got = stream_->read_now({block_.data() + end_, block_.size() - end_});
  if (got.has_value()) end_ += *got;
  return got;
}

Task<Result<std::size_t>> ReadBuffer::fill(Duration timeout) {
  std::optional<std::chrono::steady_clock::time_point> until;
  while (true) {
    const error_code ec = co_await stream_->readable(timeout);
    if (ec) co_return ec;
    const auto got = fill_now();
    if (got.has_value() || got.error() != boost::asio::error::would_block) co_return got;
    // Over TLS, the received bytes may be only a part of a record, or a message without data. Neither may extend the
    // wait.
    if (timeout == kForever) continue;
    const auto now = std::chrono::steady_clock::now();
    if (!until) until = now + timeout;
    timeout = std::chrono::duration_cast<Duration>(*until - now);
    if (timeout <= Duration(0)) co_return error_code(boost::asio::error::timed_out);
  }
}

void ReadBuffer::move_on(BlockPool& pool) {
  Block next = pool.lend();
  if (begin_ != end_) std::memcpy(next.data(), block_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (std::exchange(pin_, false)) pinned_ = std::move(block_);
  block_ = std::move(next);
}

void ReadBuffer::grow() {
  if (begin_ != end_ || (block_ && block_.size() == blocks_->large.block_bytes())) return;
  move_on(blocks_->large);
}

bool ReadBuffer::widen() {
  if (block_ && block_.size() >= blocks_->large.block_bytes()) return false;
  move_on(blocks_->large);
  return true;
}

void ReadBuffer::unpin() noexcept {
  pin_ = false;
  pinned_.release();
}

void ReadBuffer::release() noexcept {
  if (begin_ != end_) return;
  block_.release();
  begin_ = end_ = 0;
}

}  // namespace headgate::net
