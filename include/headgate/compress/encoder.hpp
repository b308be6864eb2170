#pragma once
// Compresses a stream of bytes piece by piece, as gzip (RFC 1952) or Brotli (RFC 7932). No I/O; the caller owns the
// buffers and decides when to continue. Used by gateway.

#include "headgate/core/per_enum.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::compress {

/// The content coding of a stream. The names are those of Content-Encoding (RFC 9110 section 8.4.1).
enum class Coding : std::uint8_t { br, gzip, count };
inline constexpr WordsOf<Coding> kCodingWords({"br", "gzip"});
std::string_view to_text(Coding coding) noexcept;

/// The range of levels, from the fastest to the smallest output. The level is that of zlib or the quality of Brotli,
/// whose higher qualities take seconds per megabyte.
inline constexpr unsigned kMinLevel = 1;
inline constexpr unsigned kMaxLevel = 9;

/// How much of the input must be in the output.
enum class Upto : std::uint8_t {
  whatever,  ///< as much as the encoder has produced; the rest comes with later bytes
  here,      ///< everything: the reader can decode every byte of the input
  end        ///< everything, and the stream is complete; nothing may follow
};

/// The encoder of one stream. One thread; not copyable. If it is destroyed before the end of the stream, a decoder
/// detects that the stream is incomplete.
class Encoder {
 public:
  enum class Progress : std::uint8_t {
    done,    ///< all of `in` was taken, and the output has everything that `upto` asks for
    more,    ///< the output is full: call again with the rest of `in`, the same `upto` and new room
    failed,  ///< there was no memory; the stream cannot go on
  };

  Encoder() = default;
  virtual ~Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Takes bytes off the front of `in` and room off the front of `out`, which must have at least 64 bytes.
  [[nodiscard]] virtual Progress encode(std::string_view& in, std::span<char>& out, Upto upto) noexcept = 0;
  /// Returns the number of bytes of memory that the encoder holds now. Brotli takes more memory as input arrives.
  virtual std::size_t memory() const noexcept = 0;
};

/// Creates an encoder with a window of 32 KiB (gzip) or 64 KiB (Brotli). The window is smaller if `size`, the number of
/// bytes to come, needs no more. `level` is from kMinLevel to kMaxLevel. Returns null if there is no memory.
std::unique_ptr<Encoder> make_encoder(Coding coding, unsigned level, std::optional<std::uint64_t> size);

}  // namespace headgate::compress
