// Limits that count the messages of a call: what a caller is told whose call is refused in the middle.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class PathMessages : public Path {
 protected:
  PathMessages() {
    limit_by("client_ip", "talk", "10/second").messages = true;
    upstream().http2 = true;
  }
  /// A request with so many messages at once.
  void call(std::size_t messages) {
    std::string body;
    for (std::size_t i = 0; i < messages; ++i) body += std::string("\0\0\0\0\1m", 6);
    begin_call({{std::move(body), Duration(0), {}}});
  }
  void begin_call(std::deque<Piece> body) {
    if (gateway != nullptr) {
      x.reset();
      client.forget();
    }
    check("POST /test.Chat/Talk", "Transfer-Encoding: chunked\r\n", std::move(body));
  }
};

TEST_F(PathMessages, LetACallThroughThatWaitsAsItWasTold) {
  call(9);
  EXPECT_EQ(client.status, 200U);
  call(8);
  ASSERT_EQ(client.status, 429U);
  const milliseconds wait(std::stoi(client.fields["Retry-After-Ms"]));
  clock.advance(wait - milliseconds(2));
  EXPECT_EQ(left("talk"), 7U) << "no longer than it must";
  clock.advance(milliseconds(2));
  call(8);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathMessages, TellThatNoWaitHelpsACallThatNeverFitsAndWhatIsLeft) {
  call(12);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("This call has sent 12 messages, and at most 10 are ever allowed at once here; 9 "
                                     "are left."));
  EXPECT_THAT(client.body, Not(HasSubstr("retry_after")));
  EXPECT_EQ(client.names.count("retry-after"), 0U);
  EXPECT_EQ(client.fields["X-Should-Retry"], "false");
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr(";r=9;"));
  EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "9");
  EXPECT_EQ(left("talk"), 9U);
}

TEST_F(PathMessages, CountAllOfACallThatComesInPieces) {
  const std::string message("\0\0\0\0\1m", 6);
  std::deque<Piece> body;
  for (int i = 0; i < 12; ++i) body.push_back({message, milliseconds(1), {}});
  server.head_after = seconds(9);
  begin_call(std::move(body));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body,
              HasSubstr("has sent 11 messages, and at most 10 are ever allowed at once here; 0 are left."));
}

TEST_F(PathMessages, TellTheWaitForTheNextOneOnceTheAnswerHasBegun) {
  const std::string message("\0\0\0\0\1m", 6);
  std::deque<Piece> body;
  for (int i = 0; i < 12; ++i) body.push_back({message, milliseconds(1), {}});
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"m", Duration(0), {}}, {"n", seconds(9), {}}};
  version = 20;
  check("POST /test.Chat/Talk", "Content-Type: application/grpc\r\n", std::move(body));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_EQ(x.retry_after, seconds(1)) << "its messages go on in another call";
}

TEST_F(PathMessages, AreNoneInABodyOfAnotherForm) {
  for (const std::string& body : {std::string("{\"a\":[0,0,0,0,0]}"), std::string("\x08\0\0\0\0\0\0\0\0\0", 10)}) {
    const auto before = gateway == nullptr ? 10U : left("talk");
    begin_call({{body, Duration(0), {}}});
    EXPECT_EQ(client.status, 200U);
    EXPECT_EQ(left("talk"), before - 1);
  }
}

}  // namespace
}  // namespace headgate::gateway::test
