#pragma once
// The encoder of each coding.

#include "headgate/compress/encoder.hpp"

namespace headgate::compress {

/// Do the same as make_encoder() for one coding.
std::unique_ptr<Encoder> make_gzip(unsigned level, std::optional<std::uint64_t> size);
std::unique_ptr<Encoder> make_brotli(unsigned level, std::optional<std::uint64_t> size);

}  // namespace headgate::compress
