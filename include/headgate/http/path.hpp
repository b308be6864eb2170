#pragma once
// Normalises paths, before routes are matched, so that no other spelling avoids a limit.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// How the reader of a head treats its path.
enum class Paths : std::uint8_t {
  normalised,  ///< as normalise_path() does
  as_sent,     ///< it must be a valid_path(): for who compares it with a table of its own, and has no server behind
};

/// The result of normalise_path().
enum class PathKind : std::uint8_t {
  refused,  ///< malformed, or servers would read it in different ways: 400
  plain,    ///< every server sees the same slashes
  /// It contains "%2F" or "%5C", directly or after repeated decoding: some servers see a slash there. Or decoded once
  /// it still has an escaped letter, digit, "-", ".", "_" or "~" ("%2570"): some servers see another path.
  hides_slash,
};

/// Reads `raw`, a path that begins with '/'. In both results "." and ".." segments are resolved (RFC 3986 section
/// 5.2.4), also encoded ones, and repeated slashes are merged.
///
/// `matched` is for routes and keys: a character that may stand in a segment as it is, is decoded; other escapes are in
/// upper case. "%2F" stays encoded: it is not a separator. `sent` is for the server: its escapes are as the client
/// wrote them, because signatures are made over them. It is empty if it equals `matched`.
///
/// Refused: a broken escape, NUL, a character that no path may contain, a segment that consists of parameters only, and
/// dot segments that only some servers see ("..;x", "..%2F", "%252e%252e").
[[nodiscard]] PathKind normalise_path(std::string_view raw, std::string& matched, std::string& sent);

/// The matched form of one valid segment, as `normalise_path` writes it.
std::string matched_segment(std::string_view segment);

/// `matched` with ASCII letters in lower case. The few other letters that servers fold to an ASCII letter (as Unicode
/// folds the Kelvin sign to "k") become that letter. Slashes stay where they are.
std::string fold_case(std::string_view matched);

/// Removes the first segment of `path` and the '/' after it. Returns the segment, a view into `path`.
constexpr std::string_view next_segment(std::string_view& path) noexcept {
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size() < path.size() ? segment.size() + 1 : path.size());
  return segment;
}

/// Whether a path begins with '/' and has only characters that it may contain, whole escapes, and no NUL. Its segments
/// may be anything, also dots and escaped slashes.
bool valid_path(std::string_view raw) noexcept;

/// Whether a query contains only characters that it may contain.
bool valid_query(std::string_view query) noexcept;

}  // namespace headgate::http
