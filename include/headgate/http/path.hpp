#pragma once
// One spelling for each path, made before routes are matched, so that no other spelling slips past a limit.

#include <string>
#include <string_view>

namespace headgate::http {

/// Writes the normal form of `raw` (a path beginning with '/') into `out`: percent-encoded unreserved characters
/// decoded, other escapes in upper case, "." and ".." segments resolved (RFC 3986 section 6.2.2), repeated slashes
/// merged. "%2F" stays: it is not a separator. False where an escape is broken or stands for NUL, or a character has no
/// place in a path.
[[nodiscard]] bool normalise_path(std::string_view raw, std::string& out);

/// Whether every character may stand in a query as sent.
bool sound_query(std::string_view query) noexcept;

}  // namespace headgate::http
