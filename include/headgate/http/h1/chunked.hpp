#pragma once
// The chunked transfer coding (RFC 9112 section 7.1), as a state machine without I/O. Strict; extensions are read over
// and dropped.

#include "headgate/core/result.hpp"
#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace headgate::http::h1 {

/// Reads one chunked body from successive views of a buffer.
class ChunkReader {
 public:
  struct Step {
    std::size_t consumed = 0;  ///< bytes of the input done with
    std::string_view data;     ///< body bytes, a view into the consumed input; may be empty while more input is needed
    bool ended = false;        ///< the last chunk and the trailers were read
  };

  /// `limits` bounds the trailers.
  explicit ChunkReader(const Limits& limits = {}) noexcept : limits_(limits) {}

  /// A chunk that would make the body larger than `most` bytes is refused with 413 as soon as its size is read. To be
  /// said before the first step.
  void take_at_most(std::uint64_t most) noexcept { room_ = most; }

  /// Takes the next step over `input`. At most one run of data a call; call again with what was not consumed. A step
  /// that consumes nothing and has not ended wants more input.
  Result<Step, ParseError> next(std::string_view input);

  /// After the end. Views into the reader's own copy.
  const Fields& trailers() const noexcept { return trailers_; }

 private:
  enum class State { size, data, data_end, trailers, ended };
  Result<Step, ParseError> read_size(std::string_view input);
  Result<Step, ParseError> read_trailers(std::string_view input);

  Limits limits_;
  State state_ = State::size;
  std::uint64_t left_ = 0;                                          // of the current chunk, in bytes
  std::uint64_t room_ = std::numeric_limits<std::uint64_t>::max();  // for chunks to come, in bytes
  std::size_t extensions_ = 0;                                      // read so far, in bytes
  std::string trailer_bytes_;
  Fields trailers_;
};

/// Longest chunk-size line, most extensions of one body, and longest trailer section, in bytes.
inline constexpr std::size_t kMaxChunkLine = 1024;
inline constexpr std::size_t kMaxExtensions = 16UL * 1024;
inline constexpr std::size_t kMaxTrailers = 8192;

/// The line that opens a chunk of `bytes` bytes ("1f\r\n"), written into `out` (at least 20 bytes).
std::string_view chunk_line(std::uint64_t bytes, char* out) noexcept;

}  // namespace headgate::http::h1
