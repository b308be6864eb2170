#pragma once
// Sorts requests by their start, if they are not too far from each other in the log.

#include "request_block.hpp"

#include <cstdint>
#include <vector>

namespace headgate::access_logs {

/// A request in its block.
struct HeldRequest {
  Instant began{};
  std::uint64_t number = 0;  ///< position in the log
  RequestBlock* block = nullptr;
  std::uint32_t index = 0;
  bool before(const HeldRequest& other) const noexcept {
    return began != other.began ? began < other.began : number < other.number;
  }
  const LoggedRequest& get() const noexcept { return block->requests[index]; }
};

/// The window. A request that begins after all others in the window waits in a queue; any other request waits in a
/// heap. So a sorted log needs no search, and in other logs the time for each request grows with the logarithm of the
/// window's size. One thread.
class RequestWindow {
 public:
  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return count_ + heap_.size(); }
  void push(const HeldRequest& request);
  /// Returns the earliest request; the window must not be empty.
  const HeldRequest& first() const noexcept { return line_first() ? line_[at_] : heap_.front(); }
  void pop() noexcept;

 private:
  bool line_first() const noexcept { return heap_.empty() || (count_ > 0 && line_[at_].before(heap_.front())); }
  void grow();

  std::vector<HeldRequest> line_;  ///< the queue, a ring whose size is a power of two
  std::size_t at_ = 0;
  std::size_t count_ = 0;
  std::vector<HeldRequest> heap_;
};

}  // namespace headgate::access_logs
