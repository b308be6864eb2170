// The last lines of the log, for trying a policy.

#include "headgate/observe/recent_lines.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::observe {
namespace {

constexpr Instant kBegin{std::chrono::seconds(1000)};

TEST(RecentLines, AreThereAsTheyWereWritten) {
  RecentLines lines;
  EXPECT_EQ(lines.text(kBegin), "");
  lines.add("a\nhalf of", kBegin);
  lines.add(" b\n", kBegin + std::chrono::minutes(1));
  EXPECT_EQ(lines.text(kBegin + std::chrono::minutes(2)), "a\nhalf of b\n");
}

TEST(RecentLines, BeginWithAWholeLineOnceOldOnesAreGone) {
  RecentLines lines;
  lines.add("a\nhalf of", kBegin);
  lines.add(" b\nc\n", kBegin + std::chrono::minutes(10));
  EXPECT_EQ(lines.text(kBegin + RecentLines::kMaxAge + std::chrono::seconds(1)), "c\n");
  EXPECT_EQ(lines.text(kBegin + std::chrono::minutes(60)), "");
}

TEST(RecentLines, NeverTakeMoreThanTheirBound) {
  RecentLines lines;
  const std::string line(999, 'x');
  for (int i = 0; i < 20'000; ++i) lines.add(line + '\n', kBegin + std::chrono::milliseconds(i));
  const auto text = lines.text(kBegin + std::chrono::minutes(1));
  EXPECT_LE(text.size(), RecentLines::kMax);
  EXPECT_GT(text.size(), RecentLines::kMax * 9 / 10);
  EXPECT_EQ(text.size() % 1000, 0U);
}

}  // namespace
}  // namespace headgate::observe
