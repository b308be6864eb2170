#include "json_object.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace headgate::identity {
namespace {

using Json = nlohmann::json;
using Kind = JsonMember::Kind;

constexpr std::size_t kUsual = 12;  // members of a set of claims

/// Takes the parser's events; each returns false to end the parse. No tree is built, so a deep one costs nothing.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  std::vector<JsonMember> members;

  Reader() { members.reserve(kUsual); }

  bool null() override { return value(Kind::other); }
  bool boolean(bool set) override { return value(Kind::boolean, set ? "true" : "false"); }
  bool number_integer(std::int64_t number) override {
    return value(Kind::integer, depth_ == 1 ? std::to_string(number) : "", static_cast<double>(number));
  }
  bool number_unsigned(std::uint64_t number) override {
    return value(Kind::integer, depth_ == 1 ? std::to_string(number) : "", static_cast<double>(number));
  }
  bool number_float(double number, const std::string&) override { return value(Kind::fraction, "", number); }
  bool binary(Json::binary_t&) override { return false; }

  bool string(std::string& text) override {
    if (depth_ == 2 && in_list_) {
      members.back().texts.push_back(std::move(text));
      return true;
    }
    return value(Kind::text, std::move(text));
  }

  bool key(std::string& name) override {
    if (depth_ == 1) members.emplace_back().name = std::move(name);
    return true;
  }
  bool start_object(std::size_t) override {
    if (depth_ > 0) value(Kind::other);
    return ++depth_ <= kMaxJsonDepth;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return false;
    value(Kind::texts);
    if (depth_ == 1) in_list_ = true;
    return ++depth_ <= kMaxJsonDepth;
  }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  /// A value that is not a string within a list. False where it would be the root.
  bool value(Kind kind, std::string text = {}, double number = 0) {
    if (depth_ == 0) return false;
    if (depth_ == 1) {
      auto& member = members.back();
      member.kind = kind;
      member.text = std::move(text);
      member.number = number;
    } else if (in_list_) {
      members.back().kind = Kind::other;
      members.back().texts.clear();
      in_list_ = false;
    }
    return true;
  }

  bool end() {
    if (--depth_ == 1) in_list_ = false;
    return true;
  }

  int depth_ = 0;
  bool in_list_ = false;  // in an array that is a member's value and has held only strings so far
};

bool names_differ(const std::vector<JsonMember>& members) {
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const auto& member : members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

}  // namespace

bool is_plain_text(std::string_view json) noexcept {
  return json.find('\0') == json.npos && !json.starts_with("\xef\xbb\xbf");
}

std::optional<std::vector<JsonMember>> read_json_object(std::string_view json) {
  if (!is_plain_text(json)) return std::nullopt;
  Reader reader;
  if (!Json::sax_parse(json.begin(), json.end(), &reader)) return std::nullopt;
  if (!names_differ(reader.members)) return std::nullopt;
  return std::move(reader.members);
}

const JsonMember* find_member(const std::vector<JsonMember>& members, std::string_view name) noexcept {
  for (const auto& member : members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

}  // namespace headgate::identity
