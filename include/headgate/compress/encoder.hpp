#pragma once
// Compresses a stream of bytes piece by piece, as gzip (RFC 1952) or Brotli (RFC 7932). No I/O; the caller owns the
// buffers and decides when to go on.

#include "headgate/core/per_enum.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::compress {

/// What a stream becomes. The words are those of Content-Encoding (RFC 9110 section 8.4.1).
enum class Coding : std::uint8_t { br, gzip, count };
inline constexpr WordsOf<Coding> kCodingWords({"br", "gzip"});
std::string_view to_text(Coding coding) noexcept;

/// From the fastest to the smallest, for both: the level of zlib, the quality of Brotli. What Brotli has beyond takes
/// seconds for a megabyte.
inline constexpr unsigned kMinLevel = 1;
inline constexpr unsigned kMaxLevel = 9;

/// How much of what was taken in must be in the output.
enum class Upto : std::uint8_t {
  whatever,  ///< what the encoder gives by itself; the rest comes with later bytes
  here,      ///< all: the reader can decode every byte that went in
  end        ///< all, and the stream is complete; nothing may follow
};

/// One stream. One thread; not copied. A stream that is destroyed before its end is one that a decoder knows is cut.
class Encoder {
 public:
  enum class Progress : std::uint8_t {
    done,    ///< all of `in` was taken, and what `upto` asks for is in the output
    more,    ///< the output is full: call again with the rest of `in`, the same `upto` and new room
    failed,  ///< there was no memory; the stream cannot go on
  };

  Encoder() = default;
  virtual ~Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Takes bytes off the front of `in` and room off the front of `out`, which has at least 64 bytes.
  [[nodiscard]] virtual Progress encode(std::string_view& in, std::span<char>& out, Upto upto) noexcept = 0;
  /// The bytes of memory that it holds now. Brotli takes more as bytes come.
  virtual std::size_t memory() const noexcept = 0;
};

/// An encoder with a window of 32 KiB (gzip) or 64 KiB (Brotli), or a smaller one if `size`, the bytes that will come,
/// needs no more. `level` from kMinLevel to kMaxLevel. Null if there is no memory.
std::unique_ptr<Encoder> make_encoder(Coding coding, unsigned level, std::optional<std::uint64_t> size);

}  // namespace headgate::compress
