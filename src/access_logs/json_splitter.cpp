#include "json_splitter.hpp"

#include "escapes.hpp"
#include "part_names.hpp"

#include <algorithm>
#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr int kDeepest = 32;

bool blank(char c) noexcept { return c == ' ' || c == '\t'; }

bool in_literal(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
}

}  // namespace

/// A line, and how far it is read.
struct JsonSplitter::Walk {
  char* at;
  char* end;
  LineCells& cells;
  std::size_t member = 0;                ///< how many there were
  std::array<char, kLongestName> way{};  ///< the names of the objects around, each with a dot behind it
  std::size_t way_size = 0;

  bool next_is(char c) noexcept {
    while (at != end && blank(*at)) ++at;
    return at != end && *at == c;
  }
  bool take(char c) noexcept {
    if (!next_is(c)) return false;
    ++at;
    return true;
  }
  /// A string with its escapes, behind its first quote; null: it does not end.
  char* string_end() noexcept {
    for (char* from = at;;) {
      auto* const quote = static_cast<char*>(std::memchr(from, '"', static_cast<std::size_t>(end - from)));
      if (quote == nullptr) return nullptr;
      const char* first = quote;
      while (first != at && first[-1] == '\\') --first;
      if ((quote - first) % 2 == 0) return quote;
      from = quote + 1;
    }
  }
};

JsonSplitter::JsonSplitter(const LineFormat& format, const std::vector<std::string>& values, LineParts& parts)
    : parts_(parts), general_(format.general) {
  for (const auto& part : format.parts) {
    if (part.meaning == Meaning::fields) {
      field_ways_.emplace_back(part.name);
    } else if (parts.add(part.name, part.meaning, part.text)) {
      numbers_.emplace(part.name, static_cast<int>(parts.all.size()) - 1);
    }
  }
  for (const auto& name : values) {
    if (numbers_.contains(name)) continue;
    const auto known = general_ ? meaning_of_word(name).value_or(NamedMeaning{}) : NamedMeaning{};
    if (parts.add(name, known.meaning, known.text)) numbers_.emplace(name, static_cast<int>(parts.all.size()) - 1);
  }
}

const char* JsonSplitter::split(char* begin, char* end, LineCells& cells) {
  std::fill_n(cells.at.begin(), parts_.all.size(), std::string_view());
  Walk walk{.at = begin, .end = end, .cells = cells};
  if (!walk.take('{')) return "it is no JSON object";
  if (!object(walk, 1)) return "it is no valid JSON object, or one that is cut off or too deep";
  while (walk.at != end && blank(*walk.at)) ++walk.at;
  return walk.at == end ? nullptr : "it has more behind its JSON object";
}

bool JsonSplitter::object(Walk& walk, int depth) {
  if (walk.take('}')) return true;
  do {
    if (!walk.take('"')) return false;
    char* const name_end = walk.string_end();
    if (name_end == nullptr) return false;
    const std::string_view name(walk.at, static_cast<std::size_t>(name_end - walk.at));
    walk.at = name_end + 1;
    if (!walk.take(':')) return false;
    const auto& member = member_of(walk, name);
    if (!value(walk, member, name, depth)) return false;
  } while (walk.take(','));
  return walk.take('}');
}

bool JsonSplitter::value(Walk& walk, const Member& member, std::string_view name, int depth) {
  if (walk.take('"')) {
    char* const end = walk.string_end();
    if (end == nullptr) return false;
    char* const begin = walk.at;
    walk.at = end + 1;
    if (member.part == kNoPart && member.field_at == kNoField) return true;
    const std::string_view text(begin, static_cast<std::size_t>(unescape(begin, end) - begin));
    if (member.part != kNoPart) walk.cells.at[static_cast<std::size_t>(member.part)] = text;
    if (member.field_at != kNoField && walk.cells.fields_count < LineCells::kMaxFields)
      walk.cells.fields[walk.cells.fields_count++] = {http::Known::unknown, name.substr(member.field_at), text};
    return true;
  }
  if (walk.next_is('{')) {
    const auto before = walk.way_size;
    if (depth == kDeepest) return false;
    if (before + name.size() + 1 > walk.way.size()) return skip(walk);
    ++walk.at;
    std::memcpy(walk.way.data() + before, name.data(), name.size());
    walk.way[before + name.size()] = '.';
    walk.way_size = before + name.size() + 1;
    const bool read = object(walk, depth + 1);
    walk.way_size = before;
    return read;
  }
  if (walk.take('[')) {
    if (walk.take(']')) return true;
    if (depth == kDeepest || !value(walk, member, name, depth + 1)) return false;
    while (walk.take(','))
      if (!skip(walk)) return false;
    return walk.take(']');
  }
  char* const begin = walk.at;
  while (walk.at != walk.end && in_literal(*walk.at)) ++walk.at;
  const std::string_view literal(begin, static_cast<std::size_t>(walk.at - begin));
  if (member.part != kNoPart && literal != "null" && literal != "false")
    walk.cells.at[static_cast<std::size_t>(member.part)] = literal;
  return !literal.empty();
}

/// One value, in which nothing is looked for: only its brackets are counted.
bool JsonSplitter::skip(Walk& walk) {
  std::size_t open = 0;
  do {
    while (walk.at != walk.end && blank(*walk.at)) ++walk.at;
    if (walk.at == walk.end) return false;
    const char c = *walk.at;
    if (c == '"') {
      ++walk.at;
      char* const end = walk.string_end();
      if (end == nullptr) return false;
      walk.at = end + 1;
    } else if (c == '{' || c == '[') {
      ++open;
      ++walk.at;
    } else if (c == '}' || c == ']') {
      if (open == 0) return false;
      --open;
      ++walk.at;
    } else if (c == ',' || c == ':') {
      if (open == 0) return false;
      ++walk.at;
    } else {
      if (!in_literal(c)) return false;
      while (walk.at != walk.end && in_literal(*walk.at)) ++walk.at;
    }
  } while (open > 0);
  return true;
}

/// The member with this name of the object that is read.
const JsonSplitter::Member& JsonSplitter::member_of(Walk& walk, std::string_view name) {
  const std::string_view way(walk.way.data(), walk.way_size);
  auto& member = members_[walk.member++ % kRemembered];
  if (member.name_at == way.size() && member.way.size() == way.size() + name.size() &&
      name == std::string_view(member.way).substr(way.size()) && member.way.starts_with(way))
    return member;
  member.way.assign(way);
  member.way.append(name);
  member.name_at = way.size();
  member.part = part_of(member.way);
  member.field_at = kNoField;
  for (const auto& begin : field_ways_)
    if (begin.size() >= way.size() && member.way.size() > begin.size() && member.way.starts_with(begin))
      member.field_at = begin.size() - way.size();
  return member;
}

int JsonSplitter::part_of(const std::string& way) {
  if (const auto at = numbers_.find(way); at != numbers_.end()) return at->second;
  if (!general_ || way.size() > kLongestName) return kNoPart;
  const auto known = meaning_of_word(way);
  if (!known || !parts_.add(way, known->meaning, known->text)) return kNoPart;
  const auto number = static_cast<int>(parts_.all.size()) - 1;
  numbers_.emplace(way, number);
  return number;
}

}  // namespace headgate::access_logs
