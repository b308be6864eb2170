#pragma once
// The streams of one HTTP/2 connection, by number.

#include "stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headgate::session {

/// A sorted list of pointers. There are few streams at a time, and their numbers only rise. So the list is faster than
/// a tree, and needs no node for each stream. Worker thread only.
class H2StreamList {
 public:
  H2StreamList() = default;
  H2StreamList(const H2StreamList&) = delete;
  H2StreamList& operator=(const H2StreamList&) = delete;
  ~H2StreamList() {
    for (const auto* const each : row_) delete each;
  }
  /// Adds a stream whose number is larger than those of all earlier streams.
  void add(std::unique_ptr<H2Stream> stream) {
    row_.push_back(stream.get());
    stream.release();  // NOLINT(bugprone-unused-return-value)
  }
  /// Returns the stream, or null if it does not exist or has ended.
  H2Stream* find(std::int32_t id) const noexcept {
    if (found_ != nullptr && found_->id == id) return found_;
    const auto at = place_of(id);
    if (at == row_.end() || (*at)->id != id) return nullptr;
    return found_ = *at;
  }
  void remove(std::int32_t id) noexcept {
    found_ = nullptr;
    const auto at = place_of(id);
    if (at == row_.end() || (*at)->id != id) return;
    const std::unique_ptr<H2Stream> ended(*at);
    row_.erase(at);
    if (row_.empty() && row_.capacity() > kMaxKept) decltype(row_)().swap(row_);
  }
  std::size_t size() const noexcept { return row_.size(); }
  bool empty() const noexcept { return row_.empty(); }
  auto begin() const noexcept { return row_.begin(); }
  auto end() const noexcept { return row_.end(); }
  /// Returns the first stream with this number or a larger one.
  std::vector<H2Stream*>::const_iterator place_of(std::int32_t id) const noexcept {
    return std::lower_bound(row_.begin(), row_.end(), id,
                            [](const H2Stream* stream, std::int32_t than) { return stream->id < than; });
  }

 private:
  // maximum capacity that a connection without streams keeps, because there may be very many connections
  static constexpr std::size_t kMaxKept = 16;

  std::vector<H2Stream*> row_;  // owned; plain pointers, which move by one copy of their bytes
  // the result of the last call of find(), because most calls search for the same stream as the call before
  mutable H2Stream* found_ = nullptr;
};

}  // namespace headgate::session
