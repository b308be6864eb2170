// Renders diagnostics as text for people and as JSON for editors.

#include "report.hpp"
#include "secret_keys.hpp"

#include "headgate/config/diagnostic.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

namespace headgate::config {
namespace {

// A character of a source line, in the form in which a terminal shows it.
struct Cell {
  std::string_view bytes;
  std::size_t offset = 0;  // offset in the line, in bytes
  std::size_t width = 1;
};

std::uint32_t code_point(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0x7FU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) value = value << 6U | (byte(i) & 0x3FU);
  return value;
}

// Returns the width of a character on a terminal, well enough for configurations. The full tables of Unicode would be
// too large here.
std::size_t width_of(std::uint32_t c) {
  const auto in = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  if (in(0x300, 0x36F) || in(0x200B, 0x200F) || in(0xFE00, 0xFE0F) || c == 0xFEFF) return 0;
  const bool wide = in(0x1100, 0x115F) || in(0x2E80, 0xA4CF) || in(0xAC00, 0xD7A3) || in(0xF900, 0xFAFF) ||
                    in(0xFE30, 0xFE6F) || in(0xFF00, 0xFF60) || in(0xFFE0, 0xFFE6) || in(0x1F300, 0x1FAFF) ||
                    in(0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

// Splits a line into cells and replaces all bytes that could move the cursor of a terminal.
std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t at = 0; at < line.size();) {
    const auto length = character_length(line, at);
    const auto byte = static_cast<unsigned char>(line[at]);
    if (byte == '\t') {
      cells.push_back({"    ", at, 4});
    } else if (length == 0) {
      cells.push_back({"\xEF\xBF\xBD", at, 1});
    } else if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && static_cast<unsigned char>(line[at + 1]) < 0xA0)) {
      cells.push_back({"?", at, 1});
    } else {
      const auto bytes = line.substr(at, length);
      cells.push_back({bytes, at, width_of(code_point(bytes))});
    }
    at += std::max<std::size_t>(length, 1);
  }
  return cells;
}

std::string clean(std::string_view text) {
  std::string out;
  for (const auto& cell : cells_of(text)) out += cell.bytes;
  return out;
}

void mask(std::string& line, std::size_t begin, std::size_t end) {
  if (line.compare(begin, 2, "${") == 0) return;  // a placeholder is not a secret
  for (std::size_t i = begin; i < end && i < line.size(); ++i) line[i] = '*';
}

/// Masks the string that begins at `quote`, and returns the offset behind it.
std::size_t mask_string(std::string& text, std::size_t quote) {
  auto end = quote + 1;
  while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  mask(text, quote + 1, end);
  return end + 1;
}

/// Masks the strings of the list that begins at `at`.
void mask_list(std::string& text, std::size_t at) {
  while (at < text.size() && text[at] != ']') at = text[at] == '"' ? mask_string(text, at) : at + 1;
}

/// Returns the offset at which the object that begins at `open` ends.
std::size_t end_of_object(const std::string& text, std::size_t open) {
  std::size_t depth = 0;
  for (auto at = open; at < text.size(); ++at) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (text[at] == '{') {
      ++depth;
    } else if (text[at] == '}' && --depth == 0) {
      return at;
    }
  }
  return text.size();
}

/// Masks the header fields for a trace collector, because any of them may hold credentials.
void mask_headers_of_tracing(std::string& text) {
  const auto tracing = text.find("\"tracing\"");
  const auto open = text.find('{', std::min(tracing, text.size()));
  if (tracing == std::string::npos || open == std::string::npos) return;
  const auto headers = text.find("\"headers\"", open);
  if (headers >= end_of_object(text, open)) return;
  const auto first = text.find('{', headers);
  if (first == std::string::npos) return;
  const auto end = end_of_object(text, first);
  for (auto at = text.find(':', first); at < end; at = text.find(':', at + 1)) {
    const auto value = text.find_first_not_of(": \t\r\n", at);
    if (value != std::string::npos && value < end && text[value] == '"') at = mask_string(text, value) - 1;
  }
}

