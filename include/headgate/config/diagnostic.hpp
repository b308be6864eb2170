#pragma once
// One mistake in a configuration, with its place. `headgate check` prints these.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// `advice`: it is legal, does what it says, and is surely not meant.
enum class Severity { error, warning, advice };

struct Diagnostic {
  std::string code;  ///< stable: "HG…"
  std::string name;  ///< of advice: another word for its code, as "accept_advice" may have it; else empty
  Severity severity = Severity::error;
  std::string file;            ///< the included file with the mistake; empty: the main file
  std::size_t line = 0;        ///< from 1
  std::size_t column = 0;      ///< from 1, in bytes
  std::size_t end_column = 0;  ///< one past the last
  std::string pointer;         ///< RFC 6901, "" for the whole document
  std::string message;         ///< without final dot
  std::string help;            ///< something to type; may be empty
  std::string caret_note;      ///< text beside a caret at another place: "a comma is missing here"; else empty
  std::size_t caret_line = 0;  ///< the caret's line, if caret_note is not empty
  std::size_t caret_column = 0;
  std::string why{};  ///< lines that tell more, each with its end; may be empty
};

/// A file that the main file includes.
struct IncludedFile {
  std::string path;
  std::string text;
};

/// Sorted by file and position: `file:line:column: error: message [/pointer]`, the line, a caret, help; a count at the
/// end. `file` and `source` are the main file's; lines of others come from `included`.
std::string render_text(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                        std::span<const IncludedFile> included = {});
/// The same without the count.
std::string render_each(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                        std::span<const IncludedFile> included = {});
/// A JSON array of {file,line,column,end_column,pointer,code,severity,message,help}; advice also has its `name`.
std::string render_json(const std::vector<Diagnostic>& diagnostics, std::string_view file);

}  // namespace headgate::config
