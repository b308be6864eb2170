#pragma once
// Escapes in logs, replaced where they stand.

#include <cstddef>

namespace headgate::access_logs {

/// Replaces what nginx, Apache and JSON write for bytes that would end a text: \xHH, \uXXXX (as UTF-8, also of two
/// surrogates), \n and the like, \" and \\. What is no such escape stays. Returns the new end, at most `end`.
char* unescape(char* begin, char* end) noexcept;

}  // namespace headgate::access_logs
