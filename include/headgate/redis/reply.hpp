#pragma once
// Replies of Redis, parsed by hiredis without an allocation for each reply. Only what this module needs is kept.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// One reply. Its views live until the next call of next(), feed() or reset().
struct Reply {
  enum class Kind { status, error, integer, text, nil, array, other };
  /// One received value. An array comes before its elements.
  struct Element {
    Kind kind = Kind::nil;
    std::int64_t integer = 0;  ///< of an integer; of an array: the number of its elements
    std::string text;          ///< of a status, error or string, uncut
  };
  Kind kind = Kind::nil;
  std::string_view text;     ///< of a status, error or string, cut at 512 bytes; of an array, its first string
  std::int64_t integer = 0;  ///< of an integer
  std::span<const std::int64_t> integers;  ///< of an array: the integers in it
  bool all_integers = false;               ///< the array is flat and has only integers
  std::span<const Element> elements;       ///< all elements, if the reader keeps everything
};

/// Turns received bytes into replies, in order. One thread. Memory is bounded whatever the server sends: a reply with
/// more than kMaxElements elements or kMaxBytes bytes is broken, and so is one that is not RESP2. If everything is
/// kept, kMaxElementsKept and kMaxBytesKept apply.
class ReplyReader {
 public:
  static constexpr std::size_t kMaxElements = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
  static constexpr std::size_t kMaxElementsKept = std::size_t{512} * 1024;  ///< 16384 slots, each with some replicas
  static constexpr std::size_t kMaxBytesKept = std::size_t{16} * 1024 * 1024;

  enum class Keep { decisions, everything };  ///< only what a decision needs, or all of every reply

  /// A reply is complete; feed more bytes first; not Redis: only reset() helps.
  enum class Next { reply, more, broken };

  explicit ReplyReader(Keep keep = Keep::decisions);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  /// Copies `bytes`. next() reports their errors.
  void feed(std::string_view bytes);
  [[nodiscard]] Next next(Reply& reply);
  /// Why next() returned broken: one printable line.
  const std::string& error() const noexcept { return error_; }
  /// Forgets everything, for a new connection.
  void reset();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::string error_;
};

}  // namespace headgate::redis
