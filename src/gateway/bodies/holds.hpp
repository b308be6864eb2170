#pragma once
// How much is held for a call whose cost only its answer says.

#include <cstdint>
#include <string_view>

namespace headgate::gateway {

struct Cost;
struct Exchange;

/// Returns the bytes of text that count as one token until calls have been learned: what `hold` says, or else 4, which
/// is OpenAI's rule of thumb for English text.
std::int64_t bytes_of_token(const Cost& cost) noexcept;

/// Returns the tokens of `text` bytes. A token has `bytes` bytes, or as many as calls of `key` had (LearnedUse).
std::int64_t tokens_of(const Exchange& x, const Cost& cost, std::string_view key, std::int64_t text,
                       std::int64_t bytes) noexcept;

/// Returns the size of the request's input in tokens; a picture or a file has kBlockCost. 0 if the body was not read,
/// or if `bytes` is 0.
std::int64_t input_of(const Exchange& x, const Cost& cost, std::string_view key, std::int64_t bytes) noexcept;

/// Returns the hold of a cost that reads the request's body, for this key of its limit: the output, and the input. The
/// output is the one that the request allows, or with Hold::learned the largest of the last calls. A body that cannot
/// be read, or that does not say how much output it allows, holds the default.
std::int64_t hold_of(const Exchange& x, const Cost& cost, std::string_view key) noexcept;

}  // namespace headgate::gateway
