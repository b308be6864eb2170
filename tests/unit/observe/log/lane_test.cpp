#include "../../../../src/observe/log/lane.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>

namespace headgate::observe {
namespace {

using Pushed = Lane::Pushed;

std::string taken_out(Lane& lane) {
  std::string out;
  for (auto text = lane.front(); !text.empty(); text = lane.front()) {
    out += text;
    lane.pop(text.size());
  }
  return out;
}

TEST(Lane, GivesBackWhatWasPutInInItsOrder) {
  Lane lane;
  EXPECT_TRUE(lane.front().empty());
  EXPECT_EQ(lane.push("one\n"), Pushed::kept);
  EXPECT_EQ(lane.push("two\n"), Pushed::kept);
  EXPECT_EQ(lane.front(), "one\ntwo\n");
  lane.pop(6);
  EXPECT_EQ(lane.front(), "o\n") << "of a line written in part the rest";
  lane.pop(2);
  EXPECT_TRUE(lane.front().empty());
}

TEST(Lane, TellsHowManyBytesWait) {
  Lane lane;
  EXPECT_EQ(lane.waiting(), 0U);
  lane.push("one\n");
  lane.push("two\n");
  EXPECT_EQ(lane.waiting(), 8U);
  lane.pop(6);
  EXPECT_EQ(lane.waiting(), 2U);
}

TEST(Lane, KeepsALineInOnePieceAndReportsAFullBlock) {
  Lane lane;
  const std::string line = std::string(1'000, 'x') + '\n';
  int full = 0;
  for (int i = 0; i < 500; ++i) full += lane.push(line) == Pushed::block_full ? 1 : 0;
  EXPECT_EQ(full, 7) << "500,500 bytes in blocks of 65";
  for (auto text = lane.front(); !text.empty(); text = lane.front()) {
    ASSERT_EQ(text.size() % line.size(), 0U);
    lane.pop(text.size());
  }
}

TEST(Lane, DropsAndCountsWhatFindsNoRoomAndTakesWhatComesLater) {
  Lane lane;
  const std::string line = std::string(999, 'x') + '\n';
  std::size_t kept = 0;
  while (lane.push(line) != Pushed::dropped) ++kept;
  EXPECT_EQ(lane.dropped(), 1U);
  EXPECT_GT(kept, 1'000U);
  EXPECT_EQ(lane.push(line), Pushed::dropped);
  EXPECT_EQ(taken_out(lane).size(), kept * line.size());
  EXPECT_NE(lane.push(line), Pushed::dropped);
  EXPECT_EQ(taken_out(lane), line);
  EXPECT_EQ(lane.dropped(), 2U);
}

TEST(Lane, DropsALineLongerThanABlock) {
  Lane lane;
  EXPECT_EQ(lane.push(std::string(Lane::kLongest + 1, 'x')), Pushed::dropped);
  EXPECT_EQ(lane.push(std::string(Lane::kLongest, 'x')), Pushed::kept);
  EXPECT_EQ(lane.front().size(), Lane::kLongest);
}

TEST(Lane, LosesNothingBetweenTwoThreads) {
  Lane lane;
  constexpr int kLines = 200'000;
  std::thread writer([&lane] {
    std::mt19937 random(7);
    std::uniform_int_distribution<std::size_t> length(0, 700);
    for (int i = 0; i < kLines; ++i) {
      const auto line = std::to_string(i) + ' ' + std::string(length(random), 'x') + '\n';
      while (lane.push(line) == Pushed::dropped) std::this_thread::yield();
    }
  });
  int next = 0;
  bool right = true;
  while (next < kLines && right) {
    const auto text = lane.front();
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      right = right && end != text.npos && std::stoi(std::string(text.substr(at, 8))) == next;
      if (!right) break;
      ++next;
      at = end + 1;
    }
    lane.pop(text.size());
  }
  EXPECT_TRUE(right) << "at line " << next;
  if (!right) taken_out(lane);
  writer.join();
}

}  // namespace
}  // namespace headgate::observe
