// The formats of the access log, and what is left out of it, on a running gateway.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace headgate::test {
namespace {

std::vector<std::string> lines_of(Proxy& proxy) {
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  std::istringstream in(proxy.gateway.process().out());
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Json logging(const Json& log, const Json& changes = Json::object()) {
  Json all = {{"log", log},
              {"limits", {{"x", {{"rate", "1/day"}, {"per", "client_ip"}}}}},
              {"all_routes", {{"limits", {"x"}}}}};
  all.merge_patch(changes);
  return all;
}

TEST(LogFormats, CombinedIsReadByTheExpressionThatToolsReadNginxWith) {
  Proxy proxy(logging({{"format", "combined"}}));
  auto client = proxy.client();
  EXPECT_EQ(client.get("/a%20b?token=secret", "Referer: https://b.example/x?y=secret\r\nUser-Agent: a\"b\r\n").status(),
            200);
  EXPECT_EQ(client.get("/").status(), 429);
  const auto lines = lines_of(proxy);
  ASSERT_EQ(lines.size(), 2U);
  // As in the grok pattern COMBINEDAPACHELOG.
  const std::regex combined(
      R"re((\S+) (\S+) (\S+) \[(\d{2}/\w{3}/\d{4}:\d{2}:\d{2}:\d{2} [+-]\d{4})\] "(\w+) (\S+) HTTP/(\d\.\d)" (\d{3}) (\d+) "([^"]*)" "([^"]*)")re");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(lines[0], found, combined)) << lines[0];
  EXPECT_EQ(found[1], "127.0.0.1");
  EXPECT_EQ(found[8], "200");
  EXPECT_EQ(found[10], "https://b.example/x");
  EXPECT_EQ(found[11], R"(a\x22b)");
  EXPECT_TRUE(std::regex_match(lines[1], combined)) << lines[1];
  for (const auto& line : lines) EXPECT_EQ(line.find("secret"), std::string::npos) << line;
}

TEST(LogFormats, EcsHasItsNames) {
  Proxy proxy(logging({{"format", "ecs"}}));
  EXPECT_EQ(proxy.client().get("/a").status(), 200);
  const auto lines = lines_of(proxy);
  ASSERT_EQ(lines.size(), 1U);
  const auto line = Json::parse(lines[0]);
  EXPECT_EQ(line.at("http.response.status_code"), 200);
  EXPECT_EQ(line.at("url.path"), "/a");
  EXPECT_EQ(line.at("headgate.limit"), "x");
  const auto event = proxy.gateway.process().err();
  EXPECT_EQ(Json::parse(event.substr(0, event.find('\n'))).at("event.dataset"), "headgate.error") << event;
}

TEST(LogFormats, JsonHasTheFieldsThatAreChosen) {
  Proxy proxy(logging({{"format", "json"}, {"fields", {"status", "limit", "decision"}}}));
  EXPECT_EQ(proxy.client().get("/a").status(), 200);
  const auto lines = lines_of(proxy);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], R"({"status":200,"limit":"x","decision":"allowed"})");
}

TEST(LogFormats, TellWhatWasHeldAndWhatWasSettled) {
  const Json settled = {
      {"limits", {{"x", {{"rate", "100/day"}}}}},
      {"routes",
       Json::array(
           {{{"path", "/*"},
             {"to", "app"},
             {"limits",
              Json::array({{{"use", "x"}, {"cost", {{"response_header", "X-Cost"}, {"hold", 10}, {"most", 50}}}}})}}})},
      {"all_routes", nullptr}};
  Proxy proxy(logging({{"format", "json"}}, settled));
  EXPECT_EQ(proxy.client().get("/a", "X-Test-Field: X-Cost: 3\r\n").status(), 200);
  const auto lines = lines_of(proxy);
  ASSERT_EQ(lines.size(), 1U);
  const auto line = Json::parse(lines[0]);
  EXPECT_EQ(line.at("cost"), 3) << lines[0];
  EXPECT_EQ(line.at("held"), 10);
  EXPECT_EQ(line.at("remaining"), 97);
}

TEST(LogFormats, LeaveOutWhatTheyAreToldToAndTheMetricsCountIt) {
  const Json open = {{"admin", {{"listen", "127.0.0.1:0"}}}};
  Proxy proxy(logging({{"format", "json"}, {"keep_ok", "0%"}, {"refusals_every", "1h"}}, open));
  auto client = proxy.client();
  EXPECT_EQ(client.get("/").status(), 200);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get("/").status(), 429);
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_log_left_out_total{reason="refusals_every"})") == 19 &&
           now.value(R"(headgate_log_left_out_total{reason="keep_ok"})") == 1;
  }));
  const auto lines = lines_of(proxy);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(Json::parse(lines[0]).at("status"), 429);
}

}  // namespace
}  // namespace headgate::test
