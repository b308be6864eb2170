#include "../../../../src/session/h2/frame_rules.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::session {
namespace {

bool head(H2FrameRules& rules, std::int32_t stream) { return rules.allow(NGHTTP2_HEADERS, stream); }

TEST(H2FrameRulesTest, LetStreamsBeginInOrderAndGoOn) {
  H2FrameRules rules;
  for (const std::int32_t stream : {1, 3, 1, 5, 3, 5}) EXPECT_TRUE(head(rules, stream)) << stream;
}

TEST(H2FrameRulesTest, LetNoneBeginThatWasLeftOut) {
  H2FrameRules rules;
  EXPECT_TRUE(head(rules, 7));
  for (const std::int32_t stream : {1, 3, 5}) EXPECT_FALSE(head(rules, stream)) << stream;
  EXPECT_TRUE(head(rules, 9));
  EXPECT_TRUE(head(rules, 15));
  EXPECT_FALSE(head(rules, 13));
  EXPECT_FALSE(head(rules, 1)) << "what was left out before is known";
  EXPECT_TRUE(head(rules, 7));
}

TEST(H2FrameRulesTest, ForgetWhatWasLeftOutLongAgo) {
  H2FrameRules rules;
  for (std::int32_t stream = 3; stream <= 3 + 4 * 8; stream += 4) EXPECT_TRUE(head(rules, stream));
  EXPECT_TRUE(head(rules, 1)) << "nghttp2 leaves it out";
  EXPECT_FALSE(head(rules, 33));
}

TEST(H2FrameRulesTest, KnowTheLastNumber) {
  H2FrameRules rules;
  constexpr std::int32_t kLast = 0x7fffffff;
  EXPECT_TRUE(head(rules, kLast));
  EXPECT_TRUE(head(rules, kLast));
  EXPECT_FALSE(head(rules, kLast - 2));
}

TEST(H2FrameRulesTest, LetOthersJudgeOtherFrames) {
  H2FrameRules rules;
  EXPECT_TRUE(head(rules, 2));
  EXPECT_TRUE(head(rules, 0));
  EXPECT_TRUE(rules.allow(NGHTTP2_DATA, 0));
  EXPECT_TRUE(rules.allow(NGHTTP2_PRIORITY, 5));
  EXPECT_FALSE(rules.allow(NGHTTP2_PRIORITY, 0));
  EXPECT_TRUE(head(rules, 1)) << "they have begun no stream";
}

std::string frame(std::size_t size, char type, char stream) {
  return std::string{
             '\0',  static_cast<char>(size >> 8U), static_cast<char>(size & 0xffU), type, '\0', '\0', '\0', '\0',
             stream} +
         std::string(size, 'x');
}

TEST(H2FrameHeadsTest, AreFoundWhereverReadsHaveCutThem) {
  const auto all = std::string(24, 'P') + frame(0, 4, 0) + frame(300, 1, 1) + frame(9, 0, 1) + frame(0, 0, 3);
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    H2FrameHeads heads;
    std::string found;
    for (std::size_t begin = 0; begin < all.size(); begin += piece) {
      const auto bytes = std::string_view(all).substr(begin, piece);
      for (std::size_t at = 0; at < bytes.size();) {
        at += heads.go(bytes.substr(at));
        if (heads.at_head()) found += std::to_string(heads.type()) + '/' + std::to_string(heads.stream()) + ' ';
      }
    }
    ASSERT_EQ(found, "4/0 1/1 0/1 0/3 ") << piece;
  }
}

}  // namespace
}  // namespace headgate::session
