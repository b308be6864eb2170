#pragma once
// The memory that encoders use. Used by gateway.

#include "headgate/compress/encoder.hpp"

#include <cstddef>

namespace headgate::compress {

/// Returns the maximum number of bytes that an encoder of make_encoder() uses at this level, whatever the input.
/// `level` is from kMinLevel to kMaxLevel.
std::size_t most_memory(Coding coding, unsigned level) noexcept;

}  // namespace headgate::compress
