#include "headgate/core/text.hpp"

#include <cstdint>
#include <cstring>

namespace headgate {
namespace {

/// Compares as many letters at once as `Word` has bytes.
template <class Word>
bool same_word_at(const char* a, const char* b) noexcept {
  constexpr auto kEach = static_cast<Word>(0x0101010101010101U);
  Word left = 0;
  Word right = 0;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(&right, b, sizeof right);
  const Word differs = left ^ right;
  if (differs == 0) return true;
  if ((differs & ~(kEach * 0x20)) != 0) return false;
  // Bytes that differ only in the bit 0x20 are equal if they are letters. The sums of bytes below 128 do not carry into
  // the next byte.
  const Word small = left | (kEach * 0x20);
  const Word low = small & (kEach * 0x7f);
  const Word letters = (low + kEach * (0x80 - 'a')) & ~(low + kEach * (0x7f - 'z')) & ~small & (kEach * 0x80);
  return (differs & ~(letters >> 2U)) == 0;
}

/// Compares texts of at least one word. The last word may overlap the word before it.
template <class Word>
bool same_words(std::string_view a, std::string_view b) noexcept {
  const auto last = a.size() - sizeof(Word);
  for (std::size_t at = 0; at < last; at += sizeof(Word))
    if (!same_word_at<Word>(a.data() + at, b.data() + at)) return false;
  return same_word_at<Word>(a.data() + last, b.data() + last);
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
