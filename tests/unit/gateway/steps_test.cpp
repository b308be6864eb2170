#include "headgate/gateway/steps.hpp"

#include "../../../src/gateway/steps/table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace headgate::gateway {
namespace {

TEST(Steps, StandInThePageAsInTheTable) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/docs/architecture.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find(steps_in_words()), std::string::npos) << "./dev docs reference writes it";
}

TEST(Steps, AreLeftOnlyWhenTheCostOfTheAnswerIsSettled) {
  StepSet left;
  for (const auto& row : kPath)
    if (row.leave != nullptr) left.add(row.step);
  EXPECT_EQ(left.last(), Step::settle) << "bills and notices look at what the request has cost in the end";
}

TEST(Steps, OfCandidatesDoNotWait) {
  for (const auto& row : kPath) {
    if ((row.marks & mark::of_candidates) == 0) continue;
    EXPECT_NE(row.peek.at_once, nullptr) << row.name;
    EXPECT_EQ(row.peek.task, nullptr) << row.name;
  }
}

TEST(Steps, ThatRunAtOnceOrWaitSayWhenTheyWait) {
  for (const auto& row : kPath)
    for (const auto& run : {row.live, row.peek})
      EXPECT_TRUE(run.at_once == nullptr || run.task == nullptr || run.waits != nullptr) << row.name;
}

TEST(Steps, OfASetComeInTheirOrder) {
  StepSet steps{Step::serve, Step::find_route, Step::delay};
  EXPECT_EQ(steps.first(), Step::find_route);
  EXPECT_EQ(steps.last(), Step::serve);
  EXPECT_EQ(steps.behind(Step::find_route).first(), Step::delay);
  EXPECT_TRUE(steps.behind(Step::serve).empty());
  EXPECT_EQ(steps.without({Step::find_route, Step::delay}).first(), Step::serve);
}

}  // namespace
}  // namespace headgate::gateway
