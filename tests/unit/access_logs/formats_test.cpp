// Each format that is read, in lines as the programs write them.

#include "temporary_log.hpp"

#include "headgate/access_logs/moment.hpp"

namespace headgate::test {
namespace {

TEST(LogFormats, ReadCombined) {
  const auto log = read_text(
      R"(203.0.113.7 - alice [22/Nov/2026:05:30:12 +0100] "POST /v1/login?next=%2F HTTP/1.1" 200 241 "https://example.com/" "curl/7.88.1")"
      "\n");
  ASSERT_EQ(log.error, "");
  ASSERT_EQ(log.arrivals.size(), 1U);
  const auto& one = log.arrivals[0];
  EXPECT_EQ(log.logs[0].format, "combined");
  EXPECT_EQ(one.at, access_logs::parse_moment("2026-11-22T04:30:12Z"));
  EXPECT_EQ(one.address, "203.0.113.7");
  EXPECT_EQ(one.method, "POST");
  EXPECT_EQ(one.path, "/v1/login");
  EXPECT_EQ(one.query, "?next=%2F");
  EXPECT_EQ(one.status, 200U);
  EXPECT_EQ(one.bytes, 241U);
  EXPECT_EQ(one.field("User-Agent"), "curl/7.88.1");
  EXPECT_EQ(one.field("Referer"), "https://example.com/");
  EXPECT_TRUE(log.counts.missing.host);
  EXPECT_TRUE(log.counts.missing.fraction);
  EXPECT_FALSE(log.counts.missing.query);
}

TEST(LogFormats, ReadHeadgatesJson) {
  const auto log = read_text(
      R"({"ts":"2026-11-22T05:30:12.345678Z","level":"info","event":"request","request_id":"01JD5K7M2Q8X","client_ip":"203.0.113.7","method":"POST","host":"api.example.com","path":"/v1/login","proto":"HTTP/1.1","status":429,"ended_by":"limit","route":"login","upstream":"","server":"","attempts":0,"in_bytes":312,"out_bytes":241,"ms":0.412,"upstream_ms":0,"limit":"login","jwt.sub":"alice","user_agent":"curl/7.88.1"}
{"ts":"2026-11-22T05:30:12.345679Z","level":"warning","event":"redis_lost","server":"127.0.0.1:6379","reason":"it closed the connection"}
)",
      {.files = {}, .values = {"jwt.sub", "route"}});
  ASSERT_EQ(log.error, "");
  ASSERT_EQ(log.arrivals.size(), 1U);
  const auto& one = log.arrivals[0];
  EXPECT_EQ(log.logs[0].format, "headgate");
  EXPECT_EQ(one.at, access_logs::parse_moment("2026-11-22T05:30:12.345266Z"));
  EXPECT_EQ(one.host, "api.example.com");
  EXPECT_EQ(one.path, "/v1/login");
  EXPECT_EQ(one.status, 200U);
  EXPECT_TRUE(one.assumed_ok);
  EXPECT_EQ(one.request_bytes, 312U);
  EXPECT_EQ(one.after, Duration(412));
  EXPECT_EQ(one.field("User-Agent"), "curl/7.88.1");
  EXPECT_EQ(one.values, (std::vector<std::string>{"alice", "login"}));
  EXPECT_EQ(log.counts.no_request, 1U);
  EXPECT_EQ(log.counts.assumed_ok, 1U);
}

}  // namespace
}  // namespace headgate::test
