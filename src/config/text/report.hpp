#pragma once
// Collects the mistakes of a configuration, with their places.

#include "document.hpp"

#include "headgate/config/diagnostic.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// A line and a column, both from 1. Columns are in bytes.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Finds the line of an offset. The text must outlive the index.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  Position at(std::size_t offset) const;
  /// Returns the line `number`, from 1, without its line end; empty beyond the last line.
  std::string_view line(std::size_t number) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// Returns `text` in double quotes for messages: shortened if it is long, and with control characters escaped.
std::string in_quotes(std::string_view text);

/// Collects all mistakes of a configuration, in its main file and in the included files. Offsets count through all
/// files, in the order in which the files were read.
class Report {
 public:
  /// `text` is the text of the main file, and `path` is its name in messages about other files; empty if it has no
  /// name. All texts must outlive the report.
  explicit Report(std::string_view text, std::string_view path = {});

  /// Adds an included file. Until end_file() is called, offsets count from the beginning of this file, because its
  /// parser counts from there.
  void begin_file(std::string_view text, std::string_view path);
  /// Ends the file that begin_file() began, and returns the offset at which it begins among all files.
  std::size_t end_file();

  Diagnostic& error(std::string_view code, Span span, std::string pointer, std::string message, std::string help = {});
  void error(std::string_view code, const Node& value, std::string message, std::string help = {});
  void error_at_key(std::string_view code, const Node& member, std::string message, std::string help = {});
  void warning(std::string_view code, const Node& value, std::string message, std::string help = {});
  void warning_at_key(std::string_view code, const Node& member, std::string message, std::string help = {});
  Diagnostic& advice(std::string_view code, Span span, std::string pointer, std::string message, std::string help = {});

  /// Returns the place of `offset`, such as "9:7", or "routes/a.json:9:7" if there are several files.
  std::string place(std::size_t offset) const;
  Position position(std::size_t offset) const;
  /// Returns the path of the included file at this offset; empty for the main file.
  std::string_view file_at(std::size_t offset) const;
  bool has_errors() const noexcept { return errors_ > 0; }
  std::size_t errors() const noexcept { return errors_; }

  /// Returns all mistakes, sorted by file and position. Mistakes at one place stay in the order in which they were
  /// found, and equal messages at one place appear only once.
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

  std::vector<File> files_;                   // the main file is the first one
  std::size_t begin_ = 0;                     // offset of the file that is being parsed; its parser counts from here
  std::vector<std::unique_ptr<Found>> list_;  // pointers, because callers keep references to the elements
  std::size_t errors_ = 0;
};

}  // namespace headgate::config
