#pragma once
// A mistake in a configuration, with its place. `headgate check` prints diagnostics.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// The severity of a mistake. `advice` marks a setting that is legal and works as written, but is surely not meant.
enum class Severity { error, warning, advice };

struct Diagnostic {
  std::string code;  ///< stable code, "HG…"
  std::string name;  ///< name of the advice, for use in "accept_advice"; empty for errors and warnings
  Severity severity = Severity::error;
  std::string file;            ///< included file with the mistake; empty for the main file
  std::size_t line = 0;        ///< number of the line, from 1
  std::size_t column = 0;      ///< column from 1, in bytes
  std::size_t end_column = 0;  ///< column behind the last character
  std::string pointer;         ///< RFC 6901 pointer; empty for the whole document
  std::string message;         ///< message without its full stop
  std::string help;            ///< text to type or a next step; may be empty
  /// text at a caret in another place, such as "a comma is missing here"; empty if there is none
  std::string caret_note;
  std::size_t caret_line = 0;  ///< line of that caret, if caret_note is not empty
  std::size_t caret_column = 0;
  std::string why{};  ///< further lines of explanation, each with its line end; may be empty
};

/// A file that the main file includes.
struct IncludedFile {
  std::string path;
  std::string text;
};

/// Renders the diagnostics, sorted by file and position: `file:line:column: error: message [/pointer]`, the line, a
/// caret and help, and a count at the end. `file` and `source` are the main file's; `included` has the texts of the
/// other files.
std::string render_text(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                        std::span<const IncludedFile> included = {});
/// Does the same as render_text(), but without the count at the end.
std::string render_each(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                        std::span<const IncludedFile> included = {});
/// Renders a JSON array of {file,line,column,end_column,pointer,code,severity,message,help}; advice also has its
/// `name`.
std::string render_json(const std::vector<Diagnostic>& diagnostics, std::string_view file);

}  // namespace headgate::config
