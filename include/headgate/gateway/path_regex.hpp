#pragma once
// A regular expression that the paths of a route must match. RE2 guarantees that a match takes time in proportion to
// the length of the path, whatever the expression is.

#include "headgate/core/result.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// A compiled expression. Immutable; any thread.
class PathRegex {
 public:
  enum class Case : bool { matters, ignored };
  /// The largest allowed size of a compiled expression, in RE2's instructions: "x{1000}" has about a thousand.
  static constexpr int kLargest = 2'000;

  /// Compiles an expression. The error is a sentence without its full stop.
  static Result<std::shared_ptr<const PathRegex>, std::string> make(const std::string& pattern, Case letters);
  ~PathRegex();
  PathRegex(const PathRegex&) = delete;
  PathRegex& operator=(const PathRegex&) = delete;

  /// Returns whether the whole normalised path matches. As in the comparison of routes, the text after ';' in a segment
  /// and a slash at the end are ignored.
  bool matches(std::string_view path) const;

 private:
  struct Compiled;
  explicit PathRegex(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

/// Returns the form of `path` that a PathRegex is compared with. A view into `room` or `path`.
std::string_view path_to_match(std::string_view path, std::string& room);

}  // namespace headgate::gateway
