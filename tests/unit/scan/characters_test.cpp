// Runs of bytes and characters that are read with vectors, compared with readers of one byte after the other.

#include "scan/characters.hpp"

#include "headgate/core/random.hpp"
#include "headgate/core/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::scan {
namespace {

/// Returns the offset of the end of the run, of a copy of `text` without bytes behind it.
template <class Function>
std::size_t end_in(std::string_view text, Function function) {
  const std::vector<char> copy(text.begin(), text.end());
  return static_cast<std::size_t>(function(copy.data(), copy.data() + copy.size()) - copy.data());
}

template <class Kind>
void expect_front(const std::string& text) {
  std::size_t expected = 0;
  while (expected < text.size() && Kind::has(text[expected])) ++expected;
  EXPECT_EQ(end_in(text, front_end<Kind>), expected) << testing::PrintToString(text);
}

TEST(Front, EndsAtTheFirstOtherByteAtEveryPlace) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (const std::size_t size : {1U, 15U, 16U, 17U, 33U, 63U, 80U}) {
      for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
        std::string text(size, 'A');
        text[place] = static_cast<char>(byte);
        expect_front<Plain>(text);
        expect_front<Base64>(text);
        expect_front<Digit>(text);
        expect_front<Blank>(text);
        expect_front<OfLine>(text);
        expect_front<OfField>(text);
      }
    }
  }
}

TEST(Front, IsTheSameOnEveryMachine) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    Bytes holds;
    for (std::ptrdiff_t i = 0; i < kBytes; ++i) holds[i] = static_cast<signed char>(random() % 8 == 0 ? 0 : -1);
    const auto front = front_of_any_machine(holds);
    EXPECT_EQ(all_of(holds), front == kBytes);
    if (front != kBytes) {
      EXPECT_EQ(front_of(holds), front);
    }
  }
}

TEST(Characters, HaveTheLengthThatTheReferenceSays) {
  // All pairs of first bytes, with third and fourth bytes at the ends of their ranges.
  for (unsigned first = 0x80; first < 0x100; ++first) {
    for (unsigned second = 0; second < 0x100; ++second) {
      for (const unsigned third : {0x7FU, 0x80U, 0xBFU, 0xC0U}) {
        for (const unsigned fourth : {0x7FU, 0xBFU}) {
          const std::string text = {static_cast<char>(first), static_cast<char>(second), static_cast<char>(third),
                                    static_cast<char>(fourth)};
          ASSERT_EQ(static_cast<std::size_t>(long_character(text.data())), character_length(text, 0))
              << testing::PrintToString(text);
        }
      }
    }
  }
}

/// Returns the end of the valid characters in front, without controls, quotes and backslashes.
std::size_t valid_front(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto length = Plain::has(text[at]) ? 1 : is_ascii(text[at]) ? 0 : character_length(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

TEST(Characters, AreNeverPassedIfTheyAreInvalid) {
  constexpr std::string_view kPieces[] = {"a",
                                          " ",
                                          "\xc3\xa4",
                                          "\xd0\xbf",
                                          "\xe4\xbd\xa0",
                                          "\xef\xbc\x8c",
                                          "\xe0\xa4\x85",
                                          "\xed\x95\x9c",
                                          "\xf0\x9f\x98\x80",
                                          "\xc2\x80",
                                          "\xf4\x8f\xbf\xbf"};
  Random random(11);
  std::size_t passed = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    const auto one = random() % std::size(kPieces);
    while (text.size() < 60) text += kPieces[random() % 4 == 0 ? random() % std::size(kPieces) : one];
    if (random() % 2 == 0) text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0) text.erase(random() % text.size(), 1);
    const auto valid = valid_front(text);
    for (const auto end : {end_in(text, characters_end), end_in(text, characters_of_any_machine)}) {
      ASSERT_LE(end, valid) << testing::PrintToString(text);
      ASSERT_EQ(valid_front(std::string_view(text).substr(0, end)), end) << "it ends within a character";
      passed += end;
    }
  }
  EXPECT_GT(passed, 100'000U) << "nearly nothing is passed";
}

TEST(Characters, AndEscapesArePassedAndCounted) {
  constexpr std::string_view kPieces[] = {"\\n", "\\\"", "\\\\", "a", "text ", "a text of more than sixteen bytes"};
  Random random(13);
  std::size_t passed = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    std::vector<std::size_t> escapes_before(1, 0);  // by the length of the text; -1 within an escape
    while (text.size() < 80) {
      const auto piece = kPieces[random() % std::size(kPieces)];
      const auto before = escapes_before.back();
      text += piece;
      if (piece.front() == '\\') escapes_before.push_back(static_cast<std::size_t>(-1));
      while (escapes_before.size() <= text.size()) escapes_before.push_back(before + (piece.front() == '\\' ? 1 : 0));
    }
    const auto damaged = random() % text.size();
    if (random() % 2 == 0) text[damaged] = "\"\\\n\xc3ux"[random() % 6];
    std::uint64_t escapes = 0;
    const auto end = end_in(text, [&](const char* at, const char* stop) { return escapes_end(at, stop, escapes); });
    if (end > damaged) continue;
    ASSERT_EQ(escapes_before[end], escapes) << text;
    passed += end;
  }
  EXPECT_GT(passed, 2'000U) << "nearly nothing is passed";
}

}  // namespace
}  // namespace headgate::scan
