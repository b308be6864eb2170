// Looks at the bytes of answers as they pass: they see all of them, change nothing and delay nothing.

#include "headgate/http/body_look.hpp"

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

/// Counts the bytes of a body.
class CountedBytes final : public http::BodyLook {
 public:
  std::size_t bytes = 0;
  std::size_t pieces = 0;
  const char* at = nullptr;               ///< where the last of them are
  const std::string* received = nullptr;  ///< what the client has
  std::size_t received_before = 0;        ///< number of bytes that the client had when the last piece was seen

 private:
  void look(std::string_view some) noexcept override {
    bytes += some.size();
    ++pieces;
    at = some.data();
    if (received != nullptr) received_before = received->size();
  }
};

class PathBodyLook : public Path {
 protected:
  PathBodyLook() {
    answer_looks = &answered;
    answered.received = &client.body;
  }
  CountedBytes answered;
};

TEST_F(PathBodyLook, CountsTheBytesOfAnAnswerAsTheyPass) {
  server.framing = {http::Framing::Kind::length, 7};
  server.body = {{"one", Duration(0), {}}, {"four", seconds(1), {}}};
  check("GET /a");
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
  EXPECT_EQ(answered.received_before, 3U) << "the client has a piece before it is examined";
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, "onetwo");
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(answered.bytes, 6U);
  EXPECT_EQ(answered.received_before, 6U);
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
