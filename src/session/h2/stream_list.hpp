#pragma once
// The streams of one connection of HTTP/2, by their numbers.

#include "stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headgate::session {

/// Few at a time, and their numbers only rise: a row of pointers finds and removes them faster than a tree, and takes
/// no memory for each. Worker thread only.
class H2StreamList {
 public:
  H2StreamList() = default;
  H2StreamList(const H2StreamList&) = delete;
  H2StreamList& operator=(const H2StreamList&) = delete;
  ~H2StreamList() {
    for (const auto* const each : row_) delete each;
  }
  /// Its number is larger than that of every one before.
  void add(std::unique_ptr<H2Stream> stream) {
    row_.push_back(stream.get());
    stream.release();  // NOLINT(bugprone-unused-return-value)
  }
  /// Null: there is none, or none any more.
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
  /// The first with this number or a larger one.
  std::vector<H2Stream*>::const_iterator place_of(std::int32_t id) const noexcept {
    return std::lower_bound(row_.begin(), row_.end(), id,
                            [](const H2Stream* stream, std::int32_t than) { return stream->id < than; });
  }

 private:
  static constexpr std::size_t kMaxKept = 16;  // places of a connection without a stream: there may be very many

  std::vector<H2Stream*> row_;         // owned: moved by one copy of bytes
  mutable H2Stream* found_ = nullptr;  // what was asked for last is mostly asked for again
};

}  // namespace headgate::session
