#include "json_walk.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace headgate::identity {
namespace {

std::string_view name_of(JsonKind kind) noexcept {
  switch (kind) {
    case JsonKind::object:
      return "an object";
    case JsonKind::list:
      return "a list";
    case JsonKind::text:
      return "a text";
    case JsonKind::number:
      return "a number";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::null:
      return "null";
    case JsonKind::nothing:
      break;
  }
  return "what begins no value";
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

void JsonWalk::skip_space() noexcept { at_ = std::min(json_.find_first_not_of(" \t\r\n", at_), json_.size()); }

JsonKind JsonWalk::next() noexcept {
  skip_space();
  if (at_ == json_.size()) return JsonKind::nothing;
  const char c = json_[at_];
  if (c == '{') return JsonKind::object;
  if (c == '[') return JsonKind::list;
  if (c == '"') return JsonKind::text;
  if (c == 't' || c == 'f') return JsonKind::boolean;
  if (c == 'n') return JsonKind::null;
  return c == '-' || is_digit(c) ? JsonKind::number : JsonKind::nothing;
}

std::size_t JsonWalk::here() noexcept {
  skip_space();
  return at_;
}

bool JsonWalk::open(JsonKind kind) {
  if (next() != kind) return refuse_kind(name_of(kind));
  begin_ = at_++;
  return true;
}

bool JsonWalk::another(char close, std::size_t before) {
  skip_space();
  if (is(close)) {
    ++at_;
    return false;
  }
  if (before == 0) return true;
  if (!is(',')) return refuse_at(at_, std::string("expected ',' or '") + close + '\'', help_here());
  const std::size_t comma = at_++;
  skip_space();
  if (!is(close)) return true;
  return refuse_at(comma, std::string("nothing follows this ',' but '") + close + '\'', "remove the comma");
}

bool JsonWalk::member_name(std::string& name, const std::vector<std::string>& before) {
  if (next() != JsonKind::text) return refuse_at(at_, "expected a member's name in double quotes", help_here());
  if (!text(name)) return false;
  if (std::find(before.begin(), before.end(), name) != before.end())
    return refuse("this member stands twice", "remove one of the two: readers differ on which of them counts");
  if (before.size() == kMaxMembers) return refuse("more than 64 members", "remove some");
  skip_space();
  if (!is(':')) return refuse_at(at_, "expected ':' and a value", help_here());
  ++at_;
  return true;
}

bool JsonWalk::text(std::string& out) {
  if (next() != JsonKind::text) return refuse_kind("a text");
  begin_ = at_;
  bool plain = true;  // what it says is what it is written as
  for (++at_; !is('"'); ++at_) {
    if (at_ >= json_.size()) return refuse("this text does not end", "close it with '\"'");
    const auto byte = static_cast<unsigned char>(json_[at_]);
    if (byte < 0x20) return refuse_at(at_, "a control character or the end of a line inside a text", "write it as \\n");
    plain = plain && byte != '\\' && byte < 0x80;
    if (byte == '\\') ++at_;
  }
  const auto written = json_.substr(begin_, ++at_ - begin_);
  if (plain) {
    out = written.substr(1, written.size() - 2);
    return true;
  }
  auto read = nlohmann::json::parse(written, nullptr, false);
  if (!read.is_string()) return refuse("this text has an escape that JSON does not have, or is not UTF-8");
  out = std::move(read.get_ref<std::string&>());
  return true;
}

/// Letters, digits and what else may stand in a number.
std::string_view JsonWalk::word() noexcept {
  begin_ = at_;
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '+' || c == '-' || c == '.';
  };
  while (at_ < json_.size() && in_word(json_[at_])) ++at_;
  return json_.substr(begin_, at_ - begin_);
}

bool JsonWalk::boolean(bool& out) {
  if (next() != JsonKind::boolean) return refuse_kind("true or false");
  const auto written = word();
  if (written != "true" && written != "false") return refuse("expected true or false");
  out = written == "true";
  return true;
}

bool JsonWalk::whole_number(std::uint64_t& out, std::uint64_t least, std::uint64_t most) {
  if (next() != JsonKind::number) return refuse_kind("a whole number");
  const auto written = word();
  const char* const end = written.data() + written.size();
  const auto read = std::from_chars(written.data(), end, out);
  const bool spelt = read.ptr == end && (written.size() == 1 || written.front() != '0');
  if (spelt && read.ec == std::errc{} && out >= least && out <= most) return true;
  return refuse("expected a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                "write it with digits alone");
}

bool JsonWalk::end() {
  skip_space();
  return at_ == json_.size() || refuse_at(at_, "nothing may follow the file's one object", help_here());
}

std::string JsonWalk::help_here() const {
  if (is('/') || is('#')) return R"(JSON has no comments; a key may have a "note")";
  if (json_.substr(at_).starts_with("\xef\xbb\xbf")) return "save the file without a byte order mark";
  if (is('\'')) return "write texts in double quotes";
  return {};
}

void JsonWalk::descend(std::string_view name) {
  pointer_ += '/';
  for (const char c : name) {  // RFC 6901 section 3
    if (c == '~') {
      pointer_ += "~0";
    } else if (c == '/') {
      pointer_ += "~1";
    } else {
      pointer_ += c;
    }
  }
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
  const auto found = next() == JsonKind::nothing && at_ == json_.size() ? "the end of the file" : name_of(next());
  return refuse_at(at_, "expected " + std::string(expected) + ", found " + std::string(found), help_here());
}

bool JsonWalk::keep(std::size_t place, std::string_view pointer, std::string message, std::string help) {
  if (mistake_) return false;
  const auto before = json_.substr(0, place);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = lines == 0 ? 0 : before.rfind('\n') + 1;
  mistake_ = KeyFileError{.line = lines + 1,
                          .column = place - line_start + 1,
                          .pointer = std::string(pointer),
                          .message = std::move(message),
                          .help = std::move(help)};
  return false;
}

}  // namespace headgate::identity
