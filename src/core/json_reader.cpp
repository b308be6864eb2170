#include "headgate/core/json_reader.hpp"

#include "json_plain.hpp"

#include "headgate/core/json_spelling.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace headgate {
namespace {

constexpr auto kInWord = [] {
  std::array<bool, 256> in{};
  for (const char c : std::string_view("+-.")) in[static_cast<unsigned char>(c)] = true;
  for (unsigned char c = '0'; c <= '9'; ++c) in[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) in[c] = in[c - 'a' + 'A'] = true;
  return in;
}();

bool in_range(std::string_view number) noexcept {
  constexpr std::size_t kSurely = 300;  // without an exponent, the number can then neither overflow nor underflow
  const auto exponent = [](char c) { return c == 'e' || c == 'E'; };
  if (number.size() <= kSurely && std::none_of(number.begin(), number.end(), exponent)) return true;
  double read = 0;
  return std::from_chars(number.data(), number.data() + number.size(), read).ec == std::errc{};
}

}  // namespace

JsonKind JsonReader::next() noexcept {
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
      return is('-') || (json_[at_] >= '0' && json_[at_] <= '9') ? JsonKind::number : JsonKind::nothing;
  }
}

bool JsonReader::enter(char open) noexcept {
  if (!take(open)) return stop(JsonFault::value);
  return ++depth_ <= deepest_ || stop(JsonFault::depth);
}

bool JsonReader::another(char close) noexcept {
  if (take(close)) return false;
  if (!take(',')) return stop(JsonFault::separator);
  skip_blanks();
  return !is(close) || stop(JsonFault::comma);
}

bool JsonReader::text(std::string& out) {
  if (!take('"')) return stop(JsonFault::value);
  const auto begin = at_;
  at_ += json_plain_front(json_.substr(at_));
  out.assign(json_, begin, at_ - begin);
  while (!is('"')) {
    if (at_ >= json_.size()) return stop(JsonFault::unended);
    if (static_cast<unsigned char>(json_[at_]) < 0x20) return stop(JsonFault::control);
    if (is('\\')) {
      auto rest = json_.substr(at_);
      if (take_json_escape(rest, out) != JsonEscape::taken)
        return stop(rest.empty() ? JsonFault::unended : JsonFault::unreadable);
      at_ = json_.size() - rest.size();
    } else {
      const auto length = character_length(json_, at_);
      if (length == 0) return stop(JsonFault::unreadable);
      out.append(json_, at_, length);
      at_ += length;
    }
  }
  ++at_;
  return true;
}

bool JsonReader::raw_text(std::string_view& out) {
  if (!take('"')) return stop(JsonFault::value);
  for (auto from = at_;;) {
    const auto quote = json_.find('"', from);
    if (quote == json_.npos) return stop(JsonFault::unended);
    auto first = quote;
    while (first != at_ && json_[first - 1] == '\\') --first;
    if ((quote - first) % 2 == 0) {
      out = json_.substr(at_, quote - at_);
      at_ = quote + 1;
      return true;
    }
    from = quote + 1;
  }
}

bool JsonReader::number(std::string_view& out) {
  skip_blanks();
  out = word();
  return (is_json_number(out) && in_range(out)) || stop(JsonFault::value);
}

bool JsonReader::boolean(bool& out) {
  skip_blanks();
  const auto written = word();
  out = written == "true";
  return out || written == "false" || stop(JsonFault::value);
}

std::string_view JsonReader::word() noexcept {
  const auto begin = at_;
  while (at_ < json_.size() && kInWord[static_cast<unsigned char>(json_[at_])]) ++at_;
  return json_.substr(begin, at_ - begin);
}

bool JsonReader::pass() {
  switch (next()) {
    case JsonKind::text:
      return text(passed_);
    case JsonKind::number: {
      std::string_view written;
      return number(written);
    }
    case JsonKind::boolean: {
      bool written = false;
      return boolean(written);
    }
    case JsonKind::null:
      return word() == "null" || stop(JsonFault::value);
    case JsonKind::object:
      return object([this] { return text(passed_); }, [this] { return pass(); });
    case JsonKind::list:
      return list([this] { return pass(); });
    case JsonKind::nothing:
      break;
  }
  return stop(JsonFault::value);
}

}  // namespace headgate
