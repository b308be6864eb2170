#pragma once
// Parser of HAProxy's syntax: sections of lines, and lines of words.

#include "headgate/translate/translate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

struct HaproxyLine {
  std::vector<std::string> words;  ///< without quotes and escapes; has at least one word
  Spot spot;

  std::string_view word(std::size_t index) const noexcept {
    return index < words.size() ? std::string_view(words[index]) : std::string_view();
  }
  /// Returns whether the line begins with these words.
  bool begins(std::string_view first, std::string_view second = {}) const noexcept {
    return word(0) == first && (second.empty() || word(1) == second);
  }
  std::string text() const;
  /// Returns the word that follows `name`, or an empty text.
  std::string_view after(std::string_view name) const noexcept;
};

struct HaproxySection {
  std::string kind;  ///< "frontend", "backend", …
  std::string name;
  HaproxyLine head;
  std::vector<HaproxyLine> lines;
};

/// `count` is the number of lines read so far, in all files. Throws Unreadable.
std::vector<HaproxySection> read_haproxy(const std::string& text, const std::string& file, std::size_t& count);

}  // namespace headgate::translate
