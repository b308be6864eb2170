#pragma once
// Collects the mistakes of a configuration, with their places.

#include "document.hpp"

#include "headgate/config/diagnostic.hpp"

#include <memory>
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
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  Position at(std::size_t offset) const;
  std::string_view line(std::size_t number) const;  ///< from 1, without its end; "" beyond the last

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// `text` in double quotes, for messages: cut if it is long, with control characters as escapes.
std::string in_quotes(std::string_view text);

/// All mistakes of a configuration: of its main file, and of those that it includes. An offset counts through all of
/// them, in the order in which they were read.
class Report {
 public:
  /// `text` is the main file's, called `path` in messages about others; "": it has no name. Texts outlive the report.
  explicit Report(std::string_view text, std::string_view path = {});

  /// Adds an included file. Until end_file(), offsets count from its beginning, as its parser does.
  void begin_file(std::string_view text, std::string_view path);
  /// Where the file that was begun begins among all.
  std::size_t end_file();

  Diagnostic& error(std::string_view code, Span span, std::string pointer, std::string message, std::string help = {});
  void error(std::string_view code, const Node& value, std::string message, std::string help = {});
  void error_at_key(std::string_view code, const Node& member, std::string message, std::string help = {});
  void warning(std::string_view code, const Node& value, std::string message, std::string help = {});
  void warning_at_key(std::string_view code, const Node& member, std::string message, std::string help = {});
  Diagnostic& advice(std::string_view code, Span span, std::string pointer, std::string message, std::string help = {});

  /// "9:7"; if there are several files, "routes/a.json:9:7".
  std::string place(std::size_t offset) const;
  Position position(std::size_t offset) const;
  /// The path of the included file at this offset; "" if it is the main file.
  std::string_view file_at(std::size_t offset) const;
  bool has_errors() const noexcept { return errors_ > 0; }
  std::size_t errors() const noexcept { return errors_; }

  /// All of them, sorted by file and position. Those of one place stay in the order found. A message appears only once
  /// per place.
  std::vector<Diagnostic> take();

 private:
  Diagnostic& add(Severity severity, std::string_view code, Span span, std::string pointer, std::string message,
                  std::string help);

  struct File {
    std::string path;
    std::size_t begin;
    std::size_t size;
    LineIndex lines;
  };
  struct Found {
    std::size_t file;
    Diagnostic diagnostic;
  };

  std::size_t number_at(std::size_t offset) const;

  std::vector<File> files_;                   // the main one first
  std::size_t begin_ = 0;                     // of the file that is being parsed; offsets of the parser count from here
  std::vector<std::unique_ptr<Found>> list_;  // callers keep references
  std::size_t errors_ = 0;
};

}  // namespace headgate::config
