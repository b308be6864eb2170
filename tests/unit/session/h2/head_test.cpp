#include "../../../../src/session/h2/head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headgate::session {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

struct H2HeadTest : testing::Test {
  /// The status of the refusal; 0: the head is fine.
  unsigned read(const Lines& lines) {
    head = H2Head();
    for (const auto& [name, value] : lines) EXPECT_TRUE(head.add(name, value, bounds)) << name;
    const auto ruled = head.finish(http::Paths::normalised, request);
    return ruled.has_error() ? ruled.error().status : 0;
  }
  unsigned read_with(const Lines& more) {
    Lines lines = {
        {":method", "GET"}, {":scheme", "https"}, {":path", "/a/../b?c=d"}, {":authority", "A.example:8443"}};
    for (const auto& [name, value] : more) {
      const auto same = [&n = name](const auto& line) { return line.first == n && n.starts_with(':'); };
      std::erase_if(lines, same);
    }
    lines.insert(lines.begin(), more.begin(), more.end());
    return read(lines);
  }
  std::string value(std::string_view name) const {
    std::string out;
    for (const auto& field : request.fields)
      if (field.name == name) out += (out.empty() ? "" : "|") + std::string(field.value);
    return out;
  }

  http::HeadBounds bounds;
  H2Head head;
  http::RequestHead request;
};

TEST_F(H2HeadTest, BecomesARequest) {
  ASSERT_EQ(read_with({{"x-a", "b"}}), 0U);
  EXPECT_EQ(request.version, 20U);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/b");
  EXPECT_EQ(request.query, "?c=d");
  EXPECT_EQ(request.host, "a.example");
  EXPECT_EQ(value("host"), "A.example:8443") << "as HTTP/1.1 would have it";
  EXPECT_EQ(value("x-a"), "b");
  EXPECT_EQ(value(":path"), "");
}

TEST_F(H2HeadTest, IsRefusedForWhatHttp1IsRefusedForAndMore) {
  const std::vector<std::pair<Lines, unsigned>> cases = {
      {{{":method", "get"}}, 400},       {{{":method", "CONNECT"}}, 501},   {{{":method", "G T"}}, 400},
      {{{":scheme", "ftp"}}, 400},       {{{":path", "/%zz"}}, 400},        {{{":path", "a"}}, 400},
      {{{":path", "/a b"}}, 400},        {{{":authority", "u@a"}}, 400},    {{{":authority", "a b"}}, 400},
      {{{"host", "b.example"}}, 400},    {{{"host", "a.EXAMPLE:8443"}}, 0}, {{{"expect", "100-continue"}}, 0},
      {{{"expect", "200-ok"}}, 417},     {{{"content-length", "12"}}, 0},   {{{"content-length", "-1"}}, 400},
      {{{"content-length", "1,1"}}, 400}};
  for (const auto& [lines, status] : cases)
    EXPECT_EQ(read_with(lines), status) << lines.front().first << ": " << lines.front().second;
}

TEST_F(H2HeadTest, OfAWebSocketIsTheUpgradeThatItWouldBeOverHttp1) {
  ASSERT_EQ(read_with({{":method", "CONNECT"},
                       {":protocol", "WebSocket"},
                       {"sec-websocket-key", "eA=="},
                       {"sec_websocket_key", "eQ=="},
                       {"sec-websocket-version", "13"}}),
            0U);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.upgrade, "websocket");
  EXPECT_TRUE(request.by_connect());
  EXPECT_EQ(request.path, "/b");
  EXPECT_EQ(value("upgrade"), "websocket") << "routes may look at it";
  EXPECT_EQ(value("connection"), "Upgrade");
  EXPECT_EQ(value("sec-websocket-version"), "13");
  EXPECT_EQ(value("sec-websocket-key") + value("sec_websocket_key"), "") << "servers get another";
  EXPECT_EQ(value(":protocol"), "");
  ASSERT_EQ(read_with({}), 0U);
  EXPECT_FALSE(request.by_connect());
}

TEST_F(H2HeadTest, OfAnotherTunnelIsRefused) {
  EXPECT_EQ(read_with({{":method", "CONNECT"}, {":protocol", "connect-udp"}}), 501U);
  EXPECT_EQ(request.method, "CONNECT");
  EXPECT_EQ(read_with({{":method", "CONNECT"}, {":protocol", "websocket"}, {"content-length", "0"}}), 400U);
  EXPECT_EQ(read_with({{":method", "CONNECT"}, {":protocol", "websocket"}, {":path", "*"}}), 400U);
}

TEST_F(H2HeadTest, SaysHowLongTheBodyIsAndWhetherItWaits) {
  ASSERT_EQ(read_with({{"content-length", "12"}, {"expect", "100-Continue"}}), 0U);
  EXPECT_EQ(head.length(), 12U);
  EXPECT_TRUE(head.expects_continue());
  ASSERT_EQ(read_with({}), 0U);
  EXPECT_FALSE(head.length());
  EXPECT_FALSE(head.expects_continue());
}

