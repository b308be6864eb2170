// "tracing", and what the access log leaves out.

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::config {
namespace {

Loaded load_with(const std::string& key, const std::string& value) {
  return load(R"({ "listen": ":1", "routes": [{ "path": "/*", "respond": {} }], ")" + key + "\": " + value + " }");
}

std::string told(const std::string& key, const std::string& value) {
  const auto loaded = load_with(key, value);
  if (!loaded.config) return "invalid";
  const auto text = meaning(*loaded.config, "f");
  const std::string_view routes = "no limit\n";
  const auto begin = text.find(routes) + routes.size();
  return text.substr(std::min(begin, text.size()));
}

TEST(Tracing, GoesToTheSignalOfTheCollectorThatIsNamed) {
  for (const auto& [written, used] : {std::pair("http://c:4318", "http://c:4318/v1/traces"),
                                      {"http://c:4318/", "http://c:4318/v1/traces"},
                                      {"https://c/otlp/", "https://c/otlp/v1/traces"},
                                      {"https://c/otlp/v1/traces", "https://c/otlp/v1/traces"}}) {
    const auto loaded = load_with("tracing", R"({ "otlp_http": ")" + std::string(written) + "\" }");
    ASSERT_TRUE(loaded.config) << written;
    EXPECT_EQ(net::to_text(loaded.config->traces->url), used);
  }
}

TEST(Tracing, TakesEveryKey) {
  const auto loaded = load_with("tracing", R"({ "otlp_http": "http://c", "headers": { "X-A": "1", "X-B": "2" },
      "timeout": "3s", "service": "edge", "sample": "0.25%", "parent_based": false })");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(loaded.config->traces->fields, "X-A: 1\r\nX-B: 2\r\n");
  EXPECT_EQ(loaded.config->traces->timeout, std::chrono::seconds(3));
  EXPECT_EQ(loaded.config->traces->service, "edge");
  EXPECT_EQ(loaded.config->traces->instance, "headgate");
  const auto& tracing = *loaded.config->gateway.tracing;
  EXPECT_EQ(tracing.sample_below, observe::share_below(2'500));
  EXPECT_FALSE(tracing.parent_based);
  EXPECT_TRUE(tracing.records);
}

TEST(Tracing, ShowsNoAddressThatTheLogDoesNotShow) {
  const auto loaded = load(R"({ "listen": ":1", "routes": [{ "path": "/*", "respond": {} }],
      "tracing": { "otlp_http": "http://c" }, "log": { "format": "json", "fields": ["status"] } })");
  ASSERT_TRUE(loaded.config);
  EXPECT_FALSE(loaded.config->gateway.tracing->client_address);
}

TEST(Tracing, IsToldInWords) {
  EXPECT_EQ(told("tracing", "{}"),
            "\nTraces are passed on or begun, and their ids are logged; none is recorded here.\n");
  EXPECT_EQ(told("tracing", R"({ "otlp_http": "http://c:4318", "sample": "0.25%" })"),
            "\nRecorded are 0.25% of the traces that begin here, and those that callers record; their spans go to "
            "http://c:4318/v1/traces.\n");
  EXPECT_EQ(told("tracing", R"({ "otlp_http": "https://c", "sample": "100%", "parent_based": false })"),
            "\nRecorded are 100% of all traces; their spans go to https://c/v1/traces.\n");
}

TEST(AccessLogLines, ThatAreLeftOutAreToldInWords) {
  EXPECT_EQ(told("log", R"({ "keep_ok": "0.5%", "refusals_every": "1s" })"),
            "\nThe access log has 0.5% of the requests with a status below 400, and at most one refusal of a key in "
            "1s.\n");
  EXPECT_EQ(told("log", R"({ "refusals_every": "1m" })"),
            "\nA key that is refused has at most one line of the access log in 1m.\n");
  EXPECT_EQ(told("log", "{}"), "");
}

}  // namespace
}  // namespace headgate::config
