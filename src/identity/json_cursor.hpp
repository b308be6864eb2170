#pragma once
// JSON (RFC 8259) taken off the front of a text, value by value and without a tree. Under the two readers of this
// module: JsonWalk, which says what is wrong where, and read_json_object, which must be quick.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::identity {

enum class JsonKind : std::uint8_t { object, list, text, number, boolean, null, nothing };

/// What became of a string.
enum class JsonString : std::uint8_t {
  taken,
  unended,
  control,     ///< a control character stands in it; the cursor is there
  unreadable,  ///< an escape that JSON does not have, or what is not UTF-8
};

/// The text must outlive it. Not thread-safe.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view json) noexcept : json_(json) {}

  /// What the next value is, by its first character. Blanks before it are passed over.
  JsonKind next() noexcept;
  /// Takes `c`, with blanks before it; false if something else is next.
  bool take(char c) noexcept;
  bool at_end() noexcept;

  /// Takes the string that is next into `out`.
  JsonString string(std::string& out);
  /// Takes letters, digits and what else may stand in a number.
  std::string_view word() noexcept;

  std::size_t offset() const noexcept { return at_; }
  std::string_view rest() const noexcept { return json_.substr(at_); }

 private:
  void skip_blanks() noexcept;
  bool is(char c) const noexcept { return at_ < json_.size() && json_[at_] == c; }

  std::string_view json_;
  std::size_t at_ = 0;
};

}  // namespace headgate::identity
