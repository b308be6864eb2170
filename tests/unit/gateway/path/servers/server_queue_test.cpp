// Requests that wait for a place at a server which may have only so many: who gets it, how long they wait, what is
// given back.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class PathServerQueue : public Path {
 protected:
  void servers(std::uint32_t most, std::uint32_t length = 10, Duration wait = milliseconds(500)) {
    upstream().server_queue = ServerQueue{.length = length, .wait = wait};
    app->places.emplace(most);
  }
  void busy() { ASSERT_TRUE(app->places->take()); }
  /// Another exchange, which held its place so long, ends; its worker tells who waits.
  void free(Duration held = Duration(0)) {
    app->places->leave(held);
    flights.freed(x.route->server_queue_key);
  }
};

TEST_F(PathServerQueue, TakesAPlaceAndGivesItBack) {
  servers(1);
  server.head_after = seconds(1);
  check("GET /a");
  EXPECT_EQ(app->places->taken(), 1U);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->places->taken(), 0U);
  EXPECT_EQ(x.shedding.queued, Duration(0));
}

TEST_F(PathServerQueue, WaitsAndGoesOnWhenAPlaceIsFree) {
  servers(1);
  busy();
  check("GET /a");
  EXPECT_FALSE(done);
  clock.advance(milliseconds(230));
  free();
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done) << "at once, and not when it looks again";
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.shedding.queued, Duration(milliseconds(230)));
  EXPECT_EQ(app->places->taken(), 0U);
  EXPECT_EQ(metric("headgate_queue_waiting{upstream=\"app\",worker=\"0\"}"), "0");
  EXPECT_EQ(metric("headgate_queue_seconds_count{upstream=\"app\"}"), "1");
}

TEST_F(PathServerQueue, LooksAgainByItself) {
  servers(1);
  busy();
  check("GET /a");
  app->places->leave(Duration(0));  // and nobody tells
  clock.advance(milliseconds(100));
  ASSERT_TRUE(done) << "a server that is healthy again tells nobody either";
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathServerQueue, LetsNobodyPassWhoCameLater) {
  servers(1);
  struct SomebodyElse final : shed::WaitQueues::Member {
    void its_turn() noexcept override {}
  } other;
  busy();
  check("GET /a");
  ASSERT_FALSE(done);
  leave();
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  ASSERT_EQ(flights.join(other, x.route->server_queue_key, 10), shed::InQueue::first);
  app->places->leave(Duration(0));
  ask_again("GET /b");
  EXPECT_FALSE(done) << "a place is free, but somebody waits for it";
  flights.leave(other);
  clock.advance(milliseconds(1));
  EXPECT_TRUE(done);
}

TEST_F(PathServerQueue, MakesRoomForACallerWithFewerRequestsInIt) {
  servers(1, 2);
  struct SomebodyElse final : shed::WaitQueues::Member {
    SomebodyElse() {
      priority = shed::Priority::normal;
      line = Hash{9, 9};
    }
    void its_turn() noexcept override {}
  } first, last;
  check("GET /a");
  ASSERT_TRUE(done);
  busy();
  for (auto* const each : {&first, &last}) flights.join(*each, x.route->server_queue_key, 2);
  ask_again("GET /b");
  EXPECT_FALSE(done) << "it waits";
  EXPECT_FALSE(last.queued()) << "the last of those that somebody else sent has to leave";
  flights.leave(first);
  free();
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  flights.leave(last);
}

TEST_F(PathServerQueue, RefusesAfterTheLongestWaitAndGivesBackWhatWasTaken) {
  in_memory("plan", "10/hour");
  servers(1);
  busy();
  check("GET /a");
  clock.advance(milliseconds(500));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(x.ended_by, EndedBy::shed);
  EXPECT_EQ(x.reason, "servers");
  EXPECT_EQ(left("plan"), 10U);
  EXPECT_EQ(app->places->taken(), 1U) << "the other one's";
  EXPECT_FALSE(flights.anyone_waits(x.route->server_queue_key));
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("connect"))));
}

