// Requests that wait for a permit in flight: in which order they get it, how long they wait, what they hold meanwhile.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Somebody else who waits for the same permits.
struct Other final : shed::WaitQueues::Member {
  bool called = false;
  void its_turn() noexcept override { called = true; }
};

class PathInTurn : public Path {
 protected:
  ~PathInTurn() override { flights.leave(other); }

  void queue(std::uint64_t most, std::uint32_t length = 10, limit::Store store = limit::Store::memory) {
    auto& rule = in_flight("flights", most, store).tiers.front().rules.front();
    rule.wait = seconds(2);
    rule.queue = length;
  }
  /// Another exchange of this caller takes a permit, or gives it back.
  void take(const std::string& name = "flights") {
    limit::Decision decision;
    const auto check = permit(name);
    memory.store().decide({&check, 1}, clock.wall(), {&decision, 1});
    ASSERT_TRUE(decision.allowed);
  }
  void give_back(const std::string& name = "flights") {
    const auto check = permit(name);
    memory.store().give_back({&check, 1}, clock.wall());
    flights.freed(check.hash);
  }
  limit::Check permit(const std::string& name) const {
    for (const auto& limit : limits)
      if (limit.name == name) return headgate::test::make_check(limit.tiers.front().rules.front(), "192.0.2.7", 1);
    throw std::logic_error(name);
  }
  void another_waits(std::size_t most = 10) { flights.join(other, permit("flights").hash, most); }
  bool waits() const { return flights.anyone_waits(permit("flights").hash); }

  Other other;
};

TEST_F(PathInTurn, WaitForAPermitAndTakeItWhenItComesBack) {
  queue(1);
  take();
  check("GET /a");
  EXPECT_FALSE(done);
  clock.advance(milliseconds(700));
  EXPECT_FALSE(done);
  give_back();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.flight.waited, Duration(milliseconds(700)));
  EXPECT_EQ(left("flights"), 1U);
  EXPECT_FALSE(waits());
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathInTurn, AskNobodyToWaitWhileThereArePermits) {
  queue(2);
  take();
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.flight.waited, Duration(0));
  EXPECT_EQ(x.flight.waited_for, nullptr);
}

TEST_F(PathInTurn, RejectWhenTheWaitIsOver) {
  queue(1);
  take();
  check("GET /a");
  clock.advance(milliseconds(1999));
  EXPECT_FALSE(done);
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_FALSE(waits());
  EXPECT_EQ(left("flights"), 0U) << "it held nothing, and gives nothing back";
}

TEST_F(PathInTurn, RejectAtOnceIfTheQueueIsFull) {
  queue(1, 1);
  take();
  another_waits();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathInTurn, LetNobodyPassThoseWhoWait) {
  queue(1);
  another_waits();
  check("GET /a");
  clock.advance(seconds(1));
  EXPECT_FALSE(done) << "the free permit is that of the other one";
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("memory"))));
  flights.leave(other);
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathInTurn, LetNobodyPassThoseWhoWaitAlsoIfTheQueueIsFull) {
  in_memory("plan", "10/hour");
  queue(1, 1);
  another_waits();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["RateLimit"], "\"flights\";r=0");
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(left("flights"), 1U);
  EXPECT_EQ(left("plan"), 10U);
}

TEST_F(PathInTurn, TellTheNextOneWhenTheyLeave) {
  queue(1);
  take();
  check("GET /a");
  another_waits();
  EXPECT_FALSE(other.called);
  give_back();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_TRUE(other.called);
}

TEST_F(PathInTurn, LeaveWithTheirClient) {
  queue(1);
  take();
  check("GET /a");
  leave();
  clock.advance(milliseconds(1));
  EXPECT_TRUE(done);
  EXPECT_FALSE(waits());
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("connect"))));
  EXPECT_EQ(left("flights"), 0U);
}

TEST_F(PathInTurn, WaitNoLongerThanTheDeadlineOfTheRequest) {
  queue(1);
  take();
  const auto deadline = std::chrono::duration_cast<seconds>(clock.wall().time_since_epoch()).count() + 1;
  check("GET /a", "X-Request-Deadline: " + std::to_string(deadline) + "\r\n");
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathInTurn, DoNotWaitIfAnotherLimitRejectsThem) {
  in_memory("plan", "1/hour");
  queue(1);
  take("plan");
  take();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("1/hour"));
}

TEST_F(PathInTurn, TakeNothingOfOtherLimitsWhileTheyWait) {
  in_memory("plan", "10/hour");
  queue(1);
  take();
  check("GET /a");
  EXPECT_EQ(left("plan"), 10U);
  give_back();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 9U);
}

