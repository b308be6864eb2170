#include "observe/log/lane.hpp"
#include "support/access_lines.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <random>
#include <string>

namespace headgate::observe {
namespace {

constexpr Instant kAt{std::chrono::microseconds(1'700'000'000'000'042)};  // 2023-11-14T22:13:20.000042Z

AccessRecord record() {
  AccessRecord out;
  out.request_id = "id-1";
  out.address = boost::asio::ip::make_address("203.0.113.7");
  out.method = "GET";
  out.host = "a.example:80";
  out.path = "/a/b";
  out.status = 429;
  out.ended_by = "limit";
  out.route = "things";
  out.in_bytes = 1;
  out.out_bytes = 1'000'000'000'000'000;
  out.elapsed = std::chrono::microseconds(12'034);
  out.user_agent = "curl/8";
  return out;
}

LogOptions options() {
  LogOptions out;
  out.instance = "gateway-1";
  out.key = Hash{1, 2};
  return out;
}

std::string access_json(const AccessRecord& one, const LogOptions& how = options()) {
  return test::access_line(one, how, LogFormat::json, kAt);
}
std::string access_text(const AccessRecord& one, const LogOptions& how = options()) {
  return test::access_line(one, how, LogFormat::text, kAt);
}

nlohmann::json json_of(const AccessRecord& one, const LogOptions& how = options()) {
  const auto line = access_json(one, how);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << line;
  return parsed;
}

TEST(JsonLine, HasTheTraceOnlyIfThereIsOne) {
  auto one = record();
  EXPECT_FALSE(json_of(one).contains("trace_id"));
  one.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  EXPECT_EQ(json_of(one).at("trace_id"), one.trace_id);
  EXPECT_NE(access_text(one).find(" trace=4bf92f3577b34da6a3ce929d0e0e4736"), std::string::npos);
}

TEST(JsonLine, NamesTheVersion) {
  auto one = record();
  for (const auto& [version, name] : std::map<unsigned, std::string>{{10, "1.0"}, {11, "1.1"}, {20, "2.0"}}) {
    one.version = version;
    EXPECT_EQ(json_of(one).at("proto"), "HTTP/" + name);
  }
}

TEST(JsonLine, SaysWhatHappened) {
  const auto line = json_of(record());
  EXPECT_EQ(line.at("ts"), "2023-11-14T22:13:20.000042Z");
  EXPECT_EQ(line.at("event"), "request");
  EXPECT_EQ(line.at("instance"), "gateway-1");
  EXPECT_EQ(line.at("request_id"), "id-1");
  EXPECT_EQ(line.at("client_ip"), "203.0.113.7");
  EXPECT_EQ(line.at("method"), "GET");
  EXPECT_EQ(line.at("host"), "a.example:80");
  EXPECT_EQ(line.at("path"), "/a/b");
  EXPECT_EQ(line.at("proto"), "HTTP/1.1");
  EXPECT_EQ(line.at("status"), 429);
  EXPECT_EQ(line.at("ended_by"), "limit");
  EXPECT_EQ(line.at("out_bytes"), 1'000'000'000'000'000);
  EXPECT_DOUBLE_EQ(line.at("ms").get<double>(), 12.034);
  EXPECT_EQ(line.at("user_agent"), "curl/8");
  EXPECT_FALSE(line.contains("limit")) << "none applied";
  EXPECT_FALSE(line.contains("key_id"));
}

TEST(JsonLine, SaysWhatTheLimiterDecided) {
  auto one = record();
  one.limit = "per-key";
  one.key = "key-1";
  one.decision = "rejected";
  one.source = "redis";
  one.tier = "pro";
  one.cost = 5;
  one.remaining = 3;
  one.retry_after = std::chrono::microseconds(1'000'001);
  const auto line = json_of(one);
  EXPECT_EQ(line.at("limit"), "per-key");
  EXPECT_EQ(line.at("decision"), "rejected");
  EXPECT_EQ(line.at("source"), "redis");
  EXPECT_EQ(line.at("tier"), "pro");
  EXPECT_EQ(line.at("cost"), 5);
  EXPECT_EQ(line.at("remaining"), 3);
  EXPECT_EQ(line.at("retry_after_s"), 2) << "rounded up, as the caller was told";
  one.retry_after = {};
  EXPECT_FALSE(json_of(one).contains("retry_after_s"));
}

TEST(JsonLine, KnowsAKeyOnlyByAnId) {
  auto one = record();
  one.limit = "per-key";
  one.key = "sk_live_secret";
  const auto line = access_json(one);
  EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  EXPECT_EQ(access_text(one).find("secret"), std::string::npos);
  const std::string id = json_of(one).at("key_id");
  EXPECT_EQ(id.size(), 18U);
  EXPECT_EQ(id.substr(0, 2), "k_");
  EXPECT_EQ(json_of(one).at("key_id"), id) << "the same key, the same id";
  one.key = "sk_live_other";
  EXPECT_NE(json_of(one).at("key_id"), id);
  one.key = {};
  EXPECT_FALSE(json_of(one).contains("key_id"));
}

TEST(JsonLine, GivesAKeyTheSameIdWhereverTheSecretIsTheSame) {
  auto one = record();
  one.limit = "per-key";
  one.key = "acme";
  auto another = options();
  another.instance = "gateway-2";
  EXPECT_EQ(json_of(one, another).at("key_id"), json_of(one).at("key_id"));
  another.key = Hash{1, 3};
  EXPECT_NE(json_of(one, another).at("key_id"), json_of(one).at("key_id"));
}

TEST(JsonLine, TellsCallersInClearWhereToldTo) {
  auto how = options();
  how.callers = {"owner", "jwt.sub"};
  const std::array<std::string_view, 2> callers{"acme", ""};
  auto one = record();
  one.callers = callers;
  const auto line = json_of(one, how);
  EXPECT_EQ(line.at("owner"), "acme");
  EXPECT_FALSE(line.contains("jwt.sub")) << "it has none";
}

TEST(Lines, AreNoLongerThanALaneTakesWhateverACallerSends) {
  const std::string most(60UL * 1024, '\x01');
  auto one = record();
  one.request_id = one.method = one.host = one.path = one.route = one.reason = one.user_agent = most;
  EXPECT_LT(access_json(one).size(), Lane::kLongest);
  EXPECT_LT(access_text(one).size(), Lane::kLongest);
  EXPECT_TRUE(json_of(one).at("path").get<std::string>().ends_with("\x01...")) << "cut, and says so";
}

TEST(JsonLine, IsValidForAnyBytes) {
  std::string hostile;
  for (int byte = 0; byte < 256; ++byte) hostile += static_cast<char>(byte);
  hostile += "\",\"status\":200,\"x\":\"\xed\xa0\x80\xc0\xaf\xff";
  auto one = record();
  one.limit = one.tier = one.key = hostile;
  one.request_id = one.method = one.host = one.path = one.route = one.upstream = one.server = one.reason =
      one.user_agent = hostile;
  const auto line = json_of(one);
  EXPECT_EQ(line.at("status"), 429) << "nothing was smuggled in";
  EXPECT_FALSE(line.contains("x"));
  // Each byte is one of the first 256 characters: nothing is lost.
  const std::string path = line.at("path");
  std::string expected;
  for (const char c : hostile) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      expected += c;
    } else {
      expected += static_cast<char>(0xc0 | (byte >> 6));
      expected += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  EXPECT_EQ(path, expected);
}

TEST(JsonLine, IsValidForRandomBytes) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> byte(0, 255), length(0, 20);
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes;
    for (int n = length(random); n > 0; --n) bytes += static_cast<char>(byte(random));
    auto one = record();
    one.path = one.host = one.user_agent = bytes;
    ASSERT_TRUE(json_of(one).is_object());
  }
}

TEST(Lines, HaveTextsInUtf8AsTheyAre) {
  const std::string name = "Zo\u00eb \u65e5\u672c \U0001f600";
  auto how = options();
  how.callers = {"jwt.sub"};
  const std::array<std::string_view, 1> callers{name};
  auto one = record();
  one.callers = callers;
  one.user_agent = name;
  EXPECT_EQ(json_of(one, how).at("jwt.sub"), name);
  EXPECT_EQ(json_of(one, how).at("user_agent"), name);
  const auto text = access_text(one, how);
  EXPECT_NE(text.find(" jwt.sub=\"" + name + "\" "), std::string::npos) << text;
  const auto ecs = test::access_line(one, how, LogFormat::ecs, kAt);
  EXPECT_EQ(nlohmann::json::parse(ecs).at("labels.jwt_sub"), name);
}

TEST(Lines, CutATextBetweenTwoCharacters) {
  std::string long_name = "x";
  while (long_name.size() < 600) long_name += "\u00eb";
  auto how = options();
  how.callers = {"jwt.sub"};
  const std::array<std::string_view, 1> callers{long_name};
  auto one = record();
  one.callers = callers;
  const auto kept = long_name.substr(0, 511) + "...";
  EXPECT_EQ(json_of(one, how).at("jwt.sub"), kept);
  const auto text = access_text(one, how);
  EXPECT_NE(text.find(" jwt.sub=\"" + kept + "\" "), std::string::npos) << text;
}

TEST(TextLine, HasNoCharacterThatBreaksALineOrATerminal) {
  auto how = options();
  how.callers = {"jwt.sub"};
  const std::string hostile = "a\u2028b\u009b31m\u202eevil";
  const std::array<std::string_view, 1> callers{hostile};
  auto one = record();
  one.callers = callers;
  one.host = one.path = hostile;
  const auto text = access_text(one, how);
  for (const char c : text) ASSERT_TRUE(c >= 0x20 && c < 0x7f) << text;
  EXPECT_NE(text.find(R"(jwt.sub="a\u2028b\u009b31m\u202eevil")"), std::string::npos) << text;
}

TEST(JsonLine, SaysWhatWentWrongBehindTheGateway) {
  auto one = record();
  EXPECT_FALSE(json_of(one).contains("reason"));
  one.reason = "it closed in the \"head\"";
  EXPECT_EQ(json_of(one).at("reason"), "it closed in the \"head\"");
  EXPECT_NE(access_text(one).find(R"( reason="it closed in the \"head\"" )"), std::string::npos) << access_text(one);
}

TEST(TextLine, SaysTheSameOnOneLine) {
  auto one = record();
  one.server = "10.0.0.1:80";
  one.limit = "per-ip";
  one.decision = "rejected";
  one.cost = 1;
  one.retry_after = std::chrono::seconds(7);
  EXPECT_EQ(access_text(one),
            "2023-11-14T22:13:20.000042Z 203.0.113.7 429 GET a.example:80/a/b 12.034ms route=things by=limit "
            "server=10.0.0.1:80 limit=per-ip rejected retry_after=7s id=id-1");
  one.cost = 20;
  one.tier = "pro";
  EXPECT_NE(access_text(one).find(" limit=per-ip tier=pro rejected cost=20 retry_after=7s "), std::string::npos);
}

TEST(TextLine, IsWrittenForARequestThatWasNeverRead) {
  AccessRecord one;
  one.address = boost::asio::ip::make_address("2001:db8::1");
  one.status = 400;
  one.ended_by = "bad_request";
  EXPECT_EQ(access_text(one), "2023-11-14T22:13:20.000042Z 2001:db8::1 400 - - 0.000ms route= by=bad_request id=");
}

TEST(TextLine, CannotBeBrokenByACaller) {
  auto one = record();
  one.method = one.host = one.path = "a\n2023 forged\r\x1b[31m\x7f\xff";
  for (const char c : access_text(one)) ASSERT_TRUE(c >= 0x20 && c < 0x7f);
}

}  // namespace
}  // namespace headgate::observe
