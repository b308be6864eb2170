#include "json_cursor.hpp"

#include "headgate/core/json_spelling.hpp"
#include "headgate/core/utf8.hpp"

#include <array>

namespace headgate::identity {
namespace {

/// What stands for itself in a string, whatever is beside it.
constexpr auto kStandsForItself = [] {
  std::array<bool, 256> in{};
  for (unsigned char c = 0x20; c < 0x7f; ++c) in[c] = c != '"' && c != '\\';
  return in;
}();

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr bool in_word(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

}  // namespace

void JsonCursor::skip_blanks() noexcept {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (at_ < json_.size() && blank(json_[at_])) ++at_;
}

JsonKind JsonCursor::next() noexcept {
  skip_blanks();
  switch (at_ < json_.size() ? json_[at_] : '\0') {
    case '{':
      return JsonKind::object;
    case '[':
      return JsonKind::list;
    case '"':
      return JsonKind::text;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case 'n':
      return JsonKind::null;
    case '\0':
      return JsonKind::nothing;
    default:
      return is('-') || is_digit(json_[at_]) ? JsonKind::number : JsonKind::nothing;
  }
}

bool JsonCursor::take(char c) noexcept {
  skip_blanks();
  if (!is(c)) return false;
  ++at_;
  return true;
}

bool JsonCursor::at_end() noexcept {
  skip_blanks();
  return at_ == json_.size();
}

JsonString JsonCursor::string(std::string& out) {
  const auto begin = ++at_;
  while (at_ < json_.size() && kStandsForItself[static_cast<unsigned char>(json_[at_])]) ++at_;
  out.assign(json_, begin, at_ - begin);
  while (!is('"')) {
    if (at_ >= json_.size()) return JsonString::unended;
    if (static_cast<unsigned char>(json_[at_]) < 0x20) return JsonString::control;
    if (is('\\')) {
      auto rest = json_.substr(at_);
      if (take_json_escape(rest, out) != JsonEscape::taken)
        return rest.empty() ? JsonString::unended : JsonString::unreadable;
      at_ = json_.size() - rest.size();
    } else {
      const auto length = character_length(json_, at_);
      if (length == 0) return JsonString::unreadable;
      out.append(json_, at_, length);
      at_ += length;
    }
  }
  ++at_;
  return JsonString::taken;
}

std::string_view JsonCursor::word() noexcept {
  const auto begin = at_;
  while (at_ < json_.size() && in_word(json_[at_])) ++at_;
  return json_.substr(begin, at_ - begin);
}

}  // namespace headgate::identity
