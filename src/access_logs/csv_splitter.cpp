#include "csv_splitter.hpp"

#include "part_names.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr std::string_view kSeparators = ",;\t";

/// Reads the value at `at`, and moves `at` past it. In a value in quotes, two quotes become one in place. Returns false
/// if the closing quote is missing, or if other text follows it.
bool take_value(char*& at, char* end, char between, std::string_view& out) noexcept {
  if (at == end || *at != '"') {
    char* const begin = at;
    auto* const found = static_cast<char*>(std::memchr(at, between, static_cast<std::size_t>(end - at)));
    at = found == nullptr ? end : found;
    out = {begin, static_cast<std::size_t>(at - begin)};
    return true;
  }
  char* const begin = ++at;
  char* last = at;
  for (;; *last++ = *at++) {
    if (at == end) return false;
    if (*at != '"') continue;
    if (++at == end || *at != '"') break;
  }
  out = {begin, static_cast<std::size_t>(last - begin)};
  return at == end || *at == between;
}

}  // namespace

Result<std::unique_ptr<LineSplitter>, std::string> CsvSplitter::make(std::string_view header, LineParts& parts) {
  auto out = std::make_unique<CsvSplitter>();
  std::size_t most = 0;
  for (const char separator : kSeparators) {
    const auto count = static_cast<std::size_t>(std::count(header.begin(), header.end(), separator));
    if (count > most) out->between_ = separator;
    most = std::max(most, count);
  }
  std::string line(header);
  bool time = false, path = false;
  for (char* at = line.data();; ++at) {
    std::string_view name;
    if (!take_value(at, line.data() + line.size(), out->between_, name))
      return std::string("its first line is no list of names");
    name = trimmed(name);
    const auto known = meaning_of_word(name).value_or(NamedMeaning{});
    if (!parts.add(name, known.meaning, known.text)) return std::string("it has more than 128 columns");
    ++out->columns_;
    time = time || known.meaning == Meaning::began || known.meaning == Meaning::ended;
    path =
        path || known.meaning == Meaning::path || known.meaning == Meaning::target || known.meaning == Meaning::request;
    if (at == line.data() + line.size()) break;
  }
  if (!time) return std::string("its first line names no column for the time, as \"time\" does");
  if (!path) return std::string("its first line names no column for the path, as \"path\" does");
  return std::unique_ptr<LineSplitter>(std::move(out));
}

const char* CsvSplitter::split(char* begin, char* end, LineCells& cells) {
  char* at = begin;
  for (std::size_t i = 0; i < columns_; ++i) {
    if (!take_value(at, end, between_, cells.at[i])) return "a quote in it does not end";
    cells.at[i] = trimmed(cells.at[i]);
    if (at == end) return i + 1 == columns_ ? nullptr : "it has fewer columns than the first line";
    ++at;
  }
  return "it has more columns than the first line";
}

}  // namespace headgate::access_logs
