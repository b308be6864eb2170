// Retries, held bodies and mirrors, as the path gets them and in words.

#include "loaded.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string delivered_by(const std::string& retry, const std::string& route = "") {
  return R"({ "listen": ":8080",
              "upstreams": { "app": { "servers": ["http://127.0.0.1:3000"], "retry": )" +
         retry + R"( }, "shadow": "http://127.0.0.1:3001" },
              "routes": [{ "path": "/*", "to": "app", "mirror": { "to": "shadow" })" +
         route + "}] }";
}

TEST(RetryOptions, AreOffUnlessTheUpstreamHasThem) {
  const auto config = loaded(R"({ "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
                                  "routes": [{ "path": "/*", "to": "app" }] })");
  EXPECT_FALSE(config.upstreams.at(0).retry);
  EXPECT_EQ(config.gateway.routes[0].held_body, 0U);
  EXPECT_FALSE(config.gateway.routes[0].mirror);
}

TEST(RetryOptions, HaveDefaults) {
  const auto config = loaded(delivered_by("{}"));
  ASSERT_TRUE(config.upstreams.at(0).retry);
  const auto& retry = *config.upstreams[0].retry;
  EXPECT_EQ(retry.attempts, 2U);
  EXPECT_TRUE(retry.on_connect_error);
  EXPECT_TRUE(retry.on_closed);
  EXPECT_FALSE(retry.on_timeout);
  EXPECT_THAT(retry.statuses, ElementsAre(502U, 503U));
  EXPECT_EQ(retry.budget, gateway::kWholeShare / 5);
  EXPECT_FALSE(retry.timeout_each);
}

TEST(RetryOptions, AreThoseOfTheFile) {
  const auto config = loaded(delivered_by(R"({ "attempts": 4, "on": [503, "timeout", 429, 503], "timeout_each": "200ms",
                                       "budget": "5%" })",
                                          R"(, "buffer_request": "64KiB")"));
  const auto& retry = *config.upstreams.at(0).retry;
  EXPECT_EQ(retry.attempts, 4U);
  EXPECT_FALSE(retry.on_connect_error);
  EXPECT_FALSE(retry.on_closed);
  EXPECT_TRUE(retry.on_timeout);
  EXPECT_THAT(retry.statuses, ElementsAre(429U, 503U));
  EXPECT_EQ(retry.budget, gateway::kWholeShare / 20);
  EXPECT_EQ(retry.timeout_each, std::chrono::milliseconds(200));
  EXPECT_EQ(config.gateway.routes[0].held_body, 64U * 1024);
}

TEST(MirrorOptions, AreThoseOfTheFile) {
  const auto config = loaded(R"({ "listen": ":8080",
    "upstreams": { "app": "http://127.0.0.1:3000", "shadow": "http://127.0.0.1:3001" },
    "routes": [{ "path": "/*", "to": "app", "mirror": { "to": "shadow", "share": "10%", "timeout": "2s",
                                                        "in_flight": 5, "max_body": "1KiB" } },
               { "path": "/all", "to": "app", "mirror": { "to": "shadow" } }] })");
  const auto& mirror = config.gateway.routes.at(0).mirror;
  ASSERT_TRUE(mirror);
  EXPECT_EQ(mirror->to, "shadow");
  EXPECT_EQ(mirror->share, gateway::kWholeShare / 10);
  EXPECT_EQ(mirror->timeout, std::chrono::seconds(2));
  EXPECT_EQ(mirror->in_flight, 5U);
  EXPECT_EQ(mirror->max_body, 1024U);
  EXPECT_EQ(config.gateway.routes.at(1).mirror->share, gateway::kWholeShare);
}

TEST(DeliveryMeaning, AdvisesToHoldBodiesThatWouldHoldAPlace) {
  const auto said = [](const std::string& app, const std::string& routes) {
    return meaning(loaded(R"({ "listen": ":8080", "upstreams": { "app": { "servers": ["http://127.0.0.1:3000"])" + app +
                          R"( } }, "routes": [)" + routes + "] }"),
                   "x");
  };
  const std::string advice =
      "hold a place at upstream app while they arrive.\n  With \"buffer_request\": \"64KiB\" there";
  const std::string all = R"({ "path": "/*", "to": "app" })";
  for (const std::string places : {R"(, "concurrency": {})", R"(, "max_in_flight": 4)"}) {
    EXPECT_THAT(said(places, all), HasSubstr("Bodies of requests of route /* " + advice));
    EXPECT_THAT(said(places, R"({ "path": "/*", "to": "app", "buffer_request": "1KiB" })"), Not(HasSubstr(advice)));
    EXPECT_THAT(said(places, R"({ "path": "/*", "to": "app", "methods": ["GET"] })"), Not(HasSubstr(advice)));
    EXPECT_THAT(said(places, R"({ "path": "/*", "to": "app", "methods": ["GET", "PUT"] })"), HasSubstr(advice));
  }
  EXPECT_THAT(said("", all), Not(HasSubstr(advice)));
  const std::string five = R"({ "path": "/a", "to": "app" }, { "path": "/b", "to": "app" },
    { "path": "/c", "to": "app" }, { "path": "/d", "to": "app" }, { "path": "/e", "to": "app" })";
  EXPECT_THAT(said(R"(, "concurrency": {})", five), HasSubstr("routes /a, /b, /c and 2 more " + advice));
}

TEST(DeliveryMeaning, SaysWhatIsSentAgainHeldAndCopied) {
  const auto config = loaded(delivered_by(R"({ "attempts": 3, "on": ["connect_error", "timeout", 502, 503],
                                       "timeout_each": "1s" })",
                                          R"(, "buffer_request": "64KiB")"));
  const auto words = meaning(config, "x");
  EXPECT_THAT(words, HasSubstr("A request to upstream app is sent again, up to 3 times in all, if no server can be "
                               "connected to, its answer takes longer than 1s or the answer is 502 or 503:\n"));
  EXPECT_THAT(words, HasSubstr("20% of the requests within 10s, and 10 a second beside that\n"));
  EXPECT_THAT(words, HasSubstr("Route /* reads bodies of up to 65536 bytes before a server is chosen;"));
  EXPECT_THAT(words,
              HasSubstr("Route /* sends a copy of each request to upstream shadow, whose answers nobody gets.\n"));
}

}  // namespace
}  // namespace headgate::config
