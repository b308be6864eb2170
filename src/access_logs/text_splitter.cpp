#include "text_splitter.hpp"

#include "escapes.hpp"
#include "part_names.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kLongestLayout = 8192;

bool in_name(char c) noexcept { return is_alnum(c, "_"); }

/// Takes the name of the variable at the front of `text`, after its '$'; empty if there is none.
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

/// Takes the text before the next variable from `text`. "\t" is a tab, as in nginx.
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

/// Returns whether the line continues with `text` at `at`. Compares bytes, because the texts are short, and a call of
/// memcmp would take longer.
bool matches(const char* at, const char* end, std::string_view text) noexcept {
  if (static_cast<std::size_t>(end - at) < text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (at[i] != text[i]) return false;
  return true;
}

/// Returns whether an odd number of backslashes precedes `at`.
bool escaped(const char* begin, const char* at) noexcept {
  const char* first = at;
  while (first != begin && first[-1] == '\\') --first;
  return (at - first) % 2 != 0;
}

/// Returns whether the blank at `at` is inside of a list. nginx writes "a, b" for several servers that it tried, and "a
/// : b" if the second one is of another group.
bool goes_on(const char* begin, const char* at, const char* end) noexcept {
  return (at != begin && (at[-1] == ',' || at[-1] == ':')) || (end - at > 1 && at[1] == ':');
}

}  // namespace

Result<std::unique_ptr<LineSplitter>, std::string> TextSplitter::make(const LineFormat& format, LineParts& parts) {
  auto text = format.layout;
  if (text.size() > kLongestLayout) return std::string("the description of lines is longer than 8 KiB");
  auto out = std::make_unique<TextSplitter>();
  out->before_ = take_literal(text);
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto name = take_name(text);
    if (name.empty()) return std::string("a '$' without the name of a variable behind it");
    const auto own =
        std::find_if(format.parts.begin(), format.parts.end(), [&](const LinePart& part) { return part.name == name; });
    const auto meaning =
        own != format.parts.end() ? NamedMeaning{own->meaning, std::string(own->text)} : meaning_of_variable(name);
    if (!parts.add(name, meaning.meaning, meaning.text)) return std::string("more than 128 variables");
    const auto& before = out->pieces_.empty() ? out->before_ : out->pieces_.back().behind;
    const bool quote = before.ends_with('"');
    auto behind = take_literal(text);
    if (behind.empty() && !text.empty()) return "nothing behind $" + std::string(name) + " tells where it ends";
    const bool quoted = quote && behind.starts_with('"');
    const bool list = name.starts_with("upstream_") || meaning.meaning == Meaning::forwarded_for;
    out->pieces_.push_back({std::move(behind), quoted, list});
  }
  if (out->pieces_.empty())
    return std::string("it names no variable, as '$remote_addr [$time_local] \"$request\" $status' does");
  return std::unique_ptr<LineSplitter>(std::move(out));
}

/// Returns the end of the part that begins at `at`; null if the line lacks the text that must follow the part.
char* TextSplitter::end_of(const Piece& piece, char* at, char* end) noexcept {
  const std::string_view behind = piece.behind;
  if (behind.empty()) return end;
  for (char* from = at;;) {
    auto* const found = static_cast<char*>(std::memchr(from, behind.front(), static_cast<std::size_t>(end - from)));
    if (found == nullptr) return nullptr;
    const bool of_part = piece.quoted ? escaped(at, found) : piece.list && goes_on(at, found, end);
    if (!of_part && matches(found, end, behind)) return found;
    from = found + 1;
  }
}

const char* TextSplitter::split(char* begin, char* end, LineCells& cells) {
  const bool escapes = std::memchr(begin, '\\', static_cast<std::size_t>(end - begin)) != nullptr;
  if (!matches(begin, end, before_)) return "it does not begin as the format says";
  char* at = begin + before_.size();
  auto* cell = cells.at.data();
  for (const auto& piece : pieces_) {
    char* const last = end_of(piece, at, end);
    if (last == nullptr) return "it ends before the format does";
    *cell++ = {at, static_cast<std::size_t>((escapes ? unescape(at, last) : last) - at)};
    at = last + piece.behind.size();
  }
  cells.rest = at != end;
  return nullptr;
}

}  // namespace headgate::access_logs
