// Where a request ends, and whether its connection is kept. Whatever two servers could read in different ways is
// refused.

#include "unit/http/heads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace headgate::http::h1 {
namespace {

using test::Read;
using test::refused;
using test::refused_fields;
using test::request;
using Kind = WireFraming::Kind;

TEST(RequestFraming, IsReadFromLengthOrChunked) {
  const auto framing = [](std::string_view fields) {
    const Read head(request("POST / HTTP/1.1", "Host: a\r\n" + std::string(fields)));
    EXPECT_TRUE(head.result.has_value()) << fields;
    EXPECT_EQ(head->framing.kind == Framing::Kind::unknown, head.result->framing.kind == Kind::chunked) << fields;
    EXPECT_EQ(head->framing.length, head.result->framing.length) << fields;
    return head.result->framing;
  };
  EXPECT_EQ(framing("").kind, Kind::none);
  EXPECT_EQ(framing("Content-Length: 0\r\n").kind, Kind::none);
  EXPECT_EQ(framing("Content-Length: 7\r\n").kind, Kind::length);
  EXPECT_EQ(framing("content-length:\t7 \r\n").length, 7U);
  EXPECT_EQ(framing("Content-Length: 1000000000000000\r\n").length, 1'000'000'000'000'000U);
  EXPECT_EQ(framing("Content-Length: 9223372036854775807\r\n").length, 9'223'372'036'854'775'807U);
  EXPECT_EQ(framing("Transfer-Encoding: chunked\r\n").kind, Kind::chunked);
  EXPECT_EQ(framing("TRANSFER-ENCODING: Chunked\r\n").kind, Kind::chunked);
}

TEST(RequestFraming, RefusesEveryLengthThatIsNotOnePlainNumber) {
  for (const std::string_view value :
       {"", "+1", "-1", "01", "00", "1 1", "1,1", "1, 1", "0x1", "1.0", "1e3", "a", "1a", "18446744073709551615",
        "18446744073709551616", "9223372036854775808", "99999999999999999999999", "\"1\""}) {
    EXPECT_EQ(refused_fields("Content-Length: " + std::string(value) + "\r\n"), 400U) << value;
  }
  EXPECT_EQ(refused_fields("Content-Length: 1\r\nContent-Length: 1\r\n"), 400U);
  EXPECT_EQ(refused_fields("Content-Length: 1\r\nContent-Length: 2\r\n"), 400U);
}

TEST(RequestFraming, RefusesEveryCodingButExactlyOneChunked) {
  for (const std::string_view value :
       {"chunked, identity", "identity, chunked", "gzip, chunked", "chunked, chunked", "xchunked", "chunkedx",
        "chunked;q=1", "\"chunked\"", "gzip", "identity", "", ", chunked", "chunked,",
        "\x0b"
        "chunked",
        "chunked\x0b"}) {
    EXPECT_EQ(refused_fields("Transfer-Encoding: " + std::string(value) + "\r\n"), 400U) << value;
  }
  EXPECT_EQ(refused_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(refused_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), 400U);
  EXPECT_EQ(refused_fields("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"), 400U);
}

TEST(RequestFraming, RefusesBothLengthAndCodingInAnyOrder) {
  EXPECT_EQ(refused_fields("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), 400U);
  EXPECT_EQ(refused_fields("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(refused_fields("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), 400U);
  EXPECT_EQ(refused_fields("Transfer-Encoding: gzip\r\nContent-Length: 1\r\n"), 400U);
}

TEST(RequestFraming, RefusesACodingInHttp10) {
  EXPECT_EQ(refused_fields("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0"), 400U);
}

TEST(RequestFraming, IgnoresNamesThatOnlyLookSimilar) {
  EXPECT_EQ(refused_fields("Transfer-Encoding : chunked\r\n"), 400U);
  EXPECT_EQ(refused_fields("Content-Length : 3\r\n"), 400U);
  const Read head(request("POST / HTTP/1.1", "Host: a\r\nContent_Length: 3\r\nX-Transfer-Encoding: chunked\r\n"));
  ASSERT_TRUE(head.result.has_value());
  EXPECT_EQ(head.result->framing.kind, Kind::none);
}

TEST(KeepAlive, FollowsVersionAndConnection) {
  struct Case {
    std::string_view version, fields;
    bool kept;
  };
  const std::vector<Case> table = {
      {"1.1", "", true},
      {"1.1", "Connection: keep-alive\r\n", true},
      {"1.1", "Connection: close\r\n", false},
      {"1.1", "Connection: CLOSE\r\n", false},
      {"1.1", "Connection: x, close\r\n", false},
      {"1.1", "Connection: keep-alive, close\r\n", false},
      {"1.1", "Connection: keep-alive\r\nConnection: close\r\n", false},
      {"1.1", "Connection: closed\r\n", true},
      {"1.1", "Connection:\r\n", true},
      {"1.1", "Proxy-Connection: close\r\n", true},
      {"1.0", "", false},
      {"1.0", "Connection: keep-alive\r\n", true},
      {"1.0", "Connection: Keep-Alive, x\r\n", true},
      {"1.0", "Connection: keep-alive, close\r\n", false},
      {"1.0", "Connection: close\r\n", false},
      {"1.0", "Proxy-Connection: keep-alive\r\n", false},
  };
  for (const auto& one : table) {
    const Read head(request("GET / HTTP/" + std::string(one.version), "Host: a\r\n" + std::string(one.fields)));
    ASSERT_TRUE(head.result.has_value()) << one.fields;
    EXPECT_EQ(head.result->keep_alive, one.kept) << one.version << " " << one.fields;
  }
}

TEST(Expect, AsksForContinueOnlyIfABodyFollows) {
  const auto expects = [](std::string_view line, std::string_view fields) {
    const Read head(request(line, "Host: a\r\n" + std::string(fields)));
    EXPECT_TRUE(head.result.has_value()) << fields;
    return head.result->expects_continue;
  };
  EXPECT_TRUE(expects("POST / HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 1\r\n"));
  EXPECT_TRUE(expects("POST / HTTP/1.1", "Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_FALSE(expects("POST / HTTP/1.1", "Expect: 100-continue\r\n"));
  EXPECT_FALSE(expects("POST / HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 0\r\n"));
  EXPECT_FALSE(expects("POST / HTTP/1.0", "Expect: 100-continue\r\nContent-Length: 1\r\n"));
}

TEST(Expect, RefusesUnknownExpectations) {
  EXPECT_EQ(refused_fields("Expect: tea\r\n"), 417U);
  EXPECT_EQ(refused_fields("Expect: 100-continue, tea\r\n"), 417U);
}

TEST(Upgrade, IsAcceptedIfConnectionNamesIt) {
  const auto upgrade = [](std::string_view fields, std::string_view version = "1.1") {
    const Read head(request("GET / HTTP/" + std::string(version), "Host: a\r\n" + std::string(fields)));
    EXPECT_TRUE(head.result.has_value()) << fields;
    return std::string(head->upgrade);
  };
  EXPECT_EQ(upgrade("Connection: Upgrade\r\nUpgrade: websocket\r\n"), "websocket");
  EXPECT_EQ(upgrade("Connection: keep-alive, upgrade\r\nUpgrade: websocket\r\n"), "websocket");
  EXPECT_EQ(upgrade("Upgrade: websocket\r\n"), "");
  EXPECT_EQ(upgrade("Connection: Upgrade\r\n"), "");
  EXPECT_EQ(upgrade("Connection: Upgrade\r\nUpgrade: websocket\r\n", "1.0"), "");
}

TEST(Upgrade, IsNoConnectWhateverTheHeadWasUsedForBefore) {
  RequestHead head;
  head.upgrade = "websocket";
  head.tunnel_by = TunnelBy::connect;
  ASSERT_TRUE(head.by_connect());
  const auto text = request("GET / HTTP/1.1", "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
  ASSERT_TRUE(h1::parse_request(text, {}, head).has_value());
  EXPECT_EQ(head.upgrade, "websocket");
  EXPECT_FALSE(head.by_connect());
}

TEST(Upgrade, IsNotAcceptedWithABody) {
  const Read head(
      request("POST / HTTP/1.1", "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n"));
  ASSERT_TRUE(head.result.has_value());
  EXPECT_EQ(head->upgrade, "");
  EXPECT_EQ(head->framing.length, 3U);
}

TEST(Upgrade, NeverLeadsToHttp2) {
  for (const std::string_view value : {"h2c", "H2C", "h2c, websocket", "websocket, h2c", ",h2c"}) {
    const Read head(
        request("GET / HTTP/1.1", "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\nUpgrade: " +
                                      std::string(value) + "\r\n"));
    ASSERT_TRUE(head.result.has_value());
    EXPECT_EQ(head->upgrade, "") << value;
  }
}

TEST(ParseRequest, SurvivesAnyChangeOfAnyByte) {
  const std::string good =
      request("POST /a/b?c HTTP/1.1", "Host: a\r\nContent-Length: 3\r\nConnection: upgrade\r\nUpgrade: x\r\nX: y\r\n");
  std::mt19937 random(3);
  std::uniform_int_distribution<std::size_t> at(0, good.size() - 5);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int i = 0; i < 30'000; ++i) {
    std::string bytes = good;
    for (int n = 1 + i % 3; n > 0; --n) bytes[at(random)] = static_cast<char>(byte(random));
    std::size_t scanned = 0;
    bytes.resize(head_size(bytes, scanned));
    RequestHead head;
    const auto result = parse_request(bytes, {}, head);
    if (result.has_error()) {
      ASSERT_TRUE(result.error().status >= 400 && result.error().status <= 505);
      ASSERT_STRNE(result.error().why, "");
    } else {
      ASSERT_FALSE(head.authority.empty());
      ASSERT_FALSE(head.path.empty());
    }
  }
}

}  // namespace
}  // namespace headgate::http::h1
