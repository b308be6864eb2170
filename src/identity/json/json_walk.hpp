#pragma once
// Reads the JSON of key files. The caller states the expected kind of each value, and a value of any other kind is
// refused at its place. Calls of the caller are nested as the values are.

#include "headgate/core/json_reader.hpp"
#include "headgate/core/json_spelling.hpp"
#include "headgate/identity/api_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// The reader. A function that takes a value returns false if it cannot, and from then on all of them do. The first
/// mistake is kept with its place. The text must outlive the walk. Not thread-safe.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view json) noexcept : text_(json), json_(json) {}

  /// Returns the kind of the next value, by its first character.
  JsonKind next() noexcept { return json_.next(); }
  /// Returns the offset of the next value.
  std::size_t here() noexcept { return json_.here(); }
  /// Returns the offset after the value that was taken last.
  std::size_t passed() const noexcept { return json_.passed(); }

  /// Calls `take(name)` for each member. `take` must take the value of the member, and return whether it could. A name
  /// that occurs twice is refused, and so are more than kMaxMembers members.
  template <class Take>
  bool object(Take take);
  /// Calls `take()` for each element of a list.
  template <class Take>
  bool list(Take take);
  bool text(std::string& out);
  bool boolean(bool& out);
  bool whole_number(std::uint64_t& out, std::uint64_t least, std::uint64_t most);
  /// Takes the end of the text: nothing more may follow.
  bool end();

  // The functions below refuse a value because of its meaning. They always return false, so that callers can return the
  // result.
  bool refuse(std::string message, std::string help = {});  ///< refuses the value that was taken last
  /// refuses the member at its name, which is not quoted
  bool refuse_member(std::string message, std::string help = {});
  bool refuse_at(std::size_t place, std::string message, std::string help = {});
  bool refuse_kind(std::string_view expected);  ///< refuses the next value

  /// Returns the first mistake. Call it only after something was refused.
  const KeyFileError& mistake() const { return *mistake_; }

  static constexpr std::size_t kMaxMembers = 64;

 private:
  bool begin(JsonKind kind);
  /// Takes the name of the next member, and adds it to the names of its object.
  bool member_name(std::vector<std::string>& names);
  bool refuse_fault(char close);
  bool is(char c) const noexcept { return json_.rest().starts_with(c); }
  std::string help_here() const;
  bool keep(std::size_t place, std::string_view pointer, std::string message, std::string help);

  std::string_view text_;
  JsonReader json_;
  std::size_t begin_ = 0;  // offset of the name or value that was taken last
  std::string pointer_;
  std::optional<KeyFileError> mistake_;
};

template <class Take>
bool JsonWalk::object(Take take) {
  if (!begin(JsonKind::object)) return false;
  std::vector<std::string> names;
  const std::size_t parent = pointer_.size();
  const auto member = [&] {
    pointer_ += '/' + pointer_part(names.back());
    if (!take(std::string_view(names.back()))) return false;
    pointer_.resize(parent);
    return true;
  };
  return json_.object([&] { return member_name(names); }, member) || refuse_fault('}');
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

}  // namespace headgate::identity
