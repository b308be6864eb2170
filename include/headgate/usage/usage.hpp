#pragma once
// The tokens of one call of a language model.

#include <cstdint>

namespace headgate::usage {

/// Tokens that one call used, as the provider reported them, from 0 to 10^15. -1 if a count was not reported, which is
/// not the same as a reported 0.
struct Usage {
  std::int64_t input = -1;               ///< all input, with the part that was read from a cache or written to it
  std::int64_t cached = -1;              ///< part of the input that was read from a cache
  std::int64_t cache_written = -1;       ///< part of the input that was written to a cache
  std::int64_t audio_input = -1;         ///< part of the input that is audio
  std::int64_t output = -1;              ///< all output, with reasoning and audio
  std::int64_t audio_output = -1;        ///< part of the output that is audio
  std::int64_t total = -1;               ///< input and output
  std::int64_t cache_written_long = -1;  ///< part of `cache_written` that the cache keeps for an hour

  bool operator==(const Usage&) const = default;
};

}  // namespace headgate::usage