/// Masks all values of `key`. A list may span several lines.
void mask_values(std::string& text, std::string_view key) {
  const auto quoted = '"' + std::string(key) + '"';
  for (auto at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + quoted.size())) {
    const auto value = text.find_first_not_of(": \t\r\n", at + quoted.size());
    if (value == std::string::npos) return;
    if (text[value] == '"') mask_string(text, value);
    if (text[value] == '[') mask_list(text, value);
  }
}

// Returns the text with its passwords, tokens and keys masked, because the output of `check` ends up in the logs of
// build machines.
std::string without_keys(std::string_view source) {
  std::string text(source);
  for (const auto key : kSecretKeys) mask_values(text, key);
  for (const std::string_view key : {"key", "sha256"}) mask_values(text, key);
  mask_headers_of_tracing(text);
  // A list of signing keys is masked as a whole. The keys of a key file are objects, and only a part of each is secret.
  constexpr std::string_view kKeysName = "\"keys\"";
  for (auto at = text.find(kKeysName); at != std::string::npos; at = text.find(kKeysName, at + kKeysName.size())) {
    const auto list = text.find_first_not_of(": \t\r\n", at + kKeysName.size());
    if (list == std::string::npos || text[list] != '[') continue;
    const auto first = text.find_first_not_of(" \t\r\n", list + 1);
    if (first != std::string::npos && text[first] == '"') mask_list(text, list);
  }
  return text;
}

// Returns whether the URL whose "://" is at `at` is the target of a redirect. Callers see that URL, so it is not
// secret.
bool is_of_redirect(const std::string& line, std::size_t at) {
  const auto quote = line.rfind('"', at);
  if (quote == std::string::npos || quote == 0) return false;
  const auto key_end = line.find_last_not_of(": \t", quote - 1);
  return key_end != std::string::npos && key_end >= 3 && line.compare(key_end - 3, 4, "\"to\"") == 0;
}

// Returns the line without the passwords and queries of its URLs.
std::string without_passwords(std::string_view source) {
  std::string line(source);
  for (auto at = line.find("://"); at != std::string::npos; at = line.find("://", at + 3)) {
    const auto end = line.find('"', at);
    const auto host = line.rfind('@', end);
    const auto colon = line.find(':', at + 3);
    if (host != std::string::npos && host > at && colon < host) mask(line, colon + 1, host);
    const auto query = std::min(line.find('?', at), end);
    if (query < line.size() && !is_of_redirect(line, at)) mask(line, query + 1, std::min(end, line.size()));
  }
  return line;
}

struct Underline {
  std::size_t line = 0;
  std::size_t begin = 0;  // offsets in the line, in bytes
  std::size_t end = 0;
  std::string_view note;
};

