#pragma once
// Functions for short ASCII words of protocols and configurations: comparing, trimming, joining. No locale; any thread.

#include <algorithm>
#include <string>
#include <string_view>

namespace headgate {

/// Returns 'a' for 'A'. Characters other than ASCII letters are unchanged.
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Returns `text` with lower() applied to each byte.
inline std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

/// Returns whether `c` is an ASCII letter or digit, or one of `others`.
constexpr bool is_alnum(char c, std::string_view others = {}) noexcept {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || others.find(c) != others.npos;
}
/// Returns whether is_alnum() holds for every byte of `text`.
constexpr bool all_alnum(std::string_view text, std::string_view others = {}) noexcept {
  return std::all_of(text.begin(), text.end(), [others](char c) { return is_alnum(c, others); });
}

namespace detail {
/// Compares the letters for same_word(). `a` and `b` have the same length.
bool same_letters(std::string_view a, std::string_view b) noexcept;
}  // namespace detail

/// Returns whether `a` and `b` are equal apart from the case of ASCII letters. Most words differ in length, and are
/// then compared without a call.
inline bool same_word(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && detail::same_letters(a, b);
}

/// Returns `text` without leading and trailing blanks and tabs (RFC 9110 section 5.6.3), as a view into it.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Joins `words`, which are strings or views, with `between` between each two.
template <class Range>
std::string joined(const Range& words, std::string_view between) {
  std::string out;
  bool first = true;
  for (const auto& word : words) {
    if (!first) out += between;
    out += word;
    first = false;
  }
  return out;
}

}  // namespace headgate
