#pragma once
// A regular expression that the paths of a route must match. RE2: its time grows with the length of a path and never
// faster, whatever the expression is.

#include "headgate/core/result.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// Immutable; any thread may ask it.
class PathRegex {
 public:
  enum class Case : bool { matters, ignored };
  /// The largest program of an expression, in RE2's instructions: "x{1000}" has about a thousand.
  static constexpr int kLargest = 2'000;

  /// The error is a sentence without its dot.
  static Result<std::shared_ptr<const PathRegex>, std::string> make(const std::string& pattern, Case letters);
  ~PathRegex();
  PathRegex(const PathRegex&) = delete;
  PathRegex& operator=(const PathRegex&) = delete;

  /// Whether all of the normalised path matches, as routes compare paths: without what follows ';' in a segment, and
  /// without a slash at its end.
  bool matches(std::string_view path) const;

 private:
  struct Compiled;
  explicit PathRegex(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

/// What such an expression sees of a path. A view into `room` or `path`.
std::string_view path_to_match(std::string_view path, std::string& room);

}  // namespace headgate::gateway
