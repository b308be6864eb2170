#pragma once
// Replies of Redis, parsed by hiredis without an allocation a reply: only what this module asks for is kept of each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headgate::redis {

/// One reply. Its views live until the reader is asked for the next one, fed, or reset.
struct Reply {
  enum class Kind { status, error, integer, text, nil, array, other };
  /// A value as it came; an array stands before what is in it.
  struct Element {
    Kind kind = Kind::nil;
    std::int64_t integer = 0;  ///< of an integer; of an array: how many follow in it
    std::string text;          ///< of a status, error or string, uncut
  };
  Kind kind = Kind::nil;
  std::string_view text;     ///< of a status, error or string, cut at 512 bytes; of an array, its first string
  std::int64_t integer = 0;  ///< of an integer
  std::span<const std::int64_t> integers;  ///< of an array: the integers in it
  bool all_integers = false;               ///< the array is flat and holds nothing but integers
  std::span<const Element> elements;       ///< all there is, where the reader keeps everything
};

/// Turns received bytes into replies, in order. One thread. Bounded whatever the server sends: a reply of more than
/// kMaxElements elements or kMaxBytes bytes, or kMaxElementsKept and kMaxBytesKept where everything is kept, is broken,
/// like one that is not RESP2.
class ReplyReader {
 public:
  static constexpr std::size_t kMaxElements = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
  static constexpr std::size_t kMaxElementsKept = std::size_t{512} * 1024;  ///< 16384 slots, each with some replicas
  static constexpr std::size_t kMaxBytesKept = std::size_t{16} * 1024 * 1024;

  enum class Keep { decisions, everything };  ///< as little as a decision needs, or all of every reply

  enum class Next { reply, more, broken };  ///< one is there; feed more first; not Redis: only reset() helps

  explicit ReplyReader(Keep keep = Keep::decisions);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  /// Takes a copy of `bytes`. What is wrong with them, next() tells.
  void feed(std::string_view bytes);
  [[nodiscard]] Next next(Reply& reply);
  /// Why next() said broken: one line, printable.
  const std::string& error() const noexcept { return error_; }
  /// Forgets everything: for a new connection.
  void reset();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::string error_;
};

}  // namespace headgate::redis