std::size_t character_start(std::string_view line, std::size_t at) {
  while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

// Excerpts of one text: single lines, each with a mark below it.
class Excerpts {
 public:
  explicit Excerpts(std::string_view source) : source_(without_keys(source)), lines_(source_) {}

  // Returns the excerpt for `where`. A long line is cut to the part around the caret, because minified JSON is one
  // line.
  std::string at(const Underline& where) {
    constexpr std::size_t kBefore = 60;
    constexpr std::size_t kAfter = 60;
    if (where.line != number_) line_ = without_passwords(lines_.line(where.line));
    number_ = where.line;
    // The line is first cut to a window of bytes. Otherwise a thousand mistakes in a very long line would take very
    // long to show.
    const auto caret = std::min(where.begin, line_.size());
    const auto begin = character_start(line_, caret > 600 ? caret - 600 : 0);
    const auto end = character_start(line_, std::min(line_.size(), caret + 1'200));
    const auto cells = cells_of(std::string_view(line_).substr(begin, end - begin));
    const std::size_t first = index(cells, where.begin - begin);
    const std::size_t last = std::max(index(cells, where.end - begin), first + 1);
    const bool cut = cells.size() > kBefore + kAfter;
    const std::size_t from = cut && first > kBefore ? first - kBefore : 0;
    const std::size_t seen = std::max(first, std::min(last, first + kAfter / 2));
    const std::size_t to = cut ? std::min(cells.size(), seen + kAfter) : cells.size();
    std::string text = from > 0 ? "..." : "";
    std::string marks(text.size(), ' ');
    for (std::size_t i = from; i < to; ++i) {
      text += cells[i].bytes;
      if (i < first) marks.append(cells[i].width, ' ');
      if (i >= first && i < last) marks.append(cells[i].width, '~');
    }
    const auto column = marks.find('~');
    if (column == std::string::npos) {
      marks += '^';  // the caret stands behind the last character
    } else {
      marks[column] = '^';
    }
    if (to < cells.size()) text += "...";
    if (!where.note.empty()) marks += ' ' + std::string(where.note);
    return framed(where.line, text, marks);
  }

 private:
  static std::size_t index(const std::vector<Cell>& cells, std::size_t offset) {
    const auto found =
        std::find_if(cells.begin(), cells.end(), [&](const Cell& each) { return each.offset >= offset; });
    return static_cast<std::size_t>(found - cells.begin());
  }

  static std::string framed(std::size_t line, const std::string& text, const std::string& marks) {
    const auto number = std::to_string(line);
    const std::size_t gutter = std::max<std::size_t>(number.size(), 4);
    return std::string(gutter - number.size(), ' ') + number + " | " + text + '\n' + std::string(gutter, ' ') + " | " +
           marks + '\n';
  }

  const std::string source_;
  LineIndex lines_;
  std::size_t number_ = 0;
  std::string line_;
};

std::string_view severity_text(Severity severity) {
  static constexpr WordsUpTo<Severity::advice> kWords({"error", "warning", "advice"});
  return kWords[severity];
}

void append_indented(std::string_view lines, std::string& out) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    if (end > 0) out += "  " + clean(lines.substr(0, end));
    out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

/// Returns the count for the last line: "2 errors, 1 warning, 1 piece of advice".
std::string counts(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  const auto add = [&](Severity severity, const char* one, const char* several) {
    const auto count = std::count_if(diagnostics.begin(), diagnostics.end(),
                                     [&](const auto& each) { return each.severity == severity; });
    if (count > 0) out += (out.empty() ? "" : ", ") + std::to_string(count) + ' ' + (count == 1 ? one : several);
  };
  add(Severity::error, "error", "errors");
  add(Severity::warning, "warning", "warnings");
  add(Severity::advice, "piece of advice", "pieces of advice");
  return out;
}

}  // namespace

std::string render_each(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                        std::span<const IncludedFile> included) {
  std::map<std::string_view, std::string_view> texts{{"", source}};
  for (const auto& each : included) texts.emplace(each.path, each.text);
  std::map<std::string_view, Excerpts> excerpts;
  std::string out;
  for (const auto& each : diagnostics) {
    out += (each.file.empty() ? std::string(file) : each.file) + ':' + std::to_string(each.line) + ':' +
           std::to_string(each.column) + ": " + std::string(severity_text(each.severity)) + ": " + clean(each.message);
    if (!each.pointer.empty()) out += " [" + clean(each.pointer) + ']';
    if (!each.name.empty()) out += " (" + each.name + ')';
    out += '\n';
    Underline where{each.line, each.column - 1, each.end_column - 1, {}};
    if (!each.caret_note.empty()) where = {each.caret_line, each.caret_column - 1, each.caret_column, each.caret_note};
    out += excerpts.try_emplace(each.file, texts[each.file]).first->second.at(where);
    if (!each.help.empty()) out += "  help: " + clean(each.help) + '\n';
    append_indented(each.why, out);
    out += '\n';
  }
  return out;
}

std::string render_text(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view source,
                        std::span<const IncludedFile> included) {
  auto out = render_each(diagnostics, file, source, included);
  return diagnostics.empty() ? out : out + counts(diagnostics) + '\n';
}

std::string render_json(const std::vector<Diagnostic>& diagnostics, std::string_view file) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& each : diagnostics) {
    list.push_back({{"file", each.file.empty() ? file : std::string_view(each.file)},
                    {"line", each.line},
                    {"column", each.column},
                    {"end_column", each.end_column},
                    {"pointer", each.pointer},
                    {"code", each.code},
                    {"severity", severity_text(each.severity)},
                    {"message", each.message},
                    {"help", each.help}});
    if (!each.name.empty()) list.back()["name"] = each.name;
  }
  // A key may hold bytes that are not UTF-8; without `replace`, dump would throw.
  return list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace headgate::config
