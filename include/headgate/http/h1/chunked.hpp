#pragma once
// The chunked transfer coding (RFC 9112 section 7.1), as a state machine without I/O. Strict. Chunk extensions are
// dropped.

#include "headgate/core/result.hpp"
#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace headgate::http::h1 {

/// Reads one chunked body. Worker thread only; one reader for each body.
class ChunkReader {
 public:
  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input that were used
    std::string_view data;     ///< bytes of the body, a view into the input; may be empty
    bool ended = false;        ///< whether the last chunk and the trailers were read
  };

  /// `limits.fields` is the largest number of trailer fields.
  explicit ChunkReader(const Limits& limits = {}) noexcept : limits_(limits) {}

  /// Sets the size of the largest body that is accepted, in bytes. A chunk that exceeds it is refused with 413 as soon
  /// as its size is read. Call it before the first next().
  void take_at_most(std::uint64_t most) noexcept { room_ = most; }

  /// Reads on in `input`, up to the end of one chunk's data. Call it again with the bytes that were not consumed. A
  /// step that consumes nothing and has not ended needs more input. Errors: 400 for malformed framing, 413 for too
  /// large a body, 431 for too many or too long trailers.
  Result<Step, ParseError> next(std::string_view input);

  /// The trailer fields, after the end. Views into the reader's own copy.
  const Fields& trailers() const noexcept { return trailers_; }

 private:
  enum class State { size, data, data_end, trailers, ended };
  Result<Step, ParseError> read_size(std::string_view input);
  Result<Step, ParseError> read_trailers(std::string_view input);

  Limits limits_;
  State state_ = State::size;
  std::uint64_t left_ = 0;                                          // bytes left of the current chunk
  std::uint64_t room_ = std::numeric_limits<std::uint64_t>::max();  // bytes that later chunks may have
  std::size_t extensions_ = 0;                                      // bytes of extensions read so far
  std::string trailer_bytes_;
  Fields trailers_;
};

/// The longest chunk-size line, the most chunk extensions of one body, and the longest trailer section, in bytes.
inline constexpr std::size_t kMaxChunkLine = 1024;
inline constexpr std::size_t kMaxExtensions = 16UL * 1024;
inline constexpr std::size_t kMaxTrailers = 8192;

/// The line before a chunk of `bytes` bytes ("1f\r\n"), written into `out` (at least 20 bytes).
std::string_view chunk_line(std::uint64_t bytes, char* out) noexcept;

}  // namespace headgate::http::h1
