#pragma once
// Creates API keys. Used by `headgate keys new` and the admin interface.

#include <string>
#include <string_view>

namespace headgate::identity {

/// Returns `prefix`, '_' and 43 random letters and digits, which are 256 random bits. Secret scanners find the prefix
/// in published texts. The key has only letters, digits and '_', so that a double click selects the whole key. Empty if
/// the system has no random bytes. Any thread.
std::string fresh_key(std::string_view prefix);

/// Returns whether a key may have this prefix: 1 to 32 letters, digits or '_'.
bool is_key_prefix(std::string_view text) noexcept;

/// The default prefix of keys.
inline constexpr std::string_view kUsualPrefix = "hg";

}  // namespace headgate::identity
