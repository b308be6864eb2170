#pragma once
// Reads JSON (RFC 8259) forward, value by value and without a tree. Tokens, key files and access logs are read with it.
// (The configuration has a reader of its own, which continues after a mistake and knows the position of every value.)

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headgate {

enum class JsonKind : std::uint8_t { object, list, text, number, boolean, null, nothing };

/// The reason why a reader stopped.
enum class JsonFault : std::uint8_t {
  none,        ///< the reader did not stop, or the caller stopped it
  value,       ///< another kind of value was expected, or the value is not valid JSON
  colon,       ///< no ':' after the name of a member
  separator,   ///< neither ',' nor the closing bracket after a member or an element
  comma,       ///< a comma before a closing bracket
  unended,     ///< a string without its closing quote
  control,     ///< a control character in a string; the reader is positioned before it
  unreadable,  ///< a string with an invalid escape or invalid UTF-8
  depth,       ///< deeper nesting than accepted
};

/// The reader. A function that cannot take the value returns false, and nothing more can be read afterwards. The text
/// must outlive the reader. Not thread-safe.
class JsonReader {
 public:
  /// `deepest` is the maximum depth of nested objects and lists.
  explicit JsonReader(std::string_view json, unsigned deepest = 64) noexcept : json_(json), deepest_(deepest) {}

  /// Returns the kind of the next value, by its first character.
  JsonKind next() noexcept;
  /// Returns the offset of the next value.
  std::size_t here() noexcept {
    skip_blanks();
    return at_;
  }
  /// Returns the offset after the value that was taken last.
  std::size_t passed() const noexcept { return at_; }
  std::string_view rest() const noexcept { return json_.substr(at_); }
  bool at_end() noexcept { return here() == json_.size(); }
  JsonFault fault() const noexcept { return fault_; }

  /// Takes an object. For each member, it calls `name()`, which takes a text, and `value()`, which takes any value.
  /// Both return whether they succeeded.
  template <class Name, class Value>
  bool object(Name name, Value value);
  /// Takes a list, and calls `value()` for each element.
  template <class Value>
  bool list(Value value);

  bool text(std::string& out);
  /// Takes a text as it is written, without checking its escapes and encoding.
  bool raw_text(std::string_view& out);
  /// Takes a number as it is written. Refuses a number that a double cannot hold, because JSON readers disagree on its
  /// value.
  bool number(std::string_view& out);
  bool boolean(bool& out);
  /// Takes letters, digits and other characters that may be part of a number.
  std::string_view word() noexcept;
  /// Takes the next value of any kind and checks it.
  bool pass();

 private:
  bool is(char c) const noexcept { return at_ < json_.size() && json_[at_] == c; }
  bool take(char c) noexcept {
    skip_blanks();
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  void skip_blanks() noexcept {
    while (at_ < json_.size() && json_[at_] <= ' ' && is_blank(json_[at_])) ++at_;
  }
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  bool stop(JsonFault fault) noexcept {
    fault_ = fault;
    return false;
  }
  bool enter(char open) noexcept;
  bool another(char close) noexcept;

  std::string_view json_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  unsigned deepest_;
  JsonFault fault_ = JsonFault::none;
  std::string passed_;  // buffer for texts that are only checked
};

template <class Name, class Value>
bool JsonReader::object(Name name, Value value) {
  if (!enter('{')) return false;
  if (!take('}')) {
    do {
      if (!name()) return false;
      if (!take(':')) return stop(JsonFault::colon);
      if (!value()) return false;
    } while (another('}'));
  }
  --depth_;
  return fault_ == JsonFault::none;
}

template <class Value>
bool JsonReader::list(Value value) {
  if (!enter('[')) return false;
  if (!take(']')) {
    do {
      if (!value()) return false;
    } while (another(']'));
  }
  --depth_;
  return fault_ == JsonFault::none;
}

}  // namespace headgate