TEST_F(H2HeadTest, JoinsCookieCrumbsWhereTheFirstStood) {
  ASSERT_EQ(read_with({{"x-a", "1"}, {"cookie", "a=1"}, {"x-b", "2"}, {"cookie", "b=2"}, {"cookie", "c=3"}}), 0U);
  EXPECT_EQ(value("cookie"), "a=1; b=2; c=3");
  EXPECT_EQ(request.fields[1].name, "cookie");
}

TEST_F(H2HeadTest, CountsWhatIsBeyondItsBoundsAndKeepsNoneOfIt) {
  bounds.fields = 3;
  EXPECT_EQ(read_with({{"a", "1"}, {"b", "2"}, {"c", "3"}}), 0U);
  EXPECT_EQ(read_with({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}), 431U);
  EXPECT_EQ(read_with({{"cookie", "1"}, {"cookie", "2"}, {"cookie", "3"}, {"cookie", "4"}}), 0U) << "crumbs are none";
  bounds = {};
  EXPECT_EQ(read_with({{":path", "/" + std::string(bounds.target_bytes, 'a')}}), 414U);
  EXPECT_EQ(read_with({{"a", std::string(bounds.bytes, 'a')}}), 431U);
  EXPECT_LT(head.held(), bounds.bytes) << "it was not kept";
}

TEST_F(H2HeadTest, StaysRefusedThoughAReloadRaisesTheBoundsMeanwhile) {
  bounds.fields = 1;
  EXPECT_TRUE(head.add("x-a", "1", bounds));
  EXPECT_TRUE(head.add("x-b", "2", bounds));
  EXPECT_TRUE(head.add("cookie", "a=1", bounds));
  bounds.fields = 100;
  EXPECT_TRUE(head.add("cookie", "b=2", bounds));
  EXPECT_TRUE(head.add(":path", "/", bounds));
  const auto ruled = head.finish(http::Paths::normalised, request);
  ASSERT_TRUE(ruled.has_error());
  EXPECT_EQ(ruled.error().status, 431U) << "some of its fields are not here";
}

TEST_F(H2HeadTest, KeepsLittleMoreMemoryThanItsBytes) {
  const std::string value(3'000, 'a');
  ASSERT_EQ(read_with({{"x-a", value}, {"x-b", value}, {"x-c", value}, {"cookie", value}, {"cookie", value}}), 0U);
  EXPECT_LT(head.held(), 5 * value.size() + 3'000);
  EXPECT_EQ(this->value("x-c"), value);
  EXPECT_EQ(this->value("cookie"), value + "; " + value);
}

TEST_F(H2HeadTest, IsAnAttackBeyondTheHardBounds) {
  const std::string value(4'000, 'a');
  std::size_t added = 0;
  while (head.add("x-a", value, bounds)) ++added;
  EXPECT_LT(added, H2Head::kHardListSize / value.size() + 1);
  EXPECT_LT(head.held(), 4 * bounds.bytes);
}

TEST_F(H2HeadTest, KeepsForTheLogOnlyWhatIsSafe) {
  EXPECT_EQ(read_with({{":scheme", "ftp"}}), 400U);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/b");
  EXPECT_EQ(request.host, "") << "it may be anything";
  EXPECT_EQ(read_with({{":method", std::string(40, 'A')}, {":scheme", "ftp"}}), 400U);
  EXPECT_EQ(request.method, "");
  EXPECT_EQ(request.authority, "");
}

TEST_F(H2HeadTest, IsShownAsAHeadOfHttp1) {
  ASSERT_EQ(read_with({{"x-a", "b"}}), 0U);
  EXPECT_EQ(head.as_text(), "GET /a/../b?c=d HTTP/2.0\r\nx-a: b\r\nhost: A.example:8443\r\n\r\n");
  EXPECT_EQ(H2Head().as_text(), "  HTTP/2.0\r\n\r\n");
}

TEST_F(H2HeadTest, HasAnUrgency) {
  const std::vector<std::pair<std::string, unsigned>> cases = {{"u=0", 0}, {"u=7, i", 7}, {"i, u=5", 5}, {"u=8", 3},
                                                               {"u=", 3},  {"U=1", 3},    {"i", 3},      {"", 3}};
  for (const auto& [priority, urgency] : cases) {
    ASSERT_EQ(read_with({{"priority", priority}}), 0U);
    EXPECT_EQ(head.urgency(), urgency) << priority;
  }
}

TEST_F(H2HeadTest, OfTrailersIsBoundedToo) {
  EXPECT_TRUE(head.add("x-sum", "7", bounds));
  const auto* const trailers = head.trailers();
  ASSERT_NE(trailers, nullptr);
  EXPECT_EQ(trailers->at(0).value, "7");
  bounds.fields = 1;
  EXPECT_TRUE(head.add("x-more", "8", bounds));
  EXPECT_EQ(head.trailers(), nullptr);
}

}  // namespace
}  // namespace headgate::session
