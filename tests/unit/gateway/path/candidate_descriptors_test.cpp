// A candidate policy that decides about calls of Envoy's rate limit service.

#include "unit/gateway/path/candidate.hpp"
#include "unit/gateway/path/descriptors.hpp"

namespace headgate::gateway::test {
namespace {

class CandidateDescriptors : public WithDescriptors<PathCandidate> {
 protected:
  CandidateDescriptors() { matches(candidate_route, {{"user", "*"}}); }

  void plans(std::string_view live, std::string_view next, limit::Store store = limit::Store::memory) {
    limit_by("descriptor:user", "plan", live);
    beside("descriptor:user", "plan", next, store);
  }
  void call_times(int times, const std::string& user) {
    for (int i = 0; i < times; ++i) call_for(user);
  }
};

TEST_F(CandidateDescriptors, AreComparedWithTheLivePolicy) {
  plans("10/hour", "2/hour");
  call_times(3, "a");
  EXPECT_FALSE(over());
  call_times(1, "b");
  EXPECT_EQ(compared("both_allowed"), "3");
  EXPECT_EQ(compared("hit"), "1");
  EXPECT_EQ(of_limit("plan", "hit"), "1");
  const auto keys = candidate->take_keys();
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].limit, "plan");
}

TEST_F(CandidateDescriptors, MayPassWhereTheLivePolicyRejects) {
  plans("1/hour", "10/hour");
  call_times(3, "a");
  EXPECT_TRUE(over());
  EXPECT_EQ(of_limit("plan", "freed"), "2");
}

TEST_F(CandidateDescriptors, TakeNothingFromAnyLimitIfOneRejects) {
  plans("10/hour", "2/hour");
  call_times(2, "a");
  call({user("b"), user("a")});
  EXPECT_EQ(compared("hit"), "1");
  call_times(2, "b");
  EXPECT_EQ(compared("both_allowed"), "4");
}

TEST_F(CandidateDescriptors, AreAskedThoughNothingMatchesThemSoFar) {
  matches(candidate_route, {{"zone", "*"}});
  limit_by("descriptor:user", "plan", "10/hour");
  beside("descriptor:zone", "zone", "1/hour");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call({{.entries = {{"zone", "1"}}}}).at(0), "OK");
  EXPECT_EQ(of_limit("zone", "hit"), "2");
}

TEST_F(CandidateDescriptors, AreDecidedInRedisAfterTheAnswer) {
  plans("10/hour", "2/hour", limit::Store::redis);
  other->rejects = "plan";
  other->answers_after = seconds(1);
  call_times(1, "a");
  EXPECT_TRUE(done) << "the call does not wait for the candidate";
  EXPECT_EQ(compared("hit"), "0");
  clock.advance(seconds(1));
  EXPECT_EQ(compared("hit"), "1");
}

TEST_F(CandidateDescriptors, AreUndecidedWithoutTheRedisOfTheCandidate) {
  plans("10/hour", "2/hour", limit::Store::redis);
  other->away = boost::asio::error::timed_out;
  call_times(1, "a");
  EXPECT_EQ(undecided("redis_down"), "1");
}

TEST_F(CandidateDescriptors, AreSuspendedByTheCandidateAlone) {
  plans("10/hour", "1/hour");
  auto& policy = candidate_limits.back().ban.emplace();
  policy.offences = headgate::test::make_rule("1/minute", 0, "plan", "sliding_log");
  policy.first = policy.longest = std::chrono::hours(2);
  call_times(2, "a");
  clock.advance(std::chrono::hours(1));
  call_times(1, "a");
  EXPECT_FALSE(over());
  EXPECT_EQ(of_limit("plan", "hit"), "2") << "the second one was suspended";
}

}  // namespace
}  // namespace headgate::gateway::test
