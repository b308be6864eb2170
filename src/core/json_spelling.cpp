#include "headgate/core/json_spelling.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>

namespace headgate {
namespace {

constexpr bool decimal(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes four hexadecimal digits, or fewer if there are fewer.
bool take_four_digits(std::string_view& rest, std::uint32_t& value) noexcept {
  value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = rest.empty() ? -1 : hex_value(rest.front());
    if (digit < 0) return false;
    value = value * 16 + static_cast<std::uint32_t>(digit);
    rest.remove_prefix(1);
  }
  return true;
}

}  // namespace

bool is_json_number(std::string_view text) noexcept {
  const auto digits = [&text] {
    const auto* const end = std::find_if_not(text.begin(), text.end(), decimal);
    const bool any = end != text.begin();
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    return any;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && decimal(text[1])) return false;
  if (!digits()) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!digits()) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!digits()) return false;
  }
  return text.empty();
}

JsonEscape take_json_escape(std::string_view& rest, std::string& out) {
  constexpr std::string_view kWritten = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  rest.remove_prefix(1);
  if (rest.empty()) return JsonEscape::unknown;
  if (const auto index = kWritten.find(rest.front()); index != kWritten.npos) {
    out += kMeant[index];
    rest.remove_prefix(1);
    return JsonEscape::taken;
  }
  if (rest.front() != 'u') return JsonEscape::unknown;
  rest.remove_prefix(1);
  std::uint32_t value = 0;
  if (!take_four_digits(rest, value)) return JsonEscape::no_character;
  if (value >= 0xD800 && value < 0xDC00 && rest.starts_with("\\u")) {  // the first half of a pair of escapes
    rest.remove_prefix(2);
    std::uint32_t low = 0;
    if (!take_four_digits(rest, low) || low < 0xDC00 || low >= 0xE000) return JsonEscape::no_character;
    value = 0x10000U + ((value - 0xD800U) << 10U) + (low - 0xDC00U);
  } else if (value >= 0xD800 && value < 0xE000) {
    return JsonEscape::no_character;
  }
  append_utf8(value, out);
  return JsonEscape::taken;
}

std::string pointer_part(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace headgate
