#pragma once
// The chunked transfer coding (RFC 9112 section 7.1), as a strict state machine without I/O. Chunk extensions are
// dropped. Used by net.

#include "headgate/core/result.hpp"
#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace headgate::http::h1 {

/// The reader of one chunked body. Worker thread only; one reader per body.
class ChunkReader {
 public:
  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input that were used
    std::string_view data;     ///< bytes of the body, a view into the input; may be empty
    bool ended = false;        ///< true if the last chunk and the trailers were read
  };

  /// `limits.fields` is the maximum number of trailer fields.
  explicit ChunkReader(const Limits& limits = {}) noexcept : limits_(limits) {}

  /// Sets the maximum size of the body, in bytes. A chunk that exceeds the maximum is refused with 413 as soon as the
  /// chunk's size is read. Call this before the first next().
  void take_at_most(std::uint64_t most) noexcept { room_ = most; }

  /// Reads `input` up to the end of one chunk's data. Call it again with the bytes that were not consumed. If a step
  /// consumes nothing and the body has not ended, more input is needed. Errors: 400 for malformed framing, 413 if the
  /// body is too large, 431 if there are too many trailers or they are too long.
  Result<Step, ParseError> next(std::string_view input);

  /// Returns the trailer fields, once the body has ended. They are views into the reader's own copy.
  const Fields& trailers() const noexcept { return trailers_; }

 private:
  enum class State { size, data, data_end, trailers, ended };
  Result<Step, ParseError> read_size(std::string_view input);
  Result<Step, ParseError> read_trailers(std::string_view input);

  Limits limits_;
  State state_ = State::size;
  std::uint64_t left_ = 0;  // remaining bytes of the current chunk
  // maximum number of bytes in the chunks that are still to come
  std::uint64_t room_ = std::numeric_limits<std::uint64_t>::max();
  std::size_t extensions_ = 0;  // bytes of extensions read so far
  std::string trailer_bytes_;
  Fields trailers_;
};

/// Maximum sizes in bytes of a chunk-size line, of all chunk extensions of one body, and of the trailer section.
inline constexpr std::size_t kMaxChunkLine = 1024;
inline constexpr std::size_t kMaxExtensions = 16UL * 1024;
inline constexpr std::size_t kMaxTrailers = 8192;

/// Writes the line before a chunk of `bytes` bytes into `out`: the size in hex, and CR LF. `out` has at least 20 bytes.
/// Returns the line.
std::string_view chunk_line(std::uint64_t bytes, char* out) noexcept;

}  // namespace headgate::http::h1
