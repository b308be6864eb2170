#pragma once
// Constant tables with a row for each enumerator, such as the words of a configuration. A table that lacks a row does
// not compile.

#include <array>
#include <cstddef>
#include <string_view>

namespace headgate {

/// Returns the number of values of an enumeration whose enumerators count from 0 and end with `count`, which is not a
/// value.
template <typename E>
inline constexpr std::size_t kCountOf = static_cast<std::size_t>(E::count);

/// The rows of a constant table, in the order of the enumerators of E. Pass `size` if the enumeration has no `count`,
/// or if the table leaves out the last enumerators.
template <typename E, typename T, std::size_t size = kCountOf<E>>
struct PerEnum : std::array<T, size> {
  template <std::size_t rows>
  consteval PerEnum(const T (&row)[rows]) requires(rows == size) : std::array<T, size>(std::to_array(row)) {}
  using std::array<T, size>::operator[];
  constexpr const T& operator[](E e) const noexcept { return (*this)[static_cast<std::size_t>(e)]; }
};

/// The word of each enumerator.
template <typename E>
using WordsOf = PerEnum<E, std::string_view>;

/// Returns whether a value is the value of an enumerator. GCC and Clang print other values of an enumeration as "(E)7".
template <auto value>
consteval bool is_enumerator() {
  constexpr std::string_view printed = __PRETTY_FUNCTION__;
  const char next = printed[printed.rfind(')') + 1];
  return next < '0' || next > '9';
}

/// Returns the number of values of an enumeration whose last enumerator is `last`.
template <auto last>
consteval std::size_t count_up_to() {
  constexpr auto size = static_cast<std::size_t>(last) + 1;
  static_assert(!is_enumerator<static_cast<decltype(last)>(size)>(), "another enumerator comes after the last one");
  return size;
}

/// The words of an enumeration that does not end with `count`; `last` is its last enumerator.
template <auto last>
using WordsUpTo = PerEnum<decltype(last), std::string_view, count_up_to<last>()>;

}  // namespace headgate
