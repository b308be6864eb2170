// Looks at the bytes of bodies as they pass: they see all of them, and change nothing.

#include "headgate/http/body_look.hpp"

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

/// Counts the bytes of a body.
class CountedBytes final : public http::BodyLook {
 public:
  std::size_t bytes = 0;
  std::size_t pieces = 0;
  const char* at = nullptr;  ///< where the last of them are

 private:
  void look(std::string_view some) noexcept override {
    bytes += some.size();
    ++pieces;
    at = some.data();
  }
};

class PathBodyLook : public Path {
 protected:
  PathBodyLook() {
    request_looks = &asked;
    answer_looks = &answered;
  }
  CountedBytes asked;
  CountedBytes answered;
};

TEST_F(PathBodyLook, CountsTheBytesOfBothBodiesAsTheyPass) {
  server.framing = {http::Framing::Kind::length, 7};
  server.body = {{"one", Duration(0), {}}, {"four", seconds(1), {}}};
  check("POST /a", "Content-Length: 5\r\n", {{"ab", Duration(0), {}}, {"cde", seconds(1), {}}});
  EXPECT_EQ(asked.bytes, 2U);
  EXPECT_EQ(app->report.body, "ab") << "it does not wait for the rest";
  clock.advance(seconds(1));
  EXPECT_EQ(asked.bytes, 5U);
  EXPECT_EQ(app->report.body, "abcde");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, "onefour");
  EXPECT_EQ(answered.bytes, 7U);
  EXPECT_EQ(answered.pieces, 2U);
}

TEST_F(PathBodyLook, PassesEachPieceBeforeTheNextOneComes) {
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"one", Duration(0), {}}, {"two", seconds(1), {}}};
  check("GET /a");
  EXPECT_EQ(client.body, "one");
  EXPECT_EQ(answered.bytes, 3U);
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, "onetwo");
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(answered.bytes, 6U);
}

TEST_F(PathBodyLook, SeveralSeeTheSameBytesInTheSamePlace) {
  CountedBytes second;
  answered.next = &second;
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, "ok");
  EXPECT_EQ(answered.bytes, 2U);
  EXPECT_EQ(second.bytes, 2U);
  EXPECT_EQ(answered.at, second.at) << "nothing is copied";
}

TEST_F(PathBodyLook, SeesABodyThatIsSentTwiceOnce) {
  retries().on_connect_error = true;
  route.held_body = 100;
  server.unreachable = Failure{.what = Failed::no_connection};
  app->scripts.emplace_back();
  check("PUT /a", "Content-Length: 3\r\n", {{"abc", Duration(0), {}}});
  while (!done) clock.advance(milliseconds(100));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->report.body, "abc");
  EXPECT_EQ(asked.bytes, 3U);
  EXPECT_EQ(answered.bytes, 2U);
}

TEST_F(PathBodyLook, SeesNothingOfAnAnswerThatIsThrownAway) {
  retries();
  server.status = 503;
  app->scripts.emplace_back();
  check("GET /a");
  while (!done) clock.advance(milliseconds(100));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(answered.bytes, 2U);
}

TEST_F(PathBodyLook, IsToldOfAnErrorAsTheReaderIs) {
  server.framing = {http::Framing::Kind::length, 9};
  server.body = {{"one", Duration(0), {}}, {"", Duration(0), boost::asio::error::connection_reset}};
  check("GET /a");
  while (!done) clock.advance(milliseconds(100));
  EXPECT_EQ(answered.bytes, 3U);
  EXPECT_EQ(x.ended_by, EndedBy::upstream_closed);
  EXPECT_FALSE(client.ended);
}

}  // namespace
}  // namespace headgate::gateway::test
