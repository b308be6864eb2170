// Answers that could be read in two ways: 502 or a visible break, and the server connection is never used again.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

std::string raw(const std::string& answer, const std::string& more = "") {
  return "X-Test-Raw: " + to_hex(answer) + "\r\n" + more;
}

/// Each answer is refused with 502, and the next request uses another server connection.
void expect_bad_gateway(const std::vector<std::string>& answers) {
  Proxy proxy;
  for (const auto& answer : answers) {
    SCOPED_TRACE(visible(answer));
    RawClient client = proxy.client();
    const std::size_t before = proxy.upstream.connections();
    // A complete other answer follows: it must never become the answer to the next request.
    const std::string poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison";
    expect_problem(client.ask(request("POST", "/", raw(answer + poison))), 502);
    const Message next = client.get();
    if (next.ok()) {
      EXPECT_EQ(next.status(), 200);
      EXPECT_EQ(next.body, pattern(3));
    }
    const Message other = proxy.client().get();
    EXPECT_EQ(other.status(), 200);
    EXPECT_EQ(other.body, pattern(3));
    EXPECT_TRUE(proxy.upstream.wait_for_closed(before + 1)) << "the connection is kept";
    proxy.upstream.drop_connections();
    EXPECT_TRUE(proxy.upstream.wait_for_closed(proxy.upstream.connections()));
  }
}

std::string answer_with(const std::string& fields, const std::string& body = "") {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}

