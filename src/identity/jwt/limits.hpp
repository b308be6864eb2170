#pragma once
// How large a token may be; buffers on the stack are sized by it.

#include <cstddef>

namespace headgate::identity {

/// Bytes of a whole token. More is refused before anything is decoded.
constexpr std::size_t kMaxToken = 8192;

/// Bytes of a string claim that is kept: it becomes a key of the limiter and a field of the log.
constexpr std::size_t kMaxClaim = 1024;

}  // namespace headgate::identity
