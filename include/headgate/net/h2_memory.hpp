#pragma once
// The memory that an HTTP/2 connection holds for its streams, in bytes, as counted by `bounds.buffered`. Used by
// session and upstream.

#include "headgate/net/block_pool.hpp"

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>

namespace headgate::net {

/// A count of memory of one kind. Subtracts its bytes when it is destroyed. Worker thread only.
class H2Held {
 public:
  /// `lent` outlives this object; null if nothing is counted.
  explicit H2Held(LentBytes::Share* lent) noexcept : lent_(lent) {}
  H2Held(const H2Held&) = delete;
  H2Held& operator=(const H2Held&) = delete;
  ~H2Held() { is(0); }
  /// Sets the current number of bytes.
  void is(std::size_t bytes) noexcept {
    if (bytes == bytes_ || lent_ == nullptr) return;
    lent_->add(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(bytes_));
    bytes_ = bytes;
  }

 private:
  LentBytes::Share* lent_;
  std::size_t bytes_ = 0;
};

/// The allocator of nghttp2, which holds the client's header table, and frames that wait, such as heads of answers.
/// Counts only the memory that the session takes after begin(). Outlives that session. Worker thread only. Each block
/// stores its size in front of it, because asking the allocator for the size took longer.
class H2Memory {
 public:
  explicit H2Memory(LentBytes::Share* lent) noexcept : lent_(lent) {}
  H2Memory(const H2Memory&) = delete;
  H2Memory& operator=(const H2Memory&) = delete;
  ~H2Memory() {
    if (lent_ != nullptr) lent_->add(-counted_);
  }
  nghttp2_mem* functions() noexcept { return &functions_; }
  /// Begins to count, once the session is created.
  void begin() noexcept { counts_ = lent_ != nullptr; }

 private:
  void change(std::int64_t bytes) noexcept {
    if (!counts_) return;
    counted_ += bytes;
    lent_->add(bytes);
  }
  static void* allocate(std::size_t bytes, void* self);
  static void release(void* at, void* self);
  static void* allocate_zeros(std::size_t count, std::size_t bytes, void* self);
  static void* change_size(void* at, std::size_t bytes, void* self);

  nghttp2_mem functions_{this, allocate, release, allocate_zeros, change_size};
  LentBytes::Share* lent_;
  std::int64_t counted_ = 0;
  bool counts_ = false;
};

}  // namespace headgate::net