TEST_F(PathInTurn, AreRejectedByALimitThatIsUsedUpMeanwhile) {
  in_memory("plan", "1/hour");
  queue(1);
  take();
  check("GET /a");
  EXPECT_FALSE(done);
  take("plan");
  give_back();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("1/hour"));
  EXPECT_EQ(left("flights"), 1U);
  EXPECT_FALSE(waits());
}

TEST_F(PathInTurn, WaitForOneLimitAfterTheOther) {
  queue(1);
  in_flight("others", 1).tiers.front().rules.front().wait = seconds(2);
  limits.back().tiers.front().rules.front().queue = 10;
  take("flights");
  take("others");
  check("GET /a");
  clock.advance(seconds(1));
  give_back("flights");
  clock.advance(Duration(0));
  EXPECT_FALSE(done);
  EXPECT_EQ(left("flights"), 1U) << "it takes both or none";
  EXPECT_TRUE(flights.anyone_waits(permit("others").hash));
  give_back("others");
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.flight.waited, Duration(seconds(1)));
}

TEST_F(PathInTurn, DoNotWaitForALimitThatOnlyObserves) {
  queue(1);
  limits.front().mode = limit::Mode::observe;
  take();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathInTurn, WakeTheNextOneIfALaterLimitRejectsThem) {
  queue(1);
  in_redis("far", "10/hour");
  redis->rejects = "far";
  redis->answers_after = milliseconds(10);
  check("GET /a");
  another_waits();
  EXPECT_FALSE(other.called);
  clock.advance(milliseconds(10));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_TRUE(other.called) << "its permit came back";
}

TEST_F(PathInTurn, AskRedisAgainAndAgainWhileTheyAreTheFirst) {
  queue(1, 10, limit::Store::redis);
  redis->rejects = "flights";
  check("GET /a");
  EXPECT_FALSE(done);
  EXPECT_THAT(redis->waited, ElementsAre(0U, 1U)) << "first it only asks, then it stands in the queue";
  clock.advance(milliseconds(50));
  EXPECT_THAT(redis->waited, ElementsAre(0U, 1U, 26U, 51U));
  redis->rejects.clear();
  clock.advance(milliseconds(25));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.flight.waited, Duration(milliseconds(75)));
  EXPECT_THAT(redis->settled, ElementsAre("flights -1")) << "given back at the end";
}

TEST_F(PathInTurn, AskRedisLessOftenTheLongerTheyWait) {
  queue(1, 10, limit::Store::redis);
  limits.front().tiers.front().rules.front().wait = seconds(60);
  redis->rejects = "flights";
  check("GET /a");
  clock.advance(seconds(10));
  const auto before = redis->waited.size();
  EXPECT_LE(before, 70U);
  clock.advance(seconds(10));
  EXPECT_EQ(redis->waited.size() - before, 40U) << "four a second";
}

TEST_F(PathInTurn, AskRedisAtOnceWhenAPermitComesBackHere) {
  queue(1, 10, limit::Store::redis);
  redis->rejects = "flights";
  check("GET /a");
  clock.advance(milliseconds(1));
  flights.freed(permit("flights").hash);
  clock.advance(Duration(0));
  EXPECT_THAT(redis->waited, ElementsAre(0U, 1U, 2U));
  clock.advance(milliseconds(5));
  EXPECT_THAT(redis->waited, ElementsAre(0U, 1U, 2U, 7U)) << "the one that came back may have been on its way";
  clock.advance(milliseconds(5));
  EXPECT_EQ(redis->waited.size(), 4U);
}

TEST_F(PathInTurn, LeaveTheQueueInRedisWhenTheWaitIsOver) {
  queue(1, 10, limit::Store::redis);
  redis->rejects = "flights";
  check("GET /a");
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(redis->waited.back(), 0U) << "the last time it does not stand in the queue any more";
  EXPECT_THAT(redis->settled, ElementsAre("flights -1"));
}

TEST_F(PathInTurn, DoNotAskRedisBehindOthersOfThisGateway) {
  queue(1, 10, limit::Store::redis);
  another_waits();
  check("GET /a");
  clock.advance(seconds(1));
  EXPECT_TRUE(redis->waited.empty());
  flights.leave(other);
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_THAT(redis->waited, ElementsAre(1001U)) << "its wait counts from its arrival";
}

TEST_F(PathInTurn, WaitHereWhileRedisIsDown) {
  queue(1, 10, limit::Store::redis);
  redis->away = error::timed_out;
  take();
  check("GET /a");
  clock.advance(milliseconds(500));
  EXPECT_FALSE(done);
  give_back();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
}

}  // namespace
}  // namespace headgate::gateway::test
