#pragma once
// Normalises paths before routes are matched, so that a client cannot avoid a limit by another spelling of the path.
// Used by session, gateway and config.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// How the parser of a head treats the path.
enum class Paths : std::uint8_t {
  normalised,  ///< the path is normalised with normalise_path()
  /// the path is kept as sent, and must be a valid_path(); for a server that compares paths with its own table and
  /// forwards nothing
  as_sent,
};

/// The result of normalise_path().
enum class PathKind : std::uint8_t {
  refused,  ///< the path is malformed, or different servers read it in different ways; answered with 400
  plain,    ///< every server sees the same slashes
  /// The path contains "%2F" or "%5C", directly or after repeated decoding, so that some servers see a slash there. Or
  /// the path, once decoded, still contains an escaped letter, digit, "-", ".", "_" or "~" ("%2570"), so that some
  /// servers see another path.
  hides_slash,
};

/// Normalises `raw`, a path that begins with '/'. In both `matched` and `sent`, "." and ".." segments are resolved (RFC
/// 3986 section 5.2.4), even if encoded, and repeated slashes are merged.
///
/// `matched` is for routes and keys: characters that are allowed unescaped in a segment are decoded, and other escapes
/// are in upper case. "%2F" stays encoded, because it is not a separator. `sent` is for the server: it keeps the
/// escapes of the client, because signatures are computed over them. It is empty if it equals `matched`.
///
/// A path is refused if it has a broken escape, NUL, a character that is not allowed in paths, a segment that consists
/// of parameters only, or dot segments that only some servers see ("..;x", "..%2F", "%252e%252e").
[[nodiscard]] PathKind normalise_path(std::string_view raw, std::string& matched, std::string& sent);

/// Returns `segment`, which must be a single valid segment, in the `matched` form of normalise_path().
std::string matched_segment(std::string_view segment);

/// Returns `matched` with ASCII letters in lower case. The few other letters that servers fold to an ASCII letter
/// (Unicode folds the Kelvin sign to "k") become that letter. Slashes keep their positions.
std::string fold_case(std::string_view matched);

/// Removes the first segment of `path` and the '/' after it. Returns the segment, a view into `path`.
constexpr std::string_view next_segment(std::string_view& path) noexcept {
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size() < path.size() ? segment.size() + 1 : path.size());
  return segment;
}

/// Returns whether a path begins with '/' and has only allowed characters, whole escapes and no NUL. Its segments may
/// contain dots and escaped slashes.
bool valid_path(std::string_view raw) noexcept;

/// Returns whether a query contains only allowed characters.
bool valid_query(std::string_view query) noexcept;

}  // namespace headgate::http
