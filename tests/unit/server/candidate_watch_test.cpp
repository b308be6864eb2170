// What the log says of a candidate.

#include "../../../src/server/candidate/candidate_watch.hpp"

#include "support/events.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/gateway/candidate.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/families/candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

using headgate::test::Events;
using headgate::test::VirtualClock;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WatchOfACandidate : public testing::Test {
 protected:
  static services::ActiveConfig with_candidate() {
    auto candidate = std::make_shared<services::ActiveCandidate>();
    candidate->config = std::make_shared<const config::Config>();
    candidate->compiled = std::make_shared<const gateway::CompiledConfig>(
        gateway::PathOptions(), identity::IdentityOptions(), std::vector<limit::Limit>(),
        std::vector<gateway::UpstreamOptions>(), 1);
    services::ActiveConfig out;
    out.candidate = std::move(candidate);
    return out;
  }
  /// So many requests that only the candidate would refuse.
  void hit(std::uint64_t requests) { registry.counter(0, observe::family::candidate_requests, {"hit"}).add(requests); }

  VirtualClock clock;
  observe::Registry registry;
  CandidateWatch watch{clock, registry};
  Events events;
};

TEST_F(WatchOfACandidate, TellsThatItDiffersWhenItFirstDoesAndThenOnceAMinute) {
  watch.start();
  hit(7);  // of one before
  watch.use(with_candidate(), true, false);
  EXPECT_THAT(events.lines, ElementsAre(AllOf(HasSubstr("candidate_set"), HasSubstr(R"("from":"file")"))));
  events.lines.clear();
  clock.advance(CandidateWatch::kTold);
  EXPECT_THAT(events.lines, IsEmpty()) << "it has not differed";
  hit(1);
  clock.advance(CandidateWatch::kEvery);
  EXPECT_THAT(events.lines, ElementsAre(AllOf(HasSubstr("candidate_differs"), HasSubstr(R"("hit":1)"))));
  hit(1);
  clock.advance(CandidateWatch::kTold - CandidateWatch::kEvery);
  EXPECT_EQ(events.lines.size(), 1U);
  clock.advance(CandidateWatch::kEvery);
  ASSERT_EQ(events.lines.size(), 2U);
  EXPECT_THAT(events.lines.back(), HasSubstr(R"("hit":2)"));
}

TEST_F(WatchOfACandidate, TellsThatItWasDroppedOrPromotedAndThenNothingMore) {
  watch.start();
  for (const auto& [promoted, event] : {std::pair{false, "candidate_dropped"}, std::pair{true, "candidate_promoted"}}) {
    watch.use(with_candidate(), false, false);
    events.lines.clear();
    watch.use({}, false, promoted);
    hit(1);
    clock.advance(2 * CandidateWatch::kTold);
    EXPECT_THAT(events.lines, ElementsAre(HasSubstr(event)));
  }
}

TEST_F(WatchOfACandidate, LooksNoMoreAfterItsStop) {
  watch.start();
  watch.use(with_candidate(), false, false);
  events.lines.clear();
  hit(1);
  watch.stop();
  watch.stop();
  EXPECT_EQ(clock.armed(), 0U);
  clock.advance(CandidateWatch::kTold);
  EXPECT_THAT(events.lines, IsEmpty());
}

}  // namespace
}  // namespace headgate::server
