#include "report.hpp"

#include "headgate/core/hex.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace headgate::config {

LineIndex::LineIndex(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

Position LineIndex::at(std::size_t offset) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), std::min(offset, text_.size()));
  const auto line = static_cast<std::size_t>(next - starts_.begin());
  return {line, std::min(offset, text_.size()) - starts_[line - 1] + 1};
}

std::string_view LineIndex::line(std::size_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const auto begin = starts_[number - 1];
  auto end = number < starts_.size() ? starts_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return text_.substr(begin, end - begin);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 80;
  std::string out = "\"";
  std::size_t end = std::min(text.size(), kShown);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  for (char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      append_hex(out, byte);
    } else {
      out += c;
    }
  }
  return out + (end < text.size() ? "...\"" : "\"");
}

Report::Report(std::string_view text, std::string_view path) {
  files_.push_back({std::string(path), 0, text.size(), LineIndex(text)});
}

// An offset may also be the end of the file, so each file takes one offset more than it has bytes.
void Report::begin_file(std::string_view text, std::string_view path) {
  begin_ = files_.back().begin + files_.back().size + 1;
  files_.push_back({std::string(path), begin_, text.size(), LineIndex(text)});
}

std::size_t Report::end_file() { return std::exchange(begin_, 0); }

std::size_t Report::number_at(std::size_t offset) const {
  const auto next = std::upper_bound(files_.begin(), files_.end(), offset + begin_,
                                     [](std::size_t at, const File& file) { return at < file.begin; });
  return static_cast<std::size_t>(next - files_.begin()) - 1;
}

Position Report::position(std::size_t offset) const {
  const auto& file = files_[number_at(offset)];
  return file.lines.at(offset + begin_ - file.begin);
}

std::string_view Report::file_at(std::size_t offset) const {
  const auto number = number_at(offset);
  return number == 0 ? std::string_view() : std::string_view(files_[number].path);
}

Diagnostic& Report::add(Severity severity, std::string_view code, Span span, std::string pointer, std::string message,
                        std::string help) {
  const auto begin = position(span.begin);
  const auto end = position(span.end);
  auto& found = *list_.emplace_back(std::make_unique<Found>());
  found.file = number_at(span.begin);
  auto& diagnostic = found.diagnostic;
  diagnostic.code = code;
  diagnostic.severity = severity;
  diagnostic.file = file_at(span.begin);
  diagnostic.line = begin.line;
  diagnostic.column = begin.column;
  // A span of several lines is underlined only in its first line.
  diagnostic.end_column = end.line == begin.line ? end.column : begin.column + 1;
  diagnostic.pointer = std::move(pointer);
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  if (severity == Severity::error) ++errors_;
  return diagnostic;
}

Diagnostic& Report::error(std::string_view code, Span span, std::string pointer, std::string message,
                          std::string help) {
  return add(Severity::error, code, span, std::move(pointer), std::move(message), std::move(help));
}

void Report::error(std::string_view code, const Node& value, std::string message, std::string help) {
  add(Severity::error, code, value.span, pointer(value), std::move(message), std::move(help));
}

void Report::error_at_key(std::string_view code, const Node& member, std::string message, std::string help) {
  const bool keyed = member.key_span.end > member.key_span.begin;
  add(Severity::error, code, keyed ? member.key_span : member.span, pointer(member), std::move(message),
      std::move(help));
}

void Report::warning(std::string_view code, const Node& value, std::string message, std::string help) {
  add(Severity::warning, code, value.span, pointer(value), std::move(message), std::move(help));
}

void Report::warning_at_key(std::string_view code, const Node& member, std::string message, std::string help) {
  const bool keyed = member.key_span.end > member.key_span.begin;
  add(Severity::warning, code, keyed ? member.key_span : member.span, pointer(member), std::move(message),
      std::move(help));
}

Diagnostic& Report::advice(std::string_view code, Span span, std::string pointer, std::string message,
                           std::string help) {
  return add(Severity::advice, code, span, std::move(pointer), std::move(message), std::move(help));
}

std::string Report::place(std::size_t offset) const {
  const auto at = position(offset);
  auto text = std::to_string(at.line) + ':' + std::to_string(at.column);
  if (files_.size() == 1) return text;
  const auto& path = files_[number_at(offset)].path;
  return path.empty() ? text + " of the main file" : path + ':' + text;
}

std::vector<Diagnostic> Report::take() {
  const auto place = [](const auto& each) {
    return std::tie(each->file, each->diagnostic.line, each->diagnostic.column);
  };
  std::stable_sort(list_.begin(), list_.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  const auto twice = [&](const auto& a, const auto& b) {
    return place(a) == place(b) && a->diagnostic.message == b->diagnostic.message;
  };
  list_.erase(std::unique(list_.begin(), list_.end(), twice), list_.end());
  std::vector<Diagnostic> out;
  out.reserve(list_.size());
  for (auto& each : list_) out.push_back(std::move(each->diagnostic));
  list_.clear();
  return out;
}

}  // namespace headgate::config
