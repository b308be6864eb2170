#include "text_splitter.hpp"

#include "escapes.hpp"
#include "part_names.hpp"

#include <algorithm>
#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kLongestLayout = 8192;

bool in_name(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name of the variable at the beginning of `text`, behind its '$', which is taken from it; empty: there is none.
std::string_view take_name(std::string_view& text) noexcept {
  const bool braces = text.starts_with('{');
  if (braces) text.remove_prefix(1);
  const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), in_name) - text.begin());
  const auto name = text.substr(0, end);
  text.remove_prefix(end);
  if (!braces) return name;
  if (!text.starts_with('}')) return {};
  text.remove_prefix(1);
  return name;
}

/// The text before the next variable, which is taken from `text`. "\t" is a tab, as in a configuration of nginx.
std::string take_literal(std::string_view& text) {
  std::string out;
  const auto end = std::min(text.find('$'), text.size());
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '\\' && i + 1 < end && text[i + 1] == 't') {
      out += '\t';
      ++i;
    } else {
      out += text[i];
    }
  }
  text.remove_prefix(end);
  return out;
}

bool matches(const char* at, const char* end, std::string_view text) noexcept {
  return static_cast<std::size_t>(end - at) >= text.size() && std::memcmp(at, text.data(), text.size()) == 0;
}

/// Whether an odd number of backslashes stands before `at`.
bool escaped(const char* begin, const char* at) noexcept {
  const char* first = at;
  while (first != begin && first[-1] == '\\') --first;
  return (at - first) % 2 != 0;
}

}  // namespace

Result<std::unique_ptr<LineSplitter>, std::string> TextSplitter::make(const LineFormat& format, LineParts& parts) {
  auto text = format.layout;
  if (text.size() > kLongestLayout) return std::string("the description of lines is longer than 8 KiB");
  auto out = std::make_unique<TextSplitter>();
  for (auto literal = take_literal(text); !text.empty(); literal = take_literal(text)) {
    text.remove_prefix(1);
    const auto name = take_name(text);
    if (name.empty()) return std::string("a '$' without the name of a variable behind it");
    if (!out->pieces_.empty() && literal.empty())
      return "nothing between $" + parts.all.back().name + " and $" + std::string(name) + " tells where one ends";
    const auto own =
        std::find_if(format.parts.begin(), format.parts.end(), [&](const LinePart& part) { return part.name == name; });
    const auto meaning =
        own != format.parts.end() ? NamedMeaning{own->meaning, std::string(own->text)} : meaning_of_variable(name);
    if (!parts.add(name, meaning.meaning, meaning.text)) return std::string("more than 128 variables");
    const bool list = name.starts_with("upstream_") || meaning.meaning == Meaning::forwarded_for;
    out->pieces_.push_back({std::move(literal), false, list});
    out->behind_.clear();
    if (text.empty()) break;
    const auto next = text.find('$');
    if (next == text.npos) {
      out->behind_ = take_literal(text);
      break;
    }
  }
  auto& pieces = out->pieces_;
  if (pieces.empty())
    return std::string("it names no variable, as in '$remote_addr [$time_local] \"$request\" $status'");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& behind = i + 1 < pieces.size() ? pieces[i + 1].before : out->behind_;
    pieces[i].quoted = pieces[i].before.ends_with('"') && behind.starts_with('"');
  }
  return std::unique_ptr<LineSplitter>(std::move(out));
}

/// Where the part that begins at `at` ends; null: what must be behind it is not there.
char* TextSplitter::end_of(const Piece& piece, std::string_view behind, char* at, char* end) const noexcept {
  if (behind.empty()) return end;
  for (char* from = at;;) {
    auto* const found = static_cast<char*>(std::memchr(from, behind.front(), static_cast<std::size_t>(end - from)));
    if (found == nullptr) return nullptr;
    const bool of_part = piece.quoted ? escaped(at, found) : piece.list && found != at && found[-1] == ',';
    if (!of_part && matches(found, end, behind)) return found;
    from = found + 1;
  }
}

const char* TextSplitter::split(char* begin, char* end, LineCells& cells) {
  const bool escapes = std::memchr(begin, '\\', static_cast<std::size_t>(end - begin)) != nullptr;
  char* at = begin;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& piece = pieces_[i];
    if (i == 0 && !matches(at, end, piece.before)) return "it does not begin as the format says";
    at += piece.before.size();
    const std::string_view behind = i + 1 < pieces_.size() ? pieces_[i + 1].before : behind_;
    char* const last = end_of(piece, behind, at, end);
    if (last == nullptr) return "it ends before the format does";
    cells.at[i] = {at, static_cast<std::size_t>((escapes ? unescape(at, last) : last) - at)};
    at = last;
  }
  cells.rest = at + behind_.size() != end;
  return nullptr;
}

}  // namespace headgate::access_logs
