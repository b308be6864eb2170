#pragma once
// Reads the words of an entry of a shared log, from the front.

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace headgate::limit {

/// Maximum size in bytes of a limit's name, and of a key, in an entry.
inline constexpr std::size_t kMaxNameInEntry = 256;

class EntryWords {
 public:
  explicit EntryWords(std::string_view text) : rest_(text) {}

  /// Returns the word before the next space; empty if there is none.
  std::string_view next() {
    const auto space = rest_.find(' ');
    if (space == std::string_view::npos) return {};
    const auto word = rest_.substr(0, space);
    rest_.remove_prefix(space + 1);
    return word;
  }
  template <class Number>
  bool number(Number& number) {
    const auto word = next();
    const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), number);
    return ec == std::errc() && end == word.data() + word.size();
  }
  bool flag(bool& flag) {
    const auto word = next();
    flag = word == "1";
    return flag || word == "0";
  }
  /// Takes the next `size` bytes.
  bool bytes(std::size_t size, std::string& out) {
    if (size > rest_.size()) return false;
    out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace headgate::limit
