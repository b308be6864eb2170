#include "json_object.hpp"

#include "../json_cursor.hpp"

#include "headgate/core/json_spelling.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <utility>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;

constexpr std::size_t kTypicalMembers = 12;  // of a set of claims

/// Each function takes something and is false if it is not there or not JSON. There is no going on after that.
class Reader {
 public:
  /// `paths`: where members of objects in the object are kept; null: nowhere.
  Reader(std::string_view json, std::vector<JsonMember>* paths) noexcept : json_(json), paths_(paths) {}

  bool object(std::vector<JsonMember>& members) {
    members.reserve(kTypicalMembers);
    if (!json_.take('{')) return false;
    if (!json_.take('}')) {
      do {
        auto& member = members.emplace_back();
        if (!string(member.name) || !json_.take(':') || !value(member, 2)) return false;
      } while (json_.take(','));
      if (!json_.take('}')) return false;
    }
    return json_.at_end();
  }

 private:
  /// `depth` is what the value has if it holds others.
  bool value(JsonMember& member, int depth) {
    const auto kind = json_.next();
    switch (kind) {
      case JsonKind::text:
        member.kind = Kind::text;
        return string(member.text);
      case JsonKind::list:
        return depth <= kMaxJsonDepth && list(member, depth);
      case JsonKind::number:
        return number(member);
      case JsonKind::boolean:
        member.kind = Kind::boolean;
        member.text = json_.word();
        return member.text == "true" || member.text == "false";
      default:
        member.kind = Kind::other;
        if (kind == JsonKind::object && paths_ != nullptr)
          return depth <= kMaxJsonDepth && members_of(member.name, depth);
        return pass(depth);
    }
  }

  /// Keeps the members of the object that is next, whose path is `path`.
  bool members_of(const std::string& path, int depth) {
    json_.take('{');
    if (json_.take('}')) return true;
    do {
      JsonMember member;
      if (!string(passed_.text) || !json_.take(':')) return false;
      if (path.size() + 1 + passed_.text.size() > kMaxPath) {
        if (!pass(depth + 1)) return false;
        continue;
      }
      member.name.append(path).append(1, '.').append(passed_.text);
      if (!value(member, depth + 1)) return false;
      paths_->push_back(std::move(member));
    } while (json_.take(','));
    return json_.take('}');
  }

  bool list(JsonMember& member, int depth) {
    member.kind = Kind::texts;
    const auto whole = json_.rest();
    json_.take('[');
    if (json_.take(']')) return true;
    do {
      if (member.kind == Kind::texts && json_.next() == JsonKind::text) {
        if (!string(member.texts.emplace_back())) return false;
        continue;
      }
      member.kind = Kind::other;
      member.texts.clear();
      if (!pass(depth + 1)) return false;
    } while (json_.take(','));
    if (!json_.take(']')) return false;
    if (member.kind == Kind::other && paths_ != nullptr)
      member.text = whole.substr(0, whole.size() - json_.rest().size());
    return true;
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
    member.text = written;
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
  std::vector<JsonMember>* paths_;
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
  if (!Reader(json, nullptr).object(members) || !names_differ(members)) return std::nullopt;
  return members;
}

std::optional<std::vector<JsonMember>> read_json_paths(std::string_view json) {
  std::vector<JsonMember> members;
  std::vector<JsonMember> paths;
  if (!Reader(json, &paths).object(members) || !names_differ(members)) return std::nullopt;
  if (paths.empty()) return members;
  if (!names_differ(paths)) return std::nullopt;
  std::set<std::string, std::less<>> dotted;
  for (const auto& member : members)
    if (member.name.find('.') != std::string::npos) dotted.insert(member.name);
  for (auto& path : paths)
    if (!dotted.contains(path.name)) members.push_back(std::move(path));
  return members;
}

const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept {
  for (const auto& member : members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

}  // namespace headgate::identity
