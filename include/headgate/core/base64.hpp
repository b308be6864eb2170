#pragma once
// Base64 (RFC 4648 section 4). Used by gateway and http.

#include <string>
#include <string_view>

namespace headgate {

/// Returns the bytes as text, padded with "=". Any thread.
std::string base64(std::string_view bytes);

}  // namespace headgate
