#include "headgate/core/text_cursor.hpp"

#include "headgate/core/eight_bytes.hpp"
#include "headgate/core/json_text.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace headgate
