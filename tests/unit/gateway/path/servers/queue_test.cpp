// Requests that wait for a place at the upstream: who gets it, how long they wait, what is given back.

#include "../../../../../src/gateway/exchange/deadline.hpp"
#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using shed::Priority;
using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class PathQueue : public Path {
 protected:
  /// The upstream takes one request at a time.
  void queue(std::uint32_t length = 10, Duration wait = milliseconds(500)) {
    shed::ConcurrencyOptions concurrency{.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1}};
    concurrency.queue = shed::QueueOptions{.length = length, .wait = wait};
    bound(concurrency);
    app->counted.emplace(concurrency);
  }
  void busy() { app->counted->enter(Priority::normal); }
  void free() { app->counted->left(Priority::normal); }
  std::size_t waiting() { return app->counted->queue()->size(); }
};

TEST_F(PathQueue, WaitsForAPlaceAndTakesItWhenItIsFree) {
  queue();
  busy();
  check("GET /a");
  EXPECT_FALSE(done);
  EXPECT_EQ(waiting(), 1u);
  clock.advance(milliseconds(200));
  free();
  EXPECT_EQ(app->counted->in_flight(), 1u) << "taken before anybody else can";
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.shedding.queued, Duration(milliseconds(200)));
  EXPECT_EQ(app->counted->in_flight(), 0u);
}

TEST_F(PathQueue, AsksNobodyToWaitWhileThereAreFreePlaces) {
  queue();
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.shedding.queued, Duration(0));
}

TEST_F(PathQueue, RefusesAfterTheLongestWaitAndGivesBackWhatWasTaken) {
  in_memory("plan", "10/hour");
  queue();
  busy();
  check("GET /a");
  clock.advance(milliseconds(500));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::shed);
  EXPECT_EQ(x.reason, "queue");
  EXPECT_EQ(left("plan"), 10u);
  EXPECT_EQ(waiting(), 0u);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("connect"))));
}

TEST_F(PathQueue, LeavesWithItsClient) {
  queue();
  busy();
  check("GET /a");
  leave();
  clock.advance(milliseconds(1));
  EXPECT_TRUE(done);
  EXPECT_EQ(waiting(), 0u);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("connect"))));
}

TEST_F(PathQueue, WaitsNoLongerThanTheDeadlineOfTheRequest) {
  queue();
  busy();
  const auto deadline = std::chrono::duration_cast<seconds>(clock.wall().time_since_epoch()).count();
  check("GET /a", "X-Request-Deadline: " + std::to_string(deadline) + "\r\n");
  ASSERT_TRUE(done) << "it is over";
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathQueue, WaitsNoLongerThanTheTimeoutOfTheRoute) {
  route.timeout = milliseconds(100);
  queue();
  busy();
  check("GET /a");
  clock.advance(milliseconds(100));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathQueue, GivesThePlaceToTheHigherPriority) {
  queue();
  busy();
  shed::Waiter other;
  other.priority = Priority::critical;
  static bool admitted = false;
  other.admitted = [](shed::Waiter&) { admitted = true; };
  check("GET /a");
  app->counted->queue()->push(other);
  free();
  EXPECT_TRUE(admitted);
  EXPECT_EQ(waiting(), 0u) << "the place that it did not take is free for the next";
}

TEST_F(PathQueue, RefusesTheNewcomerIfItIsFull) {
  queue(1);
  busy();
  shed::Waiter other;
  app->counted->queue()->push(other);
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.reason, "queue");
  app->counted->queue()->remove(other);
}

TEST(DeadlineIn, ReadsSecondsWithDecimals) {
  EXPECT_EQ(deadline_in("1795238424"), Instant(seconds(1'795'238'424)));
  EXPECT_EQ(deadline_in("1795238424.5"), Instant(seconds(1'795'238'424) + milliseconds(500)));
  EXPECT_EQ(deadline_in("0.000001"), Instant(Duration(1)));
  for (const auto* wrong : {"", ".", "1.", ".5", "-1", "1e9", "1795238424.1234567", "99999999999999999999", "soon"})
    EXPECT_FALSE(deadline_in(wrong)) << wrong;
}

}  // namespace
}  // namespace headgate::gateway::test
