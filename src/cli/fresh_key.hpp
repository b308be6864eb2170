#pragma once
// A key nobody has yet. Used by `headgate keys new`.

#include <string>
#include <string_view>

namespace headgate::cli {

/// `prefix`, '_' and 43 letters and digits at random: 256 bits. The prefix is for scanners that look for secrets in
/// what gets published; nothing but letters and digits, so that a double click takes all of the key. Empty where the
/// system has no random bytes.
std::string fresh_key(std::string_view prefix);

}  // namespace headgate::cli
