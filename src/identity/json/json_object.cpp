#include "json_object.hpp"

#include "headgate/core/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <utility>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;

constexpr std::size_t kTypicalMembers = 12;  // number of members in a typical set of claims

/// Collects members from a JsonReader.
class MemberReader {
 public:
  /// `paths` is the list to which members of nested objects are added; null if they are not wanted.
  MemberReader(std::string_view json, std::vector<JsonMember>* paths) noexcept
      : json_(json, kMaxJsonDepth), paths_(paths) {}

  bool read(std::vector<JsonMember>& members) {
    members.reserve(kTypicalMembers);
    return json_.object([&] { return json_.text(members.emplace_back().name); },
                        [&] { return value(members.back()); }) &&
           json_.at_end();
  }

 private:
  bool value(JsonMember& member) {
    switch (json_.next()) {
      case JsonKind::text:
        member.kind = Kind::text;
        return json_.text(member.text);
      case JsonKind::list:
        return list(member);
      case JsonKind::number:
        return number(member);
      case JsonKind::boolean: {
        bool written = false;
        if (!json_.boolean(written)) return false;
        member.kind = Kind::boolean;
        member.text = written ? "true" : "false";
        return true;
      }
      case JsonKind::object:
        return paths_ != nullptr ? members_of(member.name) : json_.pass();
      default:
        return json_.pass();
    }
  }

  /// Collects the members of the next object, whose path is `path`.
  bool members_of(const std::string& path) {
    return json_.object([&] { return json_.text(name_); },
                        [&] {
                          if (path.size() + 1 + name_.size() > kMaxPath) return json_.pass();
                          JsonMember member;
                          member.name.append(path).append(1, '.').append(name_);
                          if (!value(member)) return false;
                          paths_->push_back(std::move(member));
                          return true;
                        });
  }

  bool list(JsonMember& member) {
    member.kind = Kind::texts;
    json_.next();
    const auto whole = json_.rest();
    const bool read = json_.list([&] {
      if (member.kind == Kind::texts && json_.next() == JsonKind::text) return json_.text(member.texts.emplace_back());
      member.kind = Kind::other;
      member.texts.clear();
      return json_.pass();
    });
    if (member.kind == Kind::other && paths_ != nullptr)
      member.text = whole.substr(0, whole.size() - json_.rest().size());
    return read;
  }

  bool number(JsonMember& member) {
    std::string_view written;
    if (!json_.number(written)) return false;
    const auto* const end = written.data() + written.size();
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

  JsonReader json_;
  std::vector<JsonMember>* paths_;
  std::string name_;  // name of the current member
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
  if (!MemberReader(json, nullptr).read(members) || !names_differ(members)) return std::nullopt;
  return members;
}

std::optional<std::vector<JsonMember>> read_json_paths(std::string_view json) {
  std::vector<JsonMember> members;
  std::vector<JsonMember> paths;
  if (!MemberReader(json, &paths).read(members) || !names_differ(members)) return std::nullopt;
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
