#include "headgate/http/h1/write.hpp"

#include "headgate/http/h1/parse.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::http::h1 {
namespace {

const Fields kOne = {{Known::unknown, "X-One", "1"}};

std::string reply(const ReplyLine& line, const Fields& fields, const Framing& framing) {
  TextBuffer room;
  room.write(6, [](TextCursor& out) { out.word("before"); });
  return std::string(write_reply_head(room, line, fields, framing));
}

std::string asked(std::string_view method, const Framing& framing, const Fields& fields = {}) {
  TextBuffer room;
  return std::string(write_request_head(room, method, "/p", "?q", fields, framing));
}

TEST(WriteRequestHead, WritesLineFieldsAndFraming) {
  EXPECT_EQ(asked("GET", {}, {{Known::host, "Host", "a"}, {Known::unknown, "X", ""}}),
            "GET /p?q HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n");
  EXPECT_EQ(asked("POST", {Framing::Kind::length, 1'000'000'000'000'000}),
            "POST /p?q HTTP/1.1\r\nContent-Length: 1000000000000000\r\n\r\n");
  EXPECT_EQ(asked("POST", {Framing::Kind::unknown, 0}), "POST /p?q HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(WriteRequestHead, WritesLengthZeroIfABodyIsUsual) {
  for (const std::string_view method : {"POST", "PUT", "PATCH"})
    EXPECT_NE(asked(method, {}).find("Content-Length: 0\r\n"), std::string::npos) << method;
  for (const std::string_view method : {"GET", "HEAD", "DELETE", "OPTIONS"})
    EXPECT_EQ(asked(method, {}).find("Content-Length"), std::string::npos) << method;
}

TEST(WriteRequestHead, IsParsedAsWritten) {
  TextBuffer room;
  const auto out =
      write_request_head(room, "PUT", "/a/b", "?c", {{Known::host, "Host", "a.example"}, {Known::unknown, "X", "y z"}},
                         {Framing::Kind::length, 3});
  RequestHead head;
  ASSERT_TRUE(parse_request(out, {}, head).has_value());
  EXPECT_EQ(head.method, "PUT");
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.query, "?c");
  EXPECT_EQ(head.framing.length, 3U);
  EXPECT_EQ(value_of(head.fields, std::string_view("x")), "y z");
}

TEST(WriteReplyHead, WritesFramingForAPeerOfHttp11) {
  EXPECT_EQ(reply({}, kOne, {Framing::Kind::length, 5}), "HTTP/1.1 200 OK\r\nX-One: 1\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(reply({}, kOne, {Framing::Kind::unknown, 0}),
            "HTTP/1.1 200 OK\r\nX-One: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(reply({}, kOne, {}), "HTTP/1.1 200 OK\r\nX-One: 1\r\nContent-Length: 0\r\n\r\n");
}

TEST(WriteReplyHead, NeverSendsChunkedToAPeerOfHttp10) {
  ReplyLine line{
      .status = 200, .reason = {}, .client_version = 10, .bodiless = false, .connection = ConnectionOption::close};
  EXPECT_EQ(reply(line, {}, {Framing::Kind::unknown, 0}), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
  line.connection = ConnectionOption::keep;
  EXPECT_EQ(reply(line, {}, {Framing::Kind::length, 1}),
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n");
}

TEST(WriteReplyHead, WritesNoFramingWithoutABody) {
  for (const unsigned status : {100U, 101U, 103U, 204U, 304U}) {
    const ReplyLine line{
        .status = status, .reason = "X", .client_version = 11, .bodiless = true, .connection = ConnectionOption::keep};
    const auto head = "HTTP/1.1 " + std::to_string(status) + " X\r\nX-One: 1\r\n\r\n";
    EXPECT_EQ(reply(line, kOne, {}), head);
    EXPECT_EQ(reply(line, kOne, {Framing::Kind::unknown, 0}), head);
  }
}

TEST(WriteReplyHead, WritesNoLengthIfNoneIsAllowed) {
  for (const unsigned status : {101U, 103U, 204U}) {
    const ReplyLine line{
        .status = status, .reason = "X", .client_version = 11, .bodiless = true, .connection = ConnectionOption::keep};
    EXPECT_EQ(reply(line, {}, {Framing::Kind::length, 5}), "HTTP/1.1 " + std::to_string(status) + " X\r\n\r\n");
  }
}

TEST(WriteReplyHead, WritesTheLengthOfTheBodyInAnAnswerToHead) {
  const ReplyLine line{
      .status = 200, .reason = {}, .client_version = 11, .bodiless = true, .connection = ConnectionOption::keep};
  EXPECT_EQ(reply(line, {}, {Framing::Kind::length, 5}), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(reply(line, {}, {Framing::Kind::unknown, 0}), "HTTP/1.1 200 OK\r\n\r\n");
}

TEST(WriteReplyHead, WritesTheConnectionField) {
  EXPECT_NE(reply({.status = 101,
                   .reason = {},
                   .client_version = 11,
                   .bodiless = true,
                   .connection = ConnectionOption::upgrade},
                  {}, {})
                .find("101 Switching Protocols\r\nConnection: Upgrade\r\n"),
            std::string::npos);
  EXPECT_NE(
      reply(
          {.status = 400, .reason = {}, .client_version = 11, .bodiless = false, .connection = ConnectionOption::close},
          {}, {})
          .find("Connection: close\r\n"),
      std::string::npos);
  EXPECT_EQ(reply({}, {}, {}).find("Connection"), std::string::npos);
}

TEST(WriteReplyHead, IsParsedAsWritten) {
  const auto bytes = reply({.status = 418,
                            .reason = "Short and stout",
                            .client_version = 11,
                            .bodiless = false,
                            .connection = ConnectionOption::close},
                           kOne, {Framing::Kind::length, 9});
  ReplyHead head;
  const auto wire = parse_reply(bytes, "GET", {}, head);
  ASSERT_TRUE(wire.has_value());
  EXPECT_EQ(head.status, 418U);
  EXPECT_EQ(head.reason, "Short and stout");
  EXPECT_EQ(head.framing.length, 9U);
  EXPECT_FALSE(wire->keep_alive);
}

}  // namespace
}  // namespace headgate::http::h1
