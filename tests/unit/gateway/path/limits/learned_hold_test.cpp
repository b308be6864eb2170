// Holds that are learned from earlier calls of the same key.

#include "unit/gateway/path/limits/model_calls.hpp"

namespace headgate::gateway::test {
namespace {

class PathLearned : public ModelCalls {
 protected:
  PathLearned() {
    limit_by("header:x-caller", "tokens", "100000/hour").if_absent.last = limit::IfAbsent::Last::skip;
    counts_usage().hold.input = 4;
  }
  static std::string of(const std::string& caller) { return "X-Caller: " + caller + "\r\n"; }
};

TEST_F(PathLearned, HoldsTheInputByTheBytesThatTokensHad) {
  reports(500, 10);
  call(chat(100, 1'000), of("acme"));
  EXPECT_EQ(held(), 100 + 250) << "nothing is known yet";
  call(chat(100, 1'000), of("acme"));
  EXPECT_EQ(held(), 100 + 527) << "500 and a margin";
  call(chat(100, 1'000), of("other"));
  EXPECT_EQ(held(), 100 + 250) << "another key";
}

TEST_F(PathLearned, KeepsTheHoldsOfSteadyTrafficCloseAboveItsInput) {
  for (int i = 0; i < 40; ++i) {
    const std::size_t text = 2'000 + static_cast<std::size_t>(i * 7'919 % 3'000);
    const auto input = static_cast<int>(text * static_cast<std::size_t>(97 + i % 7) / 500);  // 20 bytes for 4 tokens
    reports(input, 1);
    call(chat(100, text), of("acme"));
    if (i < 8) continue;
    EXPECT_GE(held() - 100, input) << i;
    EXPECT_LE(static_cast<double>(held() - 100), 1.15 * input) << i;
  }
}

TEST_F(PathLearned, KeepsOneByteForATokenAsTheBoundThatItIs) {
  route.limits.back().cost.hold.input = 1;
  reports(500, 10);
  call(chat(100, 1'000), of("acme"));
  call(chat(100, 1'000), of("acme"));
  EXPECT_EQ(held(), 100 + 1'000);
}

TEST_F(PathLearned, LearnsNothingFromAnError) {
  server.status = 400;
  reports(500, 10);
  call(chat(100, 1'000), of("acme"));
  call(chat(100, 1'000), of("acme"));
  EXPECT_EQ(held(), 100 + 250);
}

TEST_F(PathLearned, CountsTextByItIfAnAnswerReportsNothing) {
  reports(950, 10);
  call(chat(100, 1'000), of("acme"));
  answers(R"({"choices":[{"message":{"content":")" + std::string(95, 'y') + R"("}}]})");
  call(chat(100, 1'000), of("acme"));
  EXPECT_EQ(x.admission.limits.front().used, 1'000 + 95);
}

TEST_F(PathLearned, SurvivesAReload) {
  reports(500, 10);
  call(chat(100, 1'000), of("acme"));
  reload();
  call(chat(100, 1'000), of("acme"));
  EXPECT_EQ(held(), 100 + 527);
}

class PathLearnedOutput : public PathLearned {
 protected:
  PathLearnedOutput() {
    auto& cost = route.limits.back().cost;
    cost.hold.input = 0;
    cost.hold.learned = true;
  }
};

TEST_F(PathLearnedOutput, HoldsTheLargestOutputOfTheLastCalls) {
  reports(5, 30);
  call(chat(4'000), of("acme"));
  EXPECT_EQ(held(), 100) << "`otherwise`, until there is a call";
  reports(5, 20);
  call(chat(4'000), of("acme"));
  EXPECT_EQ(held(), 30);
  for (int i = 0; i < 7; ++i) call(chat(4'000), of("acme"));
  EXPECT_EQ(held(), 30);
  call(chat(4'000), of("acme"));
  EXPECT_EQ(held(), 20) << "30 is no longer one of the last 8";
  call(chat(4'000), of("other"));
  EXPECT_EQ(held(), 100) << "another key";
}

TEST_F(PathLearnedOutput, NeverHoldsMoreThanTheRequestAllows) {
  call(chat(70), of("acme"));
  EXPECT_EQ(held(), 70);
  reports(5, 3'000);
  call(chat(4'000), of("acme"));
  call(chat(50), of("acme"));
  EXPECT_EQ(held(), 50);
  call(R"({"messages":[]})", of("acme"));
  EXPECT_EQ(held(), 3'000);
}

TEST_F(PathLearnedOutput, HoldsMostWithoutOtherwise) {
  auto& cost = route.limits.back().cost;
  cost.hold.otherwise_most = true;
  cost.default_value = cost.most;
  reports(5, 3'000);
  call(R"({"messages":[]})", of("acme"));
  EXPECT_EQ(held(), 5'000);
  call(R"({"messages":[]})", of("acme"));
  EXPECT_EQ(held(), 3'000);
  call("no JSON", of("acme"));
  EXPECT_EQ(held(), 5'000) << "a call that cannot be read may ask for anything";
}

TEST_F(PathLearnedOutput, LearnsWhatWasCountedIfTheClientLeaves) {
  reports(5, 10);
  call(chat(4'000), of("acme"));
  server.body = {{R"({"choices":[{"message":{"content":")" + std::string(800, 'y') + '"', Duration(0), {}},
                 {"}}]}", seconds(5), {}}};
  call(chat(4'000), of("acme"));
  leave();
  ASSERT_TRUE(done);
  reports(5, 10);
  call(chat(4'000), of("acme"));
  EXPECT_EQ(held(), 200);
}

}  // namespace
}  // namespace headgate::gateway::test
