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

TEST(SameWord, LooksAtEachByteOfWordsOfAnyLength) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string small(size, 'k');
    const std::string capital(size, 'K');
    EXPECT_TRUE(same_word(small, capital)) << size;
    for (std::size_t at = 0; at < size; ++at) {
      auto other = capital;
      other[at] = 'X';
      EXPECT_FALSE(same_word(small, other)) << at << " of " << size;
      EXPECT_FALSE(same_word(other, small)) << at << " of " << size;
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
