#include "headgate/core/json_walk.hpp"

#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <charconv>

namespace headgate {
namespace {

std::string_view words_for(JsonKind kind) noexcept {
  static constexpr WordsUpTo<JsonKind::nothing> kWords(
      {"an object", "a list", "a text", "a number", "true or false", "null", "what begins no value"});
  return kWords[kind];
}

}  // namespace

std::string to_text(const JsonMistake& mistake) {
  std::string text = std::to_string(mistake.line) + ':' + std::to_string(mistake.column) + ": " + mistake.message;
  if (!mistake.pointer.empty()) text += " [" + mistake.pointer + ']';
  if (!mistake.help.empty()) text += "; " + mistake.help;
  return text;
}

bool JsonWalk::begin(JsonKind kind) {
  if (next() != kind) return refuse_kind(words_for(kind));
  begin_ = here();
  return true;
}

bool JsonWalk::member_name(std::unordered_set<std::string>& names, std::string& name) {
  if (next() != JsonKind::text) return refuse_at(here(), "expected a member's name in double quotes", help_here());
  if (!text(name)) return false;
  if (names.contains(name))
    return refuse("this member stands twice", "remove one of the two: readers differ on which of them counts");
  if (names.size() == most_members_)
    return refuse("more than " + std::to_string(most_members_) + " members", "remove some");
  names.insert(name);
  return true;
}

bool JsonWalk::refuse_fault(char close) {
  const auto fault = json_.fault();
  if (fault == JsonFault::colon) return refuse_at(here(), "expected ':' and a value", help_here());
  if (fault == JsonFault::separator)
    return refuse_at(here(), std::string("expected ',' or '") + close + '\'', help_here());
  if (fault == JsonFault::comma)
    return refuse_at(text_.rfind(',', here()), std::string("nothing follows this ',' but '") + close + '\'',
                     "remove the comma");
  return false;  // the mistake was recorded where it was found
}

bool JsonWalk::text(std::string& out) {
  if (!begin(JsonKind::text)) return false;
  if (json_.text(out)) return true;
  if (json_.fault() == JsonFault::unended) return refuse("this text does not end", "close it with '\"'");
  if (json_.fault() == JsonFault::control)
    return refuse_at(json_.passed(), "a control character or the end of a line inside a text", "write it as \\n");
  return refuse("this text has an escape that JSON does not have, or is not UTF-8");
}

bool JsonWalk::boolean(bool& out) {
  if (!begin(JsonKind::boolean)) return false;
  return json_.boolean(out) || refuse("expected true or false");
}

bool JsonWalk::number(std::string_view& out) {
  if (!begin(JsonKind::number)) return false;
  return json_.number(out) || refuse("this is not a number as JSON writes them", "write it like 2.5");
}

bool JsonWalk::pass() {
  begin_ = here();
  return json_.pass() || refuse("this value is not valid JSON");
}

bool JsonWalk::whole_number(std::uint64_t& out, std::uint64_t least, std::uint64_t most) {
  if (next() != JsonKind::number) return refuse_kind("a whole number");
  begin_ = here();
  const auto written = json_.word();
  const char* const end = written.data() + written.size();
  const auto read = std::from_chars(written.data(), end, out);
  const bool spelt = read.ptr == end && (written.size() == 1 || written.front() != '0');
  if (spelt && read.ec == std::errc{} && out >= least && out <= most) return true;
  return refuse("expected a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                "write it with digits alone");
}

bool JsonWalk::end() {
  return json_.at_end() || refuse_at(here(), "nothing may follow the file's one object", help_here());
}

std::string JsonWalk::help_here() const {
  if (is('/') || is('#')) return std::string(comment_help_);
  if (json_.rest().starts_with("\xef\xbb\xbf")) return "save the file without a byte order mark";
  if (is('\'')) return "write texts in double quotes";
  return {};
}

bool JsonWalk::refuse(std::string message, std::string help) {
  return keep(begin_, pointer_, std::move(message), std::move(help));
}

bool JsonWalk::refuse_member(std::string message, std::string help) {
  const auto parent = std::string_view(pointer_).substr(0, pointer_.rfind('/'));
  return keep(begin_, parent, std::move(message), std::move(help));
}

bool JsonWalk::refuse_at(std::size_t place, std::string message, std::string help) {
  return keep(place, pointer_, std::move(message), std::move(help));
}

bool JsonWalk::refuse_kind(std::string_view expected) {
  const auto found = json_.at_end() ? "the end of the file" : words_for(next());
  return refuse_at(here(), "expected " + std::string(expected) + ", found " + std::string(found), help_here());
}

bool JsonWalk::keep(std::size_t place, std::string_view pointer, std::string message, std::string help) {
  if (mistake_) return false;
  const auto before = text_.substr(0, place);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = lines == 0 ? 0 : before.rfind('\n') + 1;
  mistake_ = JsonMistake{.line = lines + 1,
                         .column = place - line_start + 1,
                         .pointer = std::string(pointer),
                         .message = std::move(message),
                         .help = std::move(help)};
  return false;
}

}  // namespace headgate
