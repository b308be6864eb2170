#pragma once
// Bytes of a connection of HTTP/2 that are sent again and again, each time on new streams.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test::h2 {

inline constexpr std::size_t kFrameHead = 9;

/// Frames of streams 0, 1, … of a block; what these are on the connection is said when the block is sent. A value.
class Frames {
 public:
  Frames() = default;
  /// Of no stream that counts on: sent as they are.
  explicit Frames(std::string bytes) : bytes_(std::move(bytes)) {}

  Frames& add(std::uint8_t type, std::uint8_t flags, std::string_view payload = {}, std::uint32_t stream = 0);
  /// A PRIORITY by which the stream depends on itself.
  Frames& depend_on_itself();
  /// These, on streams behind the own ones.
  Frames& append(const Frames& more);
  /// So many of these blocks, each with streams of its own.
  Frames times(std::size_t count) const;

  /// Appends them with streams from `next` on, the number of the next stream that a client may begin, and moves it on.
  void append_to(std::string& out, std::uint32_t& next) const;
  bool empty() const noexcept { return bytes_.empty(); }

 private:
  struct Number {
    std::size_t at;
    std::uint32_t stream;
  };
  std::string bytes_;
  std::vector<Number> numbers_;
  std::uint32_t streams_ = 0;
};

}  // namespace headgate::test::h2
