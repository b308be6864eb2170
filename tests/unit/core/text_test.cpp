#include "headgate/core/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate {
namespace {

TEST(Lower, FoldsLettersOfAsciiAndNothingElse) {
  EXPECT_EQ(lower("AbZ-09@[`{"), "abz-09@[`{");
  EXPECT_EQ(lower("\xc4"), "\xc4");
  EXPECT_EQ(lower(""), "");
}

TEST(SameWord, ComparesAsciiLettersOnlyWithoutCase) {
  EXPECT_TRUE(same_word("Keep-Alive", "kEEP-aLIVE"));
  EXPECT_TRUE(same_word("", ""));
  EXPECT_FALSE(same_word("a", "ab"));
  EXPECT_FALSE(same_word("@", "`")) << "32 apart, but no letters";
  EXPECT_FALSE(same_word("[", "{"));
  EXPECT_FALSE(same_word("\xc4", "\xe4"));
}

TEST(SameWord, IsExactAtEachPlaceOfAnyLengthForAnyTwoCharacters) {
  for (std::size_t size = 1; size <= 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int left = 0; left < 256; ++left) {
        std::string a(size, 'x');
        std::string b(size, 'X');
        a[at] = static_cast<char>(left);
        for (const int right : {left, left ^ 0x20, left ^ 0x40, left ^ 0x80, left ^ 0xa0, (left + 1) % 256}) {
          b[at] = static_cast<char>(right);
          ASSERT_EQ(same_word(a, b), lower(a) == lower(b)) << size << ' ' << at << ' ' << left << ' ' << right;
        }
      }
    }
  }
}

TEST(Trimmed, TakesBlanksAndTabsOffBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed("\ra\n"), "\ra\n") << "a line's end is no blank";
}

TEST(Joined, PutsTheTextBetweenEachTwo) {
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a"}, ", "), "a");
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b"}, ","), ",b") << "an empty word is a word";
}

}  // namespace
}  // namespace headgate
