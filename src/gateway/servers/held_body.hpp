#pragma once
// The bytes of a request's body that are held before a server is chosen.

#include "headgate/net/block_pool.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// A held body. Its memory counts towards bounds.buffered. Worker thread only.
class HeldBody {
 public:
  /// `lent` counts the memory; null to count nothing. It outlives the body.
  explicit HeldBody(net::LentBytes::Share* lent) noexcept : lent_(lent) {}
  HeldBody(const HeldBody&) = delete;
  HeldBody& operator=(const HeldBody&) = delete;
  ~HeldBody();

  /// Sets the largest size of the body. Memory is allocated only for bytes that arrive.
  void expect(std::size_t most) noexcept { most_ = most; }
  void append(std::string_view bytes);
  /// Inserts `text` behind the first `behind`; returns whether there is one.
  bool insert_behind(char behind, std::string_view text);
  /// Replaces `size` bytes at `at`, which are in the body, by `text`.
  void replace(std::size_t at, std::size_t size, std::string_view text);
  /// Returns the bytes. Valid until the next append().
  std::string_view bytes() const noexcept { return bytes_; }

 private:
  void count() noexcept;

  net::LentBytes::Share* lent_;
  std::string bytes_;
  std::size_t counted_ = 0;
  std::size_t most_ = std::string::npos;
};

}  // namespace headgate::gateway
