#include "headgate/core/text_cursor.hpp"

#include "headgate/core/eight_bytes.hpp"
#include "headgate/core/json_text.hpp"
#include "headgate/core/text_buffer.hpp"
#include "headgate/core/utf8.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace headgate {
namespace {

TEST(TextCursor, WritesTextsOfAnyLengthOneBehindAnother) {
  std::string letters;
  for (int i = 0; i < 100; ++i) letters += static_cast<char>('a' + i % 26);
  for (std::size_t size = 0; size <= letters.size(); ++size) {
    const auto text = std::string_view(letters).substr(0, size);
    std::string out = "before ";
    append_text(out, size + 16, [text](TextCursor& cursor) {
      cursor.text(text);
      cursor.character('|');
      cursor.text(text.substr(0, 3));
    });
    EXPECT_EQ(out, "before " + std::string(text) + '|' + std::string(text.substr(0, 3)));
  }
}

TEST(TextCursor, WritesNumbersAndDigits) {
  std::string out;
  append_text(out, 100, [](TextCursor& cursor) {
    cursor.number(std::numeric_limits<std::uint64_t>::max());
    cursor.word(" and ");
    cursor.number(-5);
    cursor.word(": ");
    cursor.digits<6>(std::uint64_t{42});
  });
  EXPECT_EQ(out, "18446744073709551615 and -5: 000042");
}

TEST(TextCursor, WritesNumbersOfAnyLengthAsTheLibraryDoes) {
  const auto written = [](auto number) {
    std::string out;
    append_text(out, TextCursor::kMaxDigits, [number](TextCursor& cursor) { cursor.number(number); });
    return out;
  };
  std::uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const auto number : {power - 1, power, power + 1, power + power / 3})
      EXPECT_EQ(written(number), std::to_string(number));
    const auto below_zero = -static_cast<std::int64_t>(power / 2);
    EXPECT_EQ(written(below_zero), std::to_string(below_zero));
  }
  for (unsigned number = 0; number < 10'000; ++number) ASSERT_EQ(written(number), std::to_string(number));
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(written(kMin), std::to_string(kMin));
}

#ifndef NDEBUG
TEST(TextCursorDeathTest, StopsAtTheEndOfItsRoom) {
  std::array<char, 8> bytes{};
  const auto write = [&bytes](std::size_t room, auto&& piece) {
    TextCursor cursor(bytes.data(), room);
    piece(cursor);
    return cursor.at() - bytes.data();
  };
  EXPECT_EQ(write(3, [](TextCursor& out) { out.text("abc"); }), 3);
  EXPECT_DEATH(write(2, [](TextCursor& out) { out.text("abc"); }), "end_");
  EXPECT_DEATH(write(2, [](TextCursor& out) { out.word("abc"); }), "end_");
  EXPECT_DEATH(write(2, [](TextCursor& out) { out.number(123); }), "end_");
  EXPECT_DEATH(write(2, [](TextCursor& out) { out.digits<3>(1); }), "end_");
  EXPECT_DEATH(write(0, [](TextCursor& out) { out.character('a'); }), "end_");
}
#endif

TEST(TextBuffer, HoldsOneTextAfterAnother) {
  TextBuffer buffer;
  for (const std::size_t size : {0, 5, 3, 300, 1}) {
    const std::string text(size, 'a');
    EXPECT_EQ(buffer.write(size, [&](TextCursor& cursor) { cursor.text(text); }), text);
  }
}

TEST(EightBytes, FindAByteWhereverItStands) {
  for (std::size_t at = 0; at < 8; ++at) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      std::string eight = "  \xff~a\x80 \xa0";
      eight[at] = static_cast<char>(byte);
      EXPECT_EQ(has_control(load_eight(eight.data())), byte < 0x20 || byte == 0x7f) << byte << " at " << at;
      EXPECT_EQ(has_byte(load_eight(eight.data()), '"'), byte == '"') << byte << " at " << at;
    }
  }
}

TEST(JsonText, EscapesTheSameWhereverAByteStands) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string alone;
    append_json_text(alone, std::string(1, static_cast<char>(byte)));
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'x');
      text[at] = static_cast<char>(byte);
      std::string out;
      append_json_text(out, text);
      EXPECT_EQ(out, std::string(at, 'x') + alone + std::string(19 - at, 'x'));
    }
  }
  std::string out;
  append_json_text(out, "a\"b\\c\n\x7f\xc3");
  EXPECT_EQ(out, R"(a\"b\\c\u000a\u007f\u00c3)");
}

std::string json_text(std::string_view text) {
  std::string out;
  append_json_text(out, text);
  return out;
}

TEST(JsonText, KeepsTheCharactersOfUtf8) {
  for (const std::string text : {"Zo\u00eb", "\u00a0", "\u07ff", "\u0800", "\u65e5\u672c\u8a9e and more", "\ud7ff",
                                 "\U0001f600", "\U0010ffff", "\u200d\u2027\u202f\u2065\u206a"})
    EXPECT_EQ(json_text(text), text);
}

TEST(JsonText, EscapesEachByteOfWhatIsNoCharacter) {
  EXPECT_EQ(json_text("\xff"), R"(\u00ff)");
  EXPECT_EQ(json_text("\xe2\x82"), R"(\u00e2\u0082)") << "cut off";
  EXPECT_EQ(json_text("\xe2\x82x\u00eb"), "\\u00e2\\u0082x\u00eb");
  EXPECT_EQ(json_text("\xc0\xaf"), R"(\u00c0\u00af)") << "too long a form";
  EXPECT_EQ(json_text("\xed\xa0\x80"), R"(\u00ed\u00a0\u0080)") << "half of a pair";
}

TEST(JsonText, EscapesCharactersThatActOnATerminalOrALineOrTheDirection) {
  EXPECT_EQ(json_text("\u0080\u0085\u009b\u009f"), R"(\u0080\u0085\u009b\u009f)");
  EXPECT_EQ(json_text("a\u2028b\u2029c"), R"(a\u2028b\u2029c)");
  EXPECT_EQ(json_text("\u061c\u200e\u200f\u202a\u202e\u2066\u2069"), R"(\u061c\u200e\u200f\u202a\u202e\u2066\u2069)");
}

TEST(WholeCharacters, AreCutBetweenAndNotWithin) {
  const std::string text = "a\u00eb\u65e5\U0001f600";  // 1, 2, 3 and 4 bytes
  const std::array<std::size_t, 11> kept{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  for (std::size_t most = 0; most < kept.size(); ++most) EXPECT_EQ(whole_characters(text, most).size(), kept[most]);
  EXPECT_EQ(whole_characters("\x80\x80\x80\x80\x80", 4).size(), 4U) << "no characters";
  EXPECT_EQ(whole_characters("\xe2\x82", 1).size(), 1U);
}

}  // namespace
}  // namespace headgate
