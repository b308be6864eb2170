#pragma once
// Names of members and fields as readers compare them. Some readers ignore the case, and some end a name at U+0000.

#include "headgate/core/text.hpp"
#include "headgate/scan/pointer.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::scan {

/// Writes the form of a name of a member in which names are equal that any reader takes for the same: ASCII letters are
/// lower case, U+017F is "s" and U+212A is "k" (as in Go), all other characters beyond ASCII are equal, and the name
/// ends before U+0000. Appends at most `name.size()` bytes to `out`. `name` is UTF-8; it may end within a character.
std::size_t fold_name(std::string_view name, char* out) noexcept;
std::string fold_name(std::string_view name);
/// The same for the name of a field of a form. As in PHP, blanks in front are skipped, " " and "." are "_", and the
/// name ends before "[".
std::size_t fold_field(std::string_view name, char* out) noexcept;
std::string fold_field(std::string_view name);

/// Returns a bit that depends on the length of a name that is not empty and on its first and last byte without their
/// case. It is the same for a name in ASCII and for the folded one.
inline std::uint64_t filter_bit(std::string_view name) noexcept {
  const auto byte = [](char c) { return static_cast<unsigned char>(lower(c)); };
  return std::uint64_t{1} << ((name.size() + byte(name.front()) * 5U + byte(name.back()) * 3U) & 63U);
}

/// The pointers that a member or field concerns.
struct Matched {
  std::uint64_t live = 0;      ///< whose step is the name; without those whose step is "*"
  std::uint64_t confused = 0;  ///< whose step is the name for some readers only
};

/// Returns those of `alive` that the name of a member concerns. `plain` says that it is ASCII without U+0000.
Matched match_name(const Pointers::Level& level, std::uint64_t alive, std::string_view name, bool plain) noexcept;
/// The same for a field of a form.
Matched match_field(const Pointers::Level& level, std::string_view name) noexcept;

}  // namespace headgate::scan
