#pragma once
// Replaces escapes in logs in place.

#include <cstddef>

namespace headgate::access_logs {

/// Replaces the escapes of nginx, Apache and JSON: \xHH, \uXXXX (as UTF-8, including surrogate pairs), the letters for
/// control characters such as LF and tab, \" and \\. Other text is unchanged. Returns the new end, at most `end`.
char* unescape(char* begin, char* end) noexcept;

}  // namespace headgate::access_logs
