#include "json_object.hpp"

#include "../json_cursor.hpp"

#include "headgate/core/json_spelling.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;

constexpr std::size_t kTypicalMembers = 12;  // of a set of claims

/// Each function takes something and is false if it is not there or not JSON. There is no going on after that.
class Reader {
 public:
  explicit Reader(std::string_view json) noexcept : json_(json) {}

  bool object(std::vector<JsonMember>& members) {
    members.reserve(kTypicalMembers);
    if (!json_.take('{')) return false;
    if (!json_.take('}')) {
      do {
        auto& member = members.emplace_back();
        if (!string(member.name) || !json_.take(':') || !value(member)) return false;
      } while (json_.take(','));
      if (!json_.take('}')) return false;
    }
    return json_.at_end();
  }

 private:
  bool value(JsonMember& member) {
    switch (json_.next()) {
      case JsonKind::text:
        member.kind = Kind::text;
        return string(member.text);
      case JsonKind::list:
        return list(member);
      case JsonKind::number:
        return number(member);
      case JsonKind::boolean:
        member.kind = Kind::boolean;
        member.text = json_.word();
        return member.text == "true" || member.text == "false";
      default:
        member.kind = Kind::other;
        return pass(2);
    }
  }

  bool list(JsonMember& member) {
    member.kind = Kind::texts;
    json_.take('[');
    if (json_.take(']')) return true;
    do {
      if (member.kind == Kind::texts && json_.next() == JsonKind::text) {
        if (!string(member.texts.emplace_back())) return false;
        continue;
      }
      member.kind = Kind::other;
      member.texts.clear();
      if (!pass(3)) return false;
    } while (json_.take(','));
    return json_.take(']');
  }

  bool string(std::string& out) { return json_.next() == JsonKind::text && json_.string(out) == JsonString::taken; }

  /// A number beyond what a double holds is refused, for readers differ on what it is.
  bool number(JsonMember& member) {
    const auto written = json_.word();
    const auto* const end = written.data() + written.size();
    if (!is_json_number(written)) return false;
    const auto whole = [&](auto read) {
      const auto [stop, error] = std::from_chars(written.data(), end, read);
      if (error != std::errc{} || stop != end) return false;
      member.kind = Kind::integer;
      member.text = std::to_string(read);
      member.number = static_cast<double>(read);
      return true;
    };
    if (written.front() == '-' ? whole(std::int64_t{}) : whole(std::uint64_t{})) return true;
    member.kind = Kind::fraction;
    return std::from_chars(written.data(), end, member.number).ec == std::errc{};
  }

  /// Takes a value of any kind and keeps nothing of it. `depth` is what it has if it holds others.
  bool pass(int depth) {
    switch (json_.next()) {
      case JsonKind::text:
        return string(passed_.text);
      case JsonKind::number:
        return number(passed_);
      case JsonKind::boolean: {
        const auto word = json_.word();
        return word == "true" || word == "false";
      }
      case JsonKind::null:
        return json_.word() == "null";
      case JsonKind::object:
      case JsonKind::list:
        return depth <= kMaxJsonDepth && pass_members(depth);
      case JsonKind::nothing:
        break;
    }
    return false;
  }

  bool pass_members(int depth) {
    const bool object = json_.take('{');
    const char close = object ? '}' : ']';
    if (!object) json_.take('[');
    if (json_.take(close)) return true;
    do {
      if (object && (!string(passed_.text) || !json_.take(':'))) return false;
      if (!pass(depth + 1)) return false;
    } while (json_.take(','));
    return json_.take(close);
  }

  JsonCursor json_;
  JsonMember passed_;  // room for what is passed over
};

bool names_differ(const std::vector<JsonMember>& members) {
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const auto& member : members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

}  // namespace

std::optional<std::vector<JsonMember>> read_json_object(std::string_view json) {
  std::vector<JsonMember> members;
  if (!Reader(json).object(members) || !names_differ(members)) return std::nullopt;
  return members;
}

const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept {
  for (const auto& member : members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

}  // namespace headgate::identity
