#pragma once
// Collects the mistakes of a configuration, with their places.

#include "document.hpp"

#include "headgate/config/diagnostic.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// Line and column, both from 1, columns in bytes.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Finds the line of an offset. The text must outlive it.
class Lines {
 public:
  explicit Lines(std::string_view text);
  Position at(std::size_t offset) const;
  std::string_view line(std::size_t number) const;  ///< from 1, without its end; "" beyond the last

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// `text` in double quotes, for messages: cut if it is long, with control characters as escapes.
std::string in_quotes(std::string_view text);

/// All mistakes of one text.
class Report {
 public:
  explicit Report(std::string_view text) : lines_(text) {}

  Diagnostic& error(std::string_view code, Span span, std::string pointer, std::string message, std::string help = {});
  void error(std::string_view code, const Node& value, std::string message, std::string help = {});
  void error_at_key(std::string_view code, const Node& member, std::string message, std::string help = {});
  void warning(std::string_view code, const Node& value, std::string message, std::string help = {});
  void warning_at_key(std::string_view code, const Node& member, std::string message, std::string help = {});

  std::string place(std::size_t offset) const;  ///< "9:7"
  Position position(std::size_t offset) const { return lines_.at(offset); }
  bool has_errors() const noexcept { return errors_ > 0; }
  std::size_t errors() const noexcept { return errors_; }

  /// All of them, sorted by position. Those of one place stay in the order found. A message appears only once per
  /// place.
  std::vector<Diagnostic> take();

 private:
  Diagnostic& add(Severity severity, std::string_view code, Span span, std::string pointer, std::string message,
                  std::string help);

  Lines lines_;
  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

}  // namespace headgate::config
