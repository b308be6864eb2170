// A step that throws is a bug. Its request is answered, counted and logged like any other, and the holds of its limits
// are given back.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Place {
  std::string word;  ///< the word in the trace at which it throws
  bool held;         ///< whether the hold was taken before that
};

void PrintTo(const Place& place, std::ostream* out) { *out << place.word; }

/// A limit of each stage. The first holds five until the answer says the cost.
class Bugs : public Path, public testing::WithParamInterface<Place> {
 protected:
  Bugs() {
    in_memory("plan", "100/hour");
    settles(5);
    with_proof("proof", "10/hour");
    in_redis("far", "10/hour");
  }
};

TEST_P(Bugs, AreAnswered500AndCostNobodyAnything) {
  trace.bug_in = GetParam().word;
  check("GET /a", "Authorization: Bearer alice\r\n");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 500U);
  EXPECT_EQ(x.ended_by, EndedBy::bug);
  EXPECT_TRUE(counted(500));
  trace.bug_in.clear();
  EXPECT_EQ(left("plan"), 100U);
  EXPECT_EQ(app->report.alive, 0U);
  EXPECT_EQ(app->report.given_back, 0U);
  EXPECT_EQ(x.attempt, nullptr);
  EXPECT_EQ(x.delay, nullptr);
  EXPECT_EQ(trace.has("memory plan -5"), GetParam().held) << "what was never taken is not given back";
  ask_again("GET /a", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(client.status, 200U) << "the next one finds all as it was";
}

INSTANTIATE_TEST_SUITE_P(InEachStep, Bugs,
                         testing::Values(Place{"memory", false}, Place{"token", true}, Place{"redis", true},
                                         Place{"connect", true}, Place{"send", true}, Place{"head", true}),
                         [](const auto& each) { return each.param.word; });

TEST_F(Path, ABugInARejectionGivesBackOnce) {
  in_memory("plan", "100/hour");
  settles(5);
  in_redis("far", "10/hour");
  redis->rejects = "far";
  trace.bug_in = "answer";
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::bug);
  EXPECT_TRUE(trace.has("give-back plan 5"));
  EXPECT_FALSE(trace.has("memory plan -5"));
  EXPECT_EQ(left("plan"), 100U);
}

TEST_F(Path, ABugDuringTheAnswerBreaksItOff) {
  server.body = {{"o", Duration(0), {}}, {"k", seconds(1), {}}};
  trace.bug_in = "answer-body";
  check("GET /a");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_FALSE(client.ended) << "the codec sees that it is not whole";
  EXPECT_EQ(x.ended_by, EndedBy::bug);
  EXPECT_EQ(app->report.alive, 0U);
}

TEST_F(Path, ABugDuringABodyLeavesNoTaskBehind) {
  trace.bug_in = "head";
  check("POST /a", "Content-Length: 4\r\n", {{"four", seconds(1), {}}});
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 500U);
  EXPECT_EQ(app->report.alive, 0U);
  EXPECT_EQ(clock.armed(), 0U) << "the body is not waited for any more";
}

TEST_F(Path, ABugInABodyEndsItsExchange) {
  server.head_after = seconds(1);
  trace.bug_in = "send-body";
  check("POST /a", "Content-Length: 4\r\n", {{"four", milliseconds(1), {}}});
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(app->report.alive, 0U);
  EXPECT_EQ(app->report.given_back, 0U) << "the request was not sent to its end";
}

TEST_F(Path, ABugInATunnelLeavesNoTaskBehind) {
  server.status = 101;
  server.framing = {};
  server.body = {{"hello", seconds(1), {}}};
  in_tunnel = {{"ping", kNever, {}}};
  trace.bug_in = "answer-body";
  check("GET /a", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::bug);
  EXPECT_EQ(app->report.alive, 0U);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(Path, AnExceptionOfAnyTypeIsABug) {
  client.when_tunnelled = [](Duration) { throw 7; };
  server.status = 101;
  server.framing = {};
  check("GET /a", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::bug);
}

}  // namespace
}  // namespace headgate::gateway::test
