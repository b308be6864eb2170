#pragma once
// Parses replies of Redis with hiredis, without an allocation for each reply. Keeps only the parts that this module
// needs. Used by connection.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// A reply. Its views live until the next call of next(), feed() or reset().
struct Reply {
  enum class Kind { status, error, integer, text, nil, array, other };
  /// A received value. An array comes before its elements.
  struct Element {
    Kind kind = Kind::nil;
    std::int64_t integer = 0;  ///< value of an integer, or number of elements of an array
    std::string text;          ///< complete text of a status, error or string
  };
  Kind kind = Kind::nil;
  std::string_view text;     ///< text of a status, error or string, cut at 512 bytes; for an array, its first string
  std::int64_t integer = 0;  ///< value of an integer
  std::span<const std::int64_t> integers;  ///< the integers of an array
  bool all_integers = false;               ///< true if the array is flat and has only integers
  std::span<const Element> elements;       ///< all elements, if the reader keeps everything
};

/// A parser that turns received bytes into replies, in order. One thread. Memory is bounded, whatever the server sends:
/// a reply with more than kMaxElements elements or kMaxBytes bytes is broken, and so is a reply that is not RESP2. With
/// Keep::everything, the bounds are kMaxElementsKept and kMaxBytesKept.
class ReplyReader {
 public:
  static constexpr std::size_t kMaxElements = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
  static constexpr std::size_t kMaxElementsKept = std::size_t{512} * 1024;  ///< 16384 slots, each with some replicas
  static constexpr std::size_t kMaxBytesKept = std::size_t{16} * 1024 * 1024;

  /// The parts that are kept: only those that a decision needs, or all parts of every reply.
  enum class Keep { decisions, everything };

  /// `reply`: a reply is complete. `more`: more bytes are needed. `broken`: the bytes are not Redis protocol, so call
  /// reset().
  enum class Next { reply, more, broken };

  explicit ReplyReader(Keep keep = Keep::decisions);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  /// Copies `bytes`. Errors in them are reported by next().
  void feed(std::string_view bytes);
  [[nodiscard]] Next next(Reply& reply);
  /// Returns why next() returned broken: one printable line.
  const std::string& error() const noexcept { return error_; }
  /// Drops all bytes, for a new connection.
  void reset();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::string error_;
};

}  // namespace headgate::redis
