#pragma once
// One spelling for each path, made before routes are matched, so that no other spelling slips past a limit.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// What became of a path.
enum class PathKind : std::uint8_t {
  refused,      ///< it is none, or no two servers would agree which: 400
  plain,        ///< its slashes are those that are seen
  hides_slash,  ///< it holds "%2F" or "%5C", or what becomes that when decoded again: some servers read a slash there
};

/// Reads `raw`, a path beginning with '/'. Of both forms "." and ".." segments are resolved (RFC 3986 section 5.2.4),
/// also encoded ones, and repeated slashes merged.
///
/// `matched` is what routes and keys are compared by: every character that may stand bare in a segment does, other
/// escapes are in upper case. "%2F" stays: it is not a separator here. `sent` is what goes on to a server, with the
/// escapes as the caller wrote them, for signatures are made over those; empty where it is the same as `matched`.
///
/// Refused: a broken escape, NUL, a character that has no place in a path, a segment that is nothing but parameters,
/// and dot segments that only some servers would see ("..;x", "..%2F", "%252e%252e").
[[nodiscard]] PathKind normalise_path(std::string_view raw, std::string& matched, std::string& sent);

/// The matched form of one valid segment, as `normalise_path` writes it.
std::string matched_segment(std::string_view segment);

/// `matched` with ASCII letters in lower case, and with those few others that servers fold to an ASCII letter (as
/// Unicode folds the Kelvin sign to "k"). Its slashes are those of `matched`.
std::string fold_case(std::string_view matched);

/// Takes the segment before the next '/' from the front of `path`, and that '/'. A view into `path`.
constexpr std::string_view next_segment(std::string_view& path) noexcept {
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size() < path.size() ? segment.size() + 1 : path.size());
  return segment;
}

/// Whether every character may stand in a query as sent.
bool valid_query(std::string_view query) noexcept;

}  // namespace headgate::http
