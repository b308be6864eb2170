#pragma once
// HAProxy's syntax: sections of lines of words.

#include "headgate/translate/translate.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

struct HaproxyLine {
  std::vector<std::string> words;  ///< without quotes and escapes; at least one
  Spot spot;

  std::string_view word(std::size_t index) const noexcept {
    return index < words.size() ? std::string_view(words[index]) : std::string_view();
  }
  /// Whether the words begin so.
  bool begins(std::string_view first, std::string_view second = {}) const noexcept {
    return word(0) == first && (second.empty() || word(1) == second);
  }
  std::string text() const;
  /// The word behind this one, or empty.
  std::string_view after(std::string_view name) const noexcept;
};

struct HaproxySection {
  std::string kind;  ///< "frontend", "backend", …
  std::string name;
  HaproxyLine head;
  std::vector<HaproxyLine> lines;
};

/// `count` is how many lines were read before, of all files. Throws Unreadable.
std::vector<HaproxySection> read_haproxy(const std::string& text, const std::string& file, std::size_t& count);

}  // namespace headgate::translate
