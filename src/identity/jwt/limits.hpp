#pragma once
// The maximum sizes of tokens and claims, which are also the sizes of buffers on the stack.

#include <cstddef>

namespace headgate::identity {

/// Maximum bytes of a whole token. A larger token is refused before anything is decoded.
constexpr std::size_t kMaxToken = 8192;

/// Maximum size in bytes of a string claim that is stored. Such a claim may become a key of a limit and a field of the
/// log.
constexpr std::size_t kMaxClaim = 1024;

}  // namespace headgate::identity
