#include "headgate/core/text.hpp"

#include <cstdint>
#include <cstring>

namespace headgate {
namespace {

/// As many letters at once as `Word` has bytes.
template <class Word>
Word lower_word(const char* at) noexcept {
  constexpr auto kEach = static_cast<Word>(0x0101010101010101U);
  Word bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  // A byte below 128 carries nothing into the next one.
  const Word low = bytes & (kEach * 0x7f);
  const Word from_a = low + kEach * (0x80 - 'A');
  const Word beyond_z = low + kEach * (0x7f - 'Z');
  const Word capitals = (from_a ^ beyond_z) & ~bytes & (kEach * 0x80);
  return bytes | (capitals >> 2U);
}

/// Of at least one word. The last one may be compared twice in part.
template <class Word>
bool same_words(std::string_view a, std::string_view b) noexcept {
  const auto last = a.size() - sizeof(Word);
  for (std::size_t at = 0; at < last; at += sizeof(Word))
    if (lower_word<Word>(a.data() + at) != lower_word<Word>(b.data() + at)) return false;
  return lower_word<Word>(a.data() + last) == lower_word<Word>(b.data() + last);
}

}  // namespace

bool detail::same_letters(std::string_view a, std::string_view b) noexcept {
  if (a.size() >= sizeof(std::uint64_t)) return same_words<std::uint64_t>(a, b);
  if (a.size() >= sizeof(std::uint32_t)) return same_words<std::uint32_t>(a, b);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

}  // namespace headgate
