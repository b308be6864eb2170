#pragma once
// Texts of callers for an answer in JSON.

#include <string>
#include <string_view>

namespace headgate::admin {

/// The same text in UTF-8, as the logs have it: a byte that belongs to no character becomes U+0080 to U+00FF.
std::string caller_text(std::string_view bytes);

}  // namespace headgate::admin
