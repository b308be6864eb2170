#pragma once
// Makes a new random key. Used by `headgate keys new`.

#include <string>
#include <string_view>

namespace headgate::cli {

/// `prefix`, '_' and 43 random letters and digits: 256 bits. Secret scanners find the prefix in published texts. There
/// are only letters and digits, so that a double click selects the whole key. Empty if the system has no random bytes.
std::string fresh_key(std::string_view prefix);

}  // namespace headgate::cli
