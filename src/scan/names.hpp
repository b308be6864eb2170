#pragma once
// Names of members and fields as readers compare them. Some readers ignore the case, and some end a name at U+0000.

#include "headgate/core/eight_bytes.hpp"
#include "headgate/scan/pointer.hpp"

#include <cstdint>
#include <cstring>
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

/// Returns a number that is the same for a name in ASCII in any case and for the folded one, and rarely for other
/// names.
inline std::uint64_t name_key(std::string_view name) noexcept {
  const auto load = [&](std::size_t at, auto bits) {
    std::memcpy(&bits, name.data() + at, sizeof bits);
    return std::uint64_t{bits};
  };
  const auto size = name.size();
  std::uint64_t key = 0;
  if (size >= 8)
    key = load(0, std::uint64_t{}) ^ load(size - 8, std::uint64_t{}) << 8U;
  else if (size >= 4)
    key = load(0, std::uint32_t{}) | load(size - 4, std::uint32_t{}) << 32U;
  else if (size > 0)
    key = load(0, std::uint8_t{}) | load(size / 2, std::uint8_t{}) << 8U | load(size - 1, std::uint8_t{}) << 16U;
  return (key | eight_of(0x20)) * 0x9E37'79B9'7F4A'7C15U + size;
}
/// Returns the bit of a key in Pointers::Level::filter.
constexpr std::uint64_t filter_bit(std::uint64_t key) noexcept { return std::uint64_t{1} << (key >> 58U); }

/// The pointers that a member or field concerns.
struct Matched {
  std::uint64_t live = 0;      ///< whose step is the name; without those whose step is "*"
  std::uint64_t confused = 0;  ///< whose step is the name for some readers only
};

/// Returns those of `alive` that the name of a member concerns.
Matched match_name(const Pointers::Level& level, std::uint64_t alive, std::string_view name) noexcept;
/// The same for a name in ASCII without U+0000, whose key is known.
Matched match_plain(const Pointers::Level& level, std::uint64_t alive, std::string_view name,
                    std::uint64_t key) noexcept;
/// The same for a field of a form.
Matched match_field(const Pointers::Level& level, std::string_view name) noexcept;

}  // namespace headgate::scan
