#pragma once
// How much memory encoders take.

#include "headgate/compress/encoder.hpp"

#include <cstddef>

namespace headgate::compress {

/// The most bytes that an encoder of make_encoder() takes at this level, whatever comes. `level` from kMinLevel to
/// kMaxLevel.
std::size_t most_memory(Coding coding, unsigned level) noexcept;

}  // namespace headgate::compress
