#include "json_splitter.hpp"

#include "escapes.hpp"
#include "part_names.hpp"

#include "headgate/core/json_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace headgate::access_logs {
namespace {

constexpr unsigned kDeepest = 32;

/// Returns whether a literal stands for a missing value.
bool is_nothing(std::string_view literal) noexcept { return literal == "null" || literal == "false"; }

}  // namespace

/// The state of reading one line.
struct JsonSplitter::Walk {
  char* line;
  JsonReader json;
  LineCells& cells;
  std::size_t member = 0;  ///< number of members so far
  /// Path of the current object: the names of the enclosing objects, each followed by a dot.
  std::array<char, kLongestName> way{};
  std::size_t way_size = 0;

  Walk(char* begin, char* end, LineCells& out) noexcept
      : line(begin), json({begin, static_cast<std::size_t>(end - begin)}, kDeepest), cells(out) {}

  /// Returns the text with its escapes replaced in place.
  std::string_view plain(std::string_view raw) const noexcept {
    char* const begin = line + (raw.data() - line);
    return {begin, static_cast<std::size_t>(unescape(begin, begin + raw.size()) - begin)};
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
  Walk walk(begin, end, cells);
  if (walk.json.next() != JsonKind::object) return "it is no JSON object";
  if (!object(walk)) return "it is no valid JSON object, or one that is cut off or too deep";
  return walk.json.at_end() ? nullptr : "it has more behind its JSON object";
}

bool JsonSplitter::object(Walk& walk) {
  std::string_view name;
  return walk.json.object([&] { return walk.json.raw_text(name); },
                          [&] { return value(walk, member_of(walk, name), name); });
}

bool JsonSplitter::value(Walk& walk, const Member& member, std::string_view name) {
  switch (walk.json.next()) {
    case JsonKind::text: {
      std::string_view text;
      if (!walk.json.raw_text(text)) return false;
      if (member.part == kNoPart && member.field_at == kNoField) return true;
      text = walk.plain(text);
      if (member.part != kNoPart) walk.cells.at[static_cast<std::size_t>(member.part)] = text;
      if (member.field_at != kNoField && walk.cells.fields_count < LineCells::kMaxFields)
        walk.cells.fields[walk.cells.fields_count++] = {http::Known::unknown, name.substr(member.field_at), text};
      return true;
    }
    case JsonKind::object: {
      const auto before = walk.way_size;
      if (before + name.size() + 1 > walk.way.size()) return skip(walk);
      std::memcpy(walk.way.data() + before, name.data(), name.size());
      walk.way[before + name.size()] = '.';
      walk.way_size = before + name.size() + 1;
      const bool read = object(walk);
      walk.way_size = before;
      return read;
    }
    case JsonKind::list: {
      bool first = true;
      return walk.json.list([&] { return std::exchange(first, false) ? value(walk, member, name) : skip(walk); });
    }
    default: {
      const auto literal = walk.json.word();
      if (member.part != kNoPart && !is_nothing(literal))
        walk.cells.at[static_cast<std::size_t>(member.part)] = literal;
      return !literal.empty();
    }
  }
}

/// Skips a value that is not used.
bool JsonSplitter::skip(Walk& walk) {
  auto& json = walk.json;
  std::string_view ignored;
  switch (json.next()) {
    case JsonKind::text:
      return json.raw_text(ignored);
    case JsonKind::object:
      return json.object([&] { return json.raw_text(ignored); }, [&] { return skip(walk); });
    case JsonKind::list:
      return json.list([&] { return skip(walk); });
    default:
      return !json.word().empty();
  }
}

/// Returns the member with this name in the current object.
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
