// Tests of the harness itself: the fake upstream does what it is told, and the strict reader refuses what is not HTTP.

#include "blackbox/harness/fake_upstream.hpp"
#include "blackbox/harness/raw_client.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

Message answer_of(const std::string& fields, const std::string& method = "GET", const std::string& body = "") {
  FakeUpstream upstream;
  RawClient client(upstream.port());
  return client.ask(request_with_body(method, "/x", body, fields),
                    method == "HEAD" ? Kind::answer_to_head : Kind::answer);
}

/// The error of the reader for an answer of exactly these bytes.
std::string error_in(const std::string& raw) {
  return answer_of("X-Test-Close: 1\r\nX-Test-Raw: " + to_hex(raw) + "\r\n").error;
}

TEST(FakeUpstream, AnswersAsTheRequestAsks) {
  const Message answer = answer_of("X-Test-Status: 404\r\nX-Test-Reason: Gone Fishing\r\nX-Test-Bytes: 12\r\n");
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(answer.status(), 404);
  EXPECT_EQ(answer.reason(), "Gone Fishing");
  EXPECT_EQ(answer.body, pattern(12));
}

TEST(FakeUpstream, RemembersRequestsExactly) {
  FakeUpstream upstream;
  RawClient client(upstream.port());
  const std::string sent = request_with_body("POST", "/a?b=c", "body", "A:  b\r\n");
  EXPECT_EQ(client.ask(sent).status(), 200);
  EXPECT_EQ(client.get().status(), 200);
  ASSERT_EQ(upstream.request_count(), 2U);
  const Seen first = upstream.requests()[0];
  EXPECT_EQ(first.message.head + first.message.framed_body, sent);
  EXPECT_TRUE(first.whole);
  EXPECT_EQ(first.message.target(), "/a?b=c");
  EXPECT_EQ(upstream.connections(), 1U);
  EXPECT_EQ(upstream.closed(), 0U);
  client.socket().close();
  EXPECT_TRUE(upstream.wait_for_closed(1));
  EXPECT_EQ(upstream.complaints(), "");
}

TEST(FakeUpstream, ComplainsOfWhatIsNotHttp) {
  FakeUpstream upstream;
  RawClient client(upstream.port());
  client.send("GET / HTTP/1.1\nHost: x\n\n");
  EXPECT_TRUE(client.closes());
  EXPECT_NE(upstream.complaints().find("bare LF"), std::string::npos) << upstream.complaints();
  EXPECT_EQ(upstream.request_count(), 0U);
}

TEST(FakeUpstream, FramesInChunksWithExtensionsAndTrailers) {
  const Message answer = answer_of(
      "X-Test-Bytes: 1000\r\nX-Test-Chunked: 300\r\nX-Test-Chunk-Extension: a=b\r\nX-Test-Trailer: Sum: 7\r\n");
  EXPECT_EQ(answer.error, "not a chunk's size: 12c;a=b") << "the reader takes no extension: a gateway drops them";
  const Message plain = answer_of("X-Test-Bytes: 1000\r\nX-Test-Chunked: 300\r\nX-Test-Trailer: Sum: 7\r\n");
  EXPECT_TRUE(plain.ok()) << plain.error;
  EXPECT_EQ(plain.body, pattern(1000));
  EXPECT_EQ(plain.trailer("sum"), "7");
}

TEST(FakeUpstream, BreaksOffWhereItIsTold) {
  EXPECT_EQ(answer_of("X-Test-Reset: 1\r\n").error, "reset before a message");
  EXPECT_EQ(answer_of("X-Test-Cut: 1\r\nX-Test-Bytes: 100\r\n").error, "closed within a body");
}

TEST(FakeUpstream, EchoesAnUpgradedConnection) {
  FakeUpstream upstream;
  RawClient client(upstream.port());
  client.send(request("GET", "/ws", "Connection: Upgrade\r\nUpgrade: x\r\n") + "early");
  EXPECT_EQ(client.read_head().status(), 101);
  client.send("late");
  client.socket().finish_sending();
  EXPECT_EQ(client.read_to_end(), "earlylatebye 9");
}

TEST(FakeUpstream, HoldsAnAnswerUntilItIsReleased) {
  FakeUpstream upstream;
  RawClient client(upstream.port());
  client.send(request("GET", "/", "X-Test-Hold: 1\r\n"));
  EXPECT_TRUE(upstream.wait_for_requests(1));
  EXPECT_TRUE(client.stays_silent(Milliseconds(20)));
  upstream.release();
  EXPECT_EQ(client.read().status(), 200);
}

TEST(StrictReader, RefusesAnswersThatAreNotQuiteHttp) {
  EXPECT_EQ(error_in("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "");
  EXPECT_EQ(
      error_in("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").substr(0, 9),
      "framed as");
  EXPECT_EQ(error_in("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"), "not a length: 0, 0");
  EXPECT_EQ(error_in("HTTP/1.1 200 OK\r\nA : b\r\n\r\n"), "not a field: A : b");
  EXPECT_EQ(error_in("HTTP/1.1 200 OK\nA: b\r\n\r\n"), "a line ends in a bare LF: HTTP/1.1 200 OK before a message");
  EXPECT_EQ(error_in("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"), "closed within a body");
  EXPECT_EQ(error_in("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n"),
            "a chunk is longer than it said");
}

}  // namespace
}  // namespace headgate::test
