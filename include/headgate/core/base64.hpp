#pragma once
// Base64 (RFC 4648 section 4).

#include <string>
#include <string_view>

namespace headgate {

/// The bytes as text, padded with "=". Any thread.
std::string base64(std::string_view bytes);

}  // namespace headgate
