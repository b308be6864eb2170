#pragma once
// Splits a text into words with positions.

#include "headgate/simulate/text_fault.hpp"

#include <optional>
#include <string_view>

namespace headgate::simulate {

/// A piece of a text.
struct Word {
  std::string_view text;
  std::size_t at = 0;

  TextFault fault(std::string message, std::string help) const {
    return {at, text.empty() ? 1 : text.size(), std::move(message), std::move(help)};
  }
};

/// Takes words from the front of a text. Its results live as long as the text.
class WordReader {
 public:
  /// `at` is the position of `text` in the whole.
  explicit WordReader(std::string_view text, std::size_t at = 0) noexcept : text_(text), at_(at) {}

  /// Returns the next word, up to a blank. At the end of the text, returns an empty word at the position after the last
  /// one.
  Word next() noexcept {
    skip_blanks();
    const auto end = std::min(text_.find_first_of(" \t", used_), text_.size());
    const Word word{text_.substr(used_, end - used_), at_ + used_};
    used_ = end;
    return word;
  }
  Word peek() const noexcept { return WordReader(*this).next(); }
  bool done() const noexcept { return peek().text.empty(); }

 private:
  void skip_blanks() noexcept {
    while (used_ < text_.size() && (text_[used_] == ' ' || text_[used_] == '\t')) ++used_;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t used_ = 0;
};

}  // namespace headgate::simulate
