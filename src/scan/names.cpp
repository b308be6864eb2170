#include "names.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>

namespace headgate::scan {
namespace {

/// The length that a folded name can have; longer names fold to none of a pointer.
constexpr std::size_t kMaxFolded = 4 * kMaxStepBytes;

/// Returns the number of bytes of a character by its first one. Names are valid or at least checked before they count.
std::size_t bytes_of_character(unsigned char first) noexcept {
  return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
}

}  // namespace

std::size_t fold_name(std::string_view name, char* out) noexcept {
  std::size_t size = 0;
  while (!name.empty() && name.front() != '\0') {
    const auto first = static_cast<unsigned char>(name.front());
    const auto length = std::min(bytes_of_character(first), name.size());
    const auto character = name.substr(0, length);
    out[size++] = first < 0x80            ? lower(name.front())
                  : character == "\u017F" ? 's'
                  : character == "\u212A" ? 'k'
                                          : '\x80';
    name.remove_prefix(length);
  }
  return size;
}

std::size_t fold_field(std::string_view name, char* out) noexcept {
  while (name.starts_with(' ')) name.remove_prefix(1);
  const auto size = fold_name(name.substr(0, name.find('[')), out);
  std::replace_if(
      out, out + size, [](char c) { return c == ' ' || c == '.'; }, '_');
  return size;
}

std::string fold_name(std::string_view name) {
  std::string out(name.size(), '\0');
  out.resize(fold_name(name, out.data()));
  return out;
}

std::string fold_field(std::string_view name) {
  std::string out(name.size(), '\0');
  out.resize(fold_field(name, out.data()));
  return out;
}

Matched match_name(const Pointers::Level& level, std::uint64_t alive, std::string_view name) noexcept {
  std::array<char, kMaxFolded> buffer;
  const std::string_view folded(buffer.data(), fold_name(name.substr(0, buffer.size()), buffer.data()));
  Matched out;
  for (const auto& each : level.names) {
    if (each.step == name)
      out.live |= each.pointers & alive;
    else if (each.folded == folded)
      out.confused |= each.pointers & alive;
  }
  return out;
}

Matched match_plain(const Pointers::Level& level, std::uint64_t alive, std::string_view name,
                    std::uint64_t key) noexcept {
  Matched out;
  for (const auto& each : level.names) {
    if (each.key != key || (each.pointers & alive) == 0) continue;
    if (each.step == name)
      out.live |= each.pointers & alive;
    else if (same_word(each.folded, name))
      out.confused |= each.pointers & alive;
  }
  return out;
}

Matched match_field(const Pointers::Level& level, std::string_view name) noexcept {
  Matched out;
  std::array<char, kMaxFolded> buffer;
  const std::string_view folded(buffer.data(), fold_field(name.substr(0, buffer.size()), buffer.data()));
  for (const auto& each : level.names) {
    if (each.step == name)
      out.live |= each.pointers;
    else if (each.fields_folded == folded)
      out.confused |= each.pointers;
  }
  return out;
}

}  // namespace headgate::scan
