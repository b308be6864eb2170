#include "headgate/http/h1/parse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::http::h1 {
namespace {

using Kind = WireFraming::Kind;

/// A parsed reply, with its bytes.
struct Answer {
  explicit Answer(std::string text, std::string_view method = "GET")
      : bytes(std::move(text)), result(parse_reply(bytes, method, {}, head)) {}
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  std::string bytes;
  ReplyHead head;
  Result<Wire, ParseError> result;
};

unsigned refused_reply(std::string_view bytes, std::string_view method = "GET", const Limits& limits = {}) {
  ReplyHead head;
  const auto result = parse_reply(bytes, method, limits, head);
  return result.has_error() ? result.error().status : 0;
}

TEST(ParseReply, ReadsEveryPartOfAHead) {
  const Answer answer("HTTP/1.1 404 Not  Here\r\nContent-Length: 12\r\nX-A: b\r\n\r\n");
  ASSERT_TRUE(answer.result.has_value()) << answer.result.error().why;
  EXPECT_EQ(answer.head.status, 404U);
  EXPECT_EQ(answer.head.reason, "Not  Here");
  EXPECT_EQ(answer.head.version, 11U);
  ASSERT_EQ(answer.head.fields.size(), 2U);
  EXPECT_EQ(answer.head.fields[1].value, "b");
  EXPECT_EQ(answer.result->framing.kind, Kind::length);
  EXPECT_EQ(answer.head.framing.length, 12U);
  EXPECT_TRUE(answer.result->keep_alive);
}

TEST(ParseReply, AcceptsAnEmptyReason) {
  const Answer answer("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(answer.result.has_value());
  EXPECT_EQ(answer.head.reason, "");
}

TEST(ParseReply, FindsTheEndOfTheBodyByStatusMethodAndFields) {
  struct Case {
    std::string_view method, status, fields;
    Kind kind;
  };
  const std::vector<Case> table = {
      {"GET", "200", "Content-Length: 5\r\n", Kind::length},
      {"GET", "200", "Content-Length: 0\r\n", Kind::none},
      {"GET", "200", "Transfer-Encoding: chunked\r\n", Kind::chunked},
      {"GET", "200", "", Kind::until_close},
      {"GET", "500", "", Kind::until_close},
      {"GET", "205", "Content-Length: 5\r\n", Kind::length},
      {"HEAD", "200", "Content-Length: 5\r\n", Kind::none},
      {"HEAD", "200", "Transfer-Encoding: chunked\r\n", Kind::none},
      {"HEAD", "200", "", Kind::none},
      {"GET", "304", "Content-Length: 5\r\n", Kind::none},
      {"GET", "304", "", Kind::none},
      {"GET", "204", "", Kind::none},
      {"GET", "204", "Content-Length: 0\r\n", Kind::none},
      {"GET", "101", "", Kind::none},
      {"GET", "100", "", Kind::none},
  };
  for (const auto& one : table) {
    const Answer answer("HTTP/1.1 " + std::string(one.status) + " X\r\n" + std::string(one.fields) + "\r\n",
                        one.method);
    ASSERT_TRUE(answer.result.has_value()) << one.status << " " << one.fields;
    EXPECT_EQ(answer.result->framing.kind, one.kind) << one.method << " " << one.status << " " << one.fields;
  }
}

TEST(ParseReply, RefusesABodyIfNoneIsAllowed) {
  for (const std::string_view status : {"100", "101", "103", "204"}) {
    EXPECT_EQ(refused_reply("HTTP/1.1 " + std::string(status) + " X\r\nContent-Length: 1\r\n\r\n"), 502U) << status;
    EXPECT_EQ(refused_reply("HTTP/1.1 " + std::string(status) + " X\r\nTransfer-Encoding: chunked\r\n\r\n"), 502U)
        << status;
  }
}

TEST(ParseReply, IsAsStrictAsForRequests) {
  for (const std::string_view fields :
       {"Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1, 1\r\n", "Content-Length: 01\r\n",
        "Content-Length: -1\r\n", "Content-Length: 18446744073709551615\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "X: 1\r\n folded\r\n", "X : 1\r\n", "X: 1\n", "X: a\rb\r\n", "X: \x01\r\n", "X\r\n", ": x\r\n"}) {
    EXPECT_EQ(refused_reply("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n"), 502U) << fields;
    EXPECT_EQ(refused_reply("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n", "HEAD"), 502U) << fields;
  }
  EXPECT_EQ(refused_reply("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), 502U);
}

TEST(ParseReply, RefusesMalformedStatusLines) {
  for (const std::string_view line :
       {"HTTP/1.1 099 X", "HTTP/1.1 600 X", "HTTP/1.1 999 X", "HTTP/1.1 20 X", "HTTP/1.1 2000 X", "HTTP/1.1 abc X",
        "HTTP/1.1  200 X", "HTTP/2.0 200 X", "HTTP/1.2 200 X", "http/1.1 200 X", "ICY 200 OK", "200 OK",
        "HTTP/1.1 -20 X", "HTTP/1.1 200\tOK"}) {
    EXPECT_EQ(refused_reply(std::string(line) + "\r\nContent-Length: 0\r\n\r\n"), 502U) << line;
  }
}

TEST(ParseReply, BoundsTheFields) {
  const Limits limits{2, 8192};
  EXPECT_EQ(refused_reply("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n", "GET", limits), 0U);
  EXPECT_EQ(refused_reply("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", "GET", limits), 502U);
}

TEST(ParseReply, ClosesTheConnectionIfItsEndIsTheEndOfTheBody) {
  const auto kept = [](std::string_view version, std::string_view fields, std::string_view method = "GET") {
    const Answer answer("HTTP/" + std::string(version) + " 200 OK\r\n" + std::string(fields) + "\r\n", method);
    EXPECT_TRUE(answer.result.has_value()) << fields;
    return answer.result->keep_alive;
  };
  EXPECT_TRUE(kept("1.1", "Content-Length: 1\r\n"));
  EXPECT_TRUE(kept("1.1", "Transfer-Encoding: chunked\r\n"));
  EXPECT_TRUE(kept("1.1", "", "HEAD"));
  EXPECT_FALSE(kept("1.1", "Content-Length: 1\r\nConnection: close\r\n"));
  EXPECT_FALSE(kept("1.1", ""));
  EXPECT_FALSE(kept("1.1", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(kept("1.0", "Content-Length: 1\r\n"));
  EXPECT_TRUE(kept("1.0", "Content-Length: 1\r\nConnection: keep-alive\r\n"));
}

Result<void, ParseError> trailers_of(std::string_view bytes, Fields& out, const Limits& limits = {}) {
  return parse_trailers(bytes, limits, out);
}

TEST(ParseTrailers, ReadsFieldLinesUpToTheEmptyLine) {
  Fields trailers = {{Known::host, "Host", "left from before"}};
  ASSERT_TRUE(trailers_of("\r\n", trailers).has_value());
  EXPECT_TRUE(trailers.empty());
  ASSERT_TRUE(trailers_of("X-Sum:  abc \r\nETag:\r\n\r\n", trailers).has_value());
  ASSERT_EQ(trailers.size(), 2U);
  EXPECT_EQ(trailers[0].name, "X-Sum");
  EXPECT_EQ(trailers[0].value, "abc");
  EXPECT_EQ(trailers[1].id, Known::etag);
  EXPECT_EQ(trailers[1].value, "");
}

TEST(ParseTrailers, RefusesFieldsOfRoutingAndFraming) {
  for (const std::string_view name :
       {"Transfer-Encoding", "content-length", "Host", "Trailer", "Connection", "Authorization", "Content-Encoding",
        "Content-Type", "Content-Range", "Set-Cookie", "Cookie", "TE", "Upgrade", "Expect", "Proxy-Authorization"}) {
    Fields trailers;
    const auto result = trailers_of("X: 1\r\n" + std::string(name) + ": 1\r\n\r\n", trailers);
    ASSERT_TRUE(result.has_error()) << name;
    EXPECT_EQ(result.error().status, 400U) << name;
  }
}

TEST(ParseTrailers, RefusesMalformedLines) {
  for (const std::string_view bytes :
       {"X\r\n\r\n", ": 1\r\n\r\n", "X : 1\r\n\r\n", " X: 1\r\n\r\n", "X: 1\r\n folded\r\n\r\n", "X: 1\n\r\n",
        "X: \x01\r\n\r\n", "X: a\rb\r\n\r\n", "X(: 1\r\n\r\n", "\xc3\xa9: 1\r\n\r\n"}) {
    Fields trailers;
    EXPECT_TRUE(trailers_of(bytes, trailers).has_error()) << bytes;
  }
}

TEST(ParseTrailers, BoundsTheirNumber) {
  Fields trailers;
  EXPECT_TRUE(trailers_of("A: 1\r\nB: 1\r\n\r\n", trailers, {2, 0}).has_value());
  const auto result = trailers_of("A: 1\r\nB: 1\r\nC: 1\r\n\r\n", trailers, {2, 0});
  ASSERT_TRUE(result.has_error());
  EXPECT_EQ(result.error().status, 431U);
}

}  // namespace
}  // namespace headgate::http::h1
