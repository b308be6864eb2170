// Mirrors on the path: what is copied, and that nothing of it reaches the caller.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PathMirror : public Path {
 protected:
  PathMirror() { route.mirror.emplace().to = "shadow"; }

  Mirror& mirror() { return *route.mirror; }
  /// Lets the copies begin.
  void step() { clock.advance(Duration(0)); }
  std::string mirrored(const std::string& result) const {
    return metric("headgate_mirrored_requests_total{upstream=\"shadow\",result=\"" + result + "\"}");
  }
  const std::vector<std::string>& copies() const { return shadow->report.targets; }
};

TEST_F(PathMirror, SendsACopyAfterTheRequestItself) {
  check("GET /a?b=c", "X-User: me\r\nAuthorization: Basic bWU6\r\n");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(copies(), IsEmpty()) << "not before the worker's step is over";
  step();
  EXPECT_THAT(copies(), ElementsAre("GET /a?b=c"));
  EXPECT_EQ(shadow->report.head, app->report.head + "Headgate-Mirror: 1\n");
  EXPECT_THAT(app->report.head, HasSubstr("Authorization: Basic bWU6\n"));
  EXPECT_EQ(mirrored("answered"), "1");
  EXPECT_EQ(shadow->report.given_back, 1U);
  EXPECT_EQ(shadow->report.alive, 0U);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathMirror, CopiesABodyThatIsAtHand) {
  check("POST /a", "Content-Length: 3\r\n", {{"one", Duration(0), {}}});
  step();
  EXPECT_THAT(shadow->report.bodies, ElementsAre("one"));
  EXPECT_TRUE(shadow->report.whole);
}

TEST_F(PathMirror, CopiesABodyThatIsHeld) {
  route.held_body = 100;
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}});
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.bodies, ElementsAre("onetwo"));
  EXPECT_THAT(shadow->report.bodies, ElementsAre("onetwo"));
}

TEST_F(PathMirror, CopiesNoBodyThatIsTooLargeOrComesLater) {
  mirror().max_body = 2;
  check("POST /a", "Content-Length: 3\r\n", {{"one", Duration(0), {}}});
  step();
  EXPECT_EQ(mirrored("too_large"), "1");
  x.reset();
  client.forget();
  check("POST /a", "Content-Length: 2\r\n", {{"o", Duration(0), {}}, {"n", seconds(1), {}}});
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(mirrored("too_large"), "2");
  EXPECT_THAT(copies(), IsEmpty());
}

TEST_F(PathMirror, DoesNotLetAClientSendItsMark) {
  check("GET /a", "Headgate-Mirror: 1\r\nHeadgate_Mirror: 1\r\n");
  step();
  EXPECT_THAT(app->report.head, Not(HasSubstr("irror")));
  EXPECT_EQ(shadow->report.head, app->report.head + "Headgate-Mirror: 1\n");
}

TEST_F(PathMirror, CopiesAShareOfTheRequests) {
  mirror().share = kWholeShare / 10;
  constexpr int kRequests = 3000;
  for (int i = 0; i < kRequests; ++i) {
    if (done)
      ask_again("GET /a");
    else
      check("GET /a");
    step();
  }
  EXPECT_GT(copies().size(), kRequests / 10 - 100);
  EXPECT_LT(copies().size(), kRequests / 10 + 100);
}

TEST_F(PathMirror, NeverWaitsForACopy) {
  shadow->scripts.front().head_after = kNever;
  check("GET /a");
  ASSERT_TRUE(done);
  step();
  EXPECT_EQ(shadow->report.alive, 1U);
  clock.advance(mirror().timeout - milliseconds(1));
  EXPECT_EQ(shadow->report.alive, 1U);
  clock.advance(milliseconds(1));
  EXPECT_EQ(shadow->report.alive, 0U);
  EXPECT_EQ(mirrored("failed"), "1");
  EXPECT_EQ(shadow->report.given_back, 0U);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathMirror, EndsAnAnswerThatComesByteByByte) {
  auto& script = shadow->scripts.front();
  script.framing = {http::Framing::Kind::unknown, 0};
  script.body.clear();
  for (int i = 0; i < 100; ++i) script.body.push_back({"x", seconds(1), {}});
  check("GET /a");
  step();
  clock.advance(mirror().timeout);
  EXPECT_EQ(shadow->report.alive, 0U);
  EXPECT_EQ(mirrored("failed"), "1");
}

TEST_F(PathMirror, DropsCopiesBeyondItsBound) {
  mirror().in_flight = 2;
  shadow->scripts.front().head_after = seconds(1);
  for (int i = 0; i < 5; ++i) {
    if (done)
      ask_again("GET /a");
    else
      check("GET /a");
    step();
    ASSERT_EQ(client.status, 200U);
  }
  EXPECT_EQ(copies().size(), 2U);
  EXPECT_EQ(mirrored("dropped"), "3");
  clock.advance(seconds(1));
  ask_again("GET /a");
  step();
  EXPECT_EQ(copies().size(), 3U) << "their places are free again";
}

TEST_F(PathMirror, NeverSendsACopyAgain) {
  shadow->scripts.front().breaks = Failure{Failed::closed, error::eof, false, ""};
  check("GET /a");
  step();
  clock.advance(seconds(10));
  EXPECT_THAT(copies(), ElementsAre("GET /a"));
  EXPECT_EQ(mirrored("failed"), "1");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathMirror, SendsOneCopyOfARequestThatIsSentAgain) {
  retries();
  server.status = 503;
  app->scripts.emplace_back();
  check("GET /a");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.attempts, 2U);
  EXPECT_EQ(copies().size(), 1U);
}

TEST_F(PathMirror, CopiesNothingThatIsRejectedAndChargesNothing) {
  in_memory("plan", "1/hour");
  check("GET /a");
  ASSERT_TRUE(done);
  ask_again("GET /a");
  step();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(copies().size(), 1U);
}

TEST_F(PathMirror, CopiesNoUpgrade) {
  server.status = 101;
  server.framing = {};
  server.body = {{"", seconds(1), {}}};
  check("GET /a", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  step();
  EXPECT_THAT(copies(), IsEmpty());
  clock.advance(kNever);
}

TEST_F(PathMirror, BreaksCopiesOffAtTheEnd) {
  shadow->scripts.front().head_after = kNever;
  check("GET /a");
  step();
  ask_again("GET /b");
  ASSERT_TRUE(done);
  gateway->stop();  // one is under way, one has not begun
  step();
  EXPECT_EQ(shadow->report.alive, 0U);
  EXPECT_THAT(copies(), ElementsAre("GET /a"));
  EXPECT_EQ(clock.armed(), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