TEST_F(PathServerQueue, SaysWhenTheServersWillHaveEndedWhatMayWait) {
  servers(2, 3);
  busy();
  busy();
  app->places->leave(seconds(5));  // a place is usually taken for 5 s
  busy();
  check("GET /a");
  clock.advance(milliseconds(500));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.fields["Retry-After"], "10") << "4 requests of 5 s, two at a time";
}

TEST_F(PathServerQueue, RefusesAtOnceWithoutAQueue) {
  servers(1, 0);
  busy();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(metric("headgate_shed_total{upstream=\"app\",layer=\"servers\",priority=\"normal\"}"), "1");
}

TEST_F(PathServerQueue, LetsAHigherPriorityGoFirst) {
  route.priority = shed::Priority::critical;
  servers(1);
  struct SomebodyElse final : shed::WaitQueues::Member {
    void its_turn() noexcept override {}
  } other;
  other.priority = shed::Priority::normal;
  check("GET /a");
  ASSERT_EQ(flights.join(other, x.route->server_queue_key, 10), shed::InQueue::first);
  ask_again("GET /b");
  EXPECT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  flights.leave(other);
}

TEST_F(PathServerQueue, HoldsPlacesForAHigherPriorityThatWasRefused) {
  options.shedding.priority_from = "x-priority";
  identity.trusted_proxies = {*identity::parse_network("192.0.2.0/24")};
  const std::string from = "X-Forwarded-For: 198.51.100.1\r\nX-Priority: ";
  servers(4, 0);
  for (int i = 0; i < 4; ++i) busy();
  check("GET /a", from + "critical\r\n");
  EXPECT_EQ(client.status, 503U);
  for (int i = 0; i < 3; ++i) ask_again("GET /a", from + "critical\r\n");  // a quarter of a place each
  app->places->leave(Duration(0));
  ask_again("GET /a", from + "normal\r\n");
  EXPECT_EQ(client.status, 503U) << "the free place is held for critical requests";
  EXPECT_EQ(metric("headgate_shed_total{upstream=\"app\",layer=\"servers\",priority=\"normal\"}"), "1");
  ask_again("GET /a", from + "critical\r\n");
  EXPECT_EQ(client.status, 200U);
  app->places->leave(Duration(0));
  ask_again("GET /a", from + "normal\r\n");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathServerQueue, LetsALowRequestTrickle) {
  route.priority = shed::Priority::low;
  servers(10, 0);
  for (int i = 0; i < 4; ++i)
    app->overloaded.refused(shed::Layer::servers, shed::Priority::normal, 0, 10, clock.steady());
  for (int i = 0; i < 9; ++i) busy();
  check("GET /a");
  EXPECT_EQ(client.status, 200U) << "one of each second is as good as a normal one";
  ask_again("GET /a");
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathServerQueue, LeavesWithItsClient) {
  servers(1);
  busy();
  check("GET /a");
  leave();
  clock.advance(milliseconds(1));
  EXPECT_TRUE(done);
  EXPECT_FALSE(flights.anyone_waits(x.route->server_queue_key));
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("connect"))));
}

TEST_F(PathServerQueue, WaitsNoLongerThanTheDeadlineOfTheRequest) {
  servers(1);
  busy();
  const auto deadline = std::chrono::duration_cast<seconds>(clock.wall().time_since_epoch()).count();
  check("GET /a", "X-Request-Deadline: " + std::to_string(deadline) + "\r\n");
  ASSERT_TRUE(done) << "it is over";
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathServerQueue, WaitsNoLongerThanTheTimeoutOfTheRoute) {
  route.timeout = milliseconds(100);
  servers(1);
  busy();
  check("GET /a");
  clock.advance(milliseconds(100));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathServerQueue, GivesThePlaceBackIfTheServerFails) {
  servers(1);
  server.unreachable = Failure{};
  check("GET /a");
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(app->places->taken(), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
