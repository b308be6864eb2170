#pragma once
// Reads the JSON of files that people write, such as key files and price files. The caller says which kind of value it
// expects; a value of any other kind is refused at its place. The calls are nested like the values of the file.

#include "headgate/core/json_reader.hpp"
#include "headgate/core/json_spelling.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace headgate {

/// The first mistake in a JSON file: place, reason and help.
struct JsonMistake {
  std::size_t line = 1;    ///< line, counted from 1
  std::size_t column = 1;  ///< column, counted from 1 in bytes
  std::string pointer{};   ///< JSON pointer such as "/keys/3/sha256"; empty for the whole file
  std::string message{};   ///< reason, a sentence without a full stop that quotes nothing of the file
  std::string help{};      ///< advice what to write instead; may be empty
};
std::string to_text(const JsonMistake& mistake);  ///< returns "12:5: message [/keys/3/sha256]; help"

/// A reader of one text. If a function cannot take a value, this call and all later ones return false, and the first
/// mistake is kept with its place. The text must outlive the walk. Not thread-safe.
class JsonWalk {
 public:
  /// `comment_help` is the help for a comment in the file, and `most_members` the maximum number of members of an
  /// object.
  JsonWalk(std::string_view json, std::string_view comment_help, std::size_t most_members = 64) noexcept
      : text_(json), comment_help_(comment_help), most_members_(most_members), json_(json) {}

  /// Returns the kind of the next value, by its first character.
  JsonKind next() noexcept { return json_.next(); }
  /// Returns the offset of the next value.
  std::size_t here() noexcept { return json_.here(); }
  /// Returns the offset after the value that was taken last.
  std::size_t passed() const noexcept { return json_.passed(); }

  /// Calls `take(name)` for each member. `take` must take the value of the member, and return whether it could. Refuses
  /// a name that occurs twice, and more members than the maximum.
  template <class Take>
  bool object(Take take);
  /// Calls `take()` for each element of a list.
  template <class Take>
  bool list(Take take);
  bool text(std::string& out);
  bool boolean(bool& out);
  /// Takes a number as it is written.
  bool number(std::string_view& out);
  bool whole_number(std::uint64_t& out, std::uint64_t least, std::uint64_t most);
  /// Takes a value of any kind and checks its spelling.
  bool pass();
  /// Takes the end of the text; refuses anything else.
  bool end();

  // The functions below refuse a value because of its meaning. They always return false, so that callers can return the
  // result.
  bool refuse(std::string message, std::string help = {});  ///< refuses the value that was taken last
  /// refuses the member at its name, which is not quoted
  bool refuse_member(std::string message, std::string help = {});
  bool refuse_at(std::size_t place, std::string message, std::string help = {});
  bool refuse_kind(std::string_view expected);  ///< refuses the next value

  /// Returns the first mistake. Call it only after something was refused.
  const JsonMistake& mistake() const { return *mistake_; }

 private:
  bool begin(JsonKind kind);
  /// Takes the name of the next member, and adds it to the names of its object.
  bool member_name(std::unordered_set<std::string>& names, std::string& name);
  bool refuse_fault(char close);
  bool is(char c) const noexcept { return json_.rest().starts_with(c); }
  std::string help_here() const;
  bool keep(std::size_t place, std::string_view pointer, std::string message, std::string help);

  std::string_view text_;
  std::string_view comment_help_;
  std::size_t most_members_;
  JsonReader json_;
  std::size_t begin_ = 0;  // offset of the name or value that was taken last
  std::string pointer_;
  std::optional<JsonMistake> mistake_;
};

template <class Take>
bool JsonWalk::object(Take take) {
  if (!begin(JsonKind::object)) return false;
  std::unordered_set<std::string> names;
  std::string name;
  const std::size_t parent = pointer_.size();
  const auto member = [&] {
    pointer_ += '/' + pointer_part(name);
    if (!take(std::string_view(name))) return false;
    pointer_.resize(parent);
    return true;
  };
  return json_.object([&] { return member_name(names, name); }, member) || refuse_fault('}');
}

template <class Take>
bool JsonWalk::list(Take take) {
  if (!begin(JsonKind::list)) return false;
  const std::size_t parent = pointer_.size();
  const auto element = [&, index = std::size_t{0}]() mutable {
    pointer_ += '/' + std::to_string(index++);
    if (!take()) return false;
    pointer_.resize(parent);
    return true;
  };
  return json_.list(element) || refuse_fault(']');
}

}  // namespace headgate
