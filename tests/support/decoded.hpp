#pragma once
// Decodes a compressed stream with the libraries that clients use.

#include "headgate/compress/encoder.hpp"

#include <brotli/decode.h>
#include <zlib.h>

#include <string>
#include <string_view>

namespace headgate::test {

/// The decoded part of a stream.
struct Decoded {
  std::string bytes;
  bool ended = false;    ///< whether the stream is complete and nothing follows it
  bool damaged = false;  ///< whether the bytes are not a stream of this coding
};

inline Decoded gunzipped(std::string_view coded) {
  Decoded out;
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return {.bytes = {}, .ended = false, .damaged = true};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  stream.avail_in = static_cast<uInt>(coded.size());
  char room[4096];
  int said = Z_OK;
  while (said == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room);
    stream.avail_out = sizeof room;
    said = inflate(&stream, Z_NO_FLUSH);
    out.bytes.append(room, sizeof room - stream.avail_out);
  }
  out.ended = said == Z_STREAM_END && stream.avail_in == 0;
  out.damaged = said != Z_STREAM_END && said != Z_BUF_ERROR;
  inflateEnd(&stream);
  return out;
}

inline Decoded unbrotlied(std::string_view coded) {
  Decoded out;
  auto* const state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  auto left = coded.size();
  const auto* next = reinterpret_cast<const std::uint8_t*>(coded.data());
  char room[4096];
  auto said = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
  while (said == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
    auto free = sizeof room;
    auto* to = reinterpret_cast<std::uint8_t*>(room);
    said = BrotliDecoderDecompressStream(state, &left, &next, &free, &to, nullptr);
    out.bytes.append(room, sizeof room - free);
  }
  // In a loop, because the decoder may ask for input while it still has output.
  while (BrotliDecoderHasMoreOutput(state) != 0) {
    std::size_t size = 0;
    const auto* const bytes = BrotliDecoderTakeOutput(state, &size);
    out.bytes.append(reinterpret_cast<const char*>(bytes), size);
  }
  out.ended = said == BROTLI_DECODER_RESULT_SUCCESS && left == 0;
  out.damaged = said == BROTLI_DECODER_RESULT_ERROR;
  BrotliDecoderDestroyInstance(state);
  return out;
}

inline Decoded decoded(compress::Coding coding, std::string_view coded) {
  return coding == compress::Coding::br ? unbrotlied(coded) : gunzipped(coded);
}
/// Decodes by the value of Content-Encoding. Bytes of other codings are returned unchanged.
inline Decoded decoded(std::string_view coding, std::string_view coded) {
  if (coding == "br") return unbrotlied(coded);
  if (coding == "gzip") return gunzipped(coded);
  return {.bytes = std::string(coded), .ended = true, .damaged = false};
}

}  // namespace headgate::test