TEST(StrictAnswers, FramingSaidTwiceIsRefused) {
  expect_bad_gateway({answer_with("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                      answer_with("Content-Length: 2\r\nContent-Length: 2\r\n", "ok"),
                      answer_with("Content-Length: 2\r\nContent-Length: 3\r\n", "ok"),
                      answer_with("Content-Length: 2, 2\r\n", "ok"),
                      answer_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")});
}

TEST(StrictAnswers, CodingsThatAreNotChunkedAreRefused) {
  expect_bad_gateway(
      {answer_with("Transfer-Encoding: gzip\r\n", "ok"), answer_with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
       answer_with("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
       answer_with("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"),
       answer_with("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"), answer_with("Transfer-Encoding:\r\n", "ok"),
       answer_with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
       "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"});
}

TEST(StrictAnswers, LengthsThatAreNotDigitsAreRefused) {
  std::vector<std::string> answers;
  for (const char* length : {"+2", "-2", "0x2", "02", "", "two", "2;", "18446744073709551616", "9223372036854775808"}) {
    answers.push_back(answer_with("Content-Length: " + std::string(length) + "\r\n", "ok"));
  }
  expect_bad_gateway(answers);
}

TEST(StrictAnswers, HeadsThatAreNotHttpAreRefused) {
  expect_bad_gateway(
      {answer_with("A: b\r\n c\r\nContent-Length: 2\r\n", "ok"), answer_with("A : b\r\nContent-Length: 2\r\n", "ok"),
       answer_with("no colon\r\nContent-Length: 2\r\n", "ok"), answer_with(": a\r\nContent-Length: 2\r\n", "ok"),
       answer_with(std::string("A: b\0c\r\nContent-Length: 2\r\n", 27), "ok"),
       answer_with("A: b\rc\r\nContent-Length: 2\r\n", "ok"), "hello\r\n\r\n", "\x16\x03\x01\r\n\r\n"});
}

TEST(StrictAnswers, StatusLinesThatMeanNothingAreRefused) {
  std::vector<std::string> answers;
  for (const char* line :
       {"HTTP/1.1 99 Low", "HTTP/1.1 099 Low", "HTTP/1.1 600 High", "HTTP/1.1 999 High", "HTTP/1.1 abc What",
        "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1  200 OK", "HTTP/1.1", "HTTP/2.0 200 OK", "HTTP/0.9 200 OK",
        "http/1.1 200 OK", "HTTP/1.1 -200 OK", "ICY 200 OK", "HTTP/1.1 000 OK"}) {
    answers.push_back(std::string(line) + "\r\nContent-Length: 2\r\n\r\nok");
  }
  expect_bad_gateway(answers);
}

TEST(StrictAnswers, StatusesWithoutABodyCarryNoFraming) {
  Proxy proxy;
  for (const char* answer : {"HTTP/1.1 204 No Content\r\nContent-Length: 6\r\n\r\npoison",
                             "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n6\r\npoison\r\n0\r\n\r\n",
                             "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n6\r\npoison\r\n0\r\n\r\n",
                             "HTTP/1.1 304 Not Modified\r\nContent-Length: 6\r\n\r\npoison"}) {
    SCOPED_TRACE(answer);
    RawClient client = proxy.client();
    const Message got = client.get("/", raw(answer));
    EXPECT_TRUE(got.status() == 502 || got.status() == 204 || got.status() == 304) << visible(got.head);
    EXPECT_FALSE(got.status() == 204 && (got.has("Content-Length") || got.has("Transfer-Encoding")));
    EXPECT_FALSE(got.has("Transfer-Encoding") && got.status() == 304);
    const Message next = client.get();
    EXPECT_EQ(next.status(), 200) << next.error;
    EXPECT_EQ(next.body, pattern(3));
  }
}

TEST(StrictAnswers, ABodyAfterAnAnswerToHeadPoisonsNothing) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string answer =
      answer_with("Content-Length: 44\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
  EXPECT_EQ(client.ask(request("HEAD", "/", raw(answer)), Kind::answer_to_head).status(), 200);
  EXPECT_EQ(client.get().body, pattern(3));
  EXPECT_EQ(proxy.client().get().body, pattern(3));
}

TEST(StrictAnswers, BytesAfterAnAnswerPoisonNothing) {
  const std::string poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison";
  for (const std::string& answer :
       std::vector<std::string>{answer_with("Content-Length: 2\r\n", "ok"),
                                answer_with("Transfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n")}) {
    Proxy proxy;
    RawClient client = proxy.client();
    EXPECT_EQ(client.get("/", raw(answer + poison)).body, "ok");
    EXPECT_EQ(client.get().body, pattern(3)) << "poisoned";
    EXPECT_EQ(proxy.client().get().body, pattern(3)) << "poisoned";
    EXPECT_EQ(proxy.upstream.requests().back().connection, 2U);
  }
}

TEST(StrictAnswers, BytesWhileIdlePoisonNothing) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string poison = to_hex("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
  EXPECT_EQ(client.get("/", "X-Test-After: " + poison + "\r\n").status(), 200);
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1)) << "an idle connection that speaks is closed";
  EXPECT_EQ(client.get().body, pattern(3));
  EXPECT_EQ(proxy.upstream.requests().back().connection, 2U);
}

TEST(StrictAnswers, BrokenOffIsNotComplete) {
  Proxy proxy;
  for (const char* fields : {"", "X-Test-Chunked: 100\r\n"}) {
    RawClient client = proxy.client();
    const Message answer = client.get("/", "X-Test-Cut: 1\r\nX-Test-Bytes: 100000\r\n" + std::string(fields));
    EXPECT_FALSE(answer.ok()) << "a half answer looks whole: " << fields;
    EXPECT_TRUE(client.closes());
  }
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(StrictAnswers, BrokenChunksAreNotComplete) {
  Proxy proxy;
  for (const char* chunks : {"x\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "fffffffffffffffff\r\nhello",
                             "5\r\nhello\r\n-1\r\n", "5\nhello\r\n0\r\n\r\n"}) {
    SCOPED_TRACE(chunks);
    RawClient client = proxy.client();
    const Message answer = client.get("/", raw(answer_with("Transfer-Encoding: chunked\r\n", chunks)));
    if (answer.ok()) {
      EXPECT_EQ(answer.status(), 502);
    } else {
      EXPECT_TRUE(client.closes());
    }
    EXPECT_EQ(proxy.client().get().body, pattern(3));
  }
}

TEST(StrictAnswers, EndlessHeadsAreRefused) {
  Proxy proxy;
  for (const std::string& fields : {"A: " + std::string(100000, 'a') + "\r\n", [] {
                                      std::string many;
                                      for (int i = 0; i < 5000; ++i) many += "A" + std::to_string(i) + ": b\r\n";
                                      return many;
                                    }()}) {
    RawClient client = proxy.client();
    // Sent as a body, because a request head has its own bounds.
    const Message answer = client.ask(
        request_with_body("POST", "/", answer_with(fields + "Content-Length: 2\r\n", "ok"), "X-Test-Raw-Body: 1\r\n"));
    expect_problem(answer, 502);
  }
  EXPECT_EQ(proxy.client().get().status(), 200);
}

}  // namespace
}  // namespace headgate::test
