#include "headgate/net/block_pool.hpp"

namespace headgate::net {

Block& Block::operator=(Block&& other) noexcept {
  if (this != &other) {
    release();
    bytes_ = std::move(other.bytes_);
    pool_ = other.pool_;
  }
  return *this;
}

void Block::give_back() noexcept {
  if (pool_->lent_) pool_->lent_->add(-static_cast<std::int64_t>(pool_->block_bytes_));
  if (pool_->spare_.size() < pool_->most_spare_) pool_->spare_.push_back(std::move(bytes_));
  bytes_.reset();
}

std::size_t Block::size() const noexcept { return bytes_ ? pool_->block_bytes_ : 0; }

Block BlockPool::lend() {
  Block block;
  block.pool_ = this;
  if (lent_) lent_->add(static_cast<std::int64_t>(block_bytes_));
  if (spare_.empty()) {
    // The bytes are not initialised, because they are written before they are read.
    block.bytes_.reset(new char[block_bytes_]);
  } else {
    block.bytes_ = std::move(spare_.back());
    spare_.pop_back();
  }
  return block;
}

}  // namespace headgate::net
