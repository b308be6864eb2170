// How servers are looked after, as the file says it, and in words.

#include "loaded.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace headgate::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kLookedAfter = R"({
  "listen": ":8080",
  "upstreams": {
    "app": {
      "servers": ["http://app-1:3000", { "url": "http://app-2:3000", "max_in_flight": 7 }],
      "health": { "path": "/ready?full=1", "host": "api.internal:80", "expect": [200, "300-399"], "every": "2s",
                  "timeout": "500ms", "down_after": 5, "up_after": 1 },
      "max_in_flight": 50, "queue": { "wait": "1s" }, "resolve_every": "10s", "connection_lifetime": "10m"
    },
    "tcp": { "servers": ["http://127.0.0.1:3001"], "health": {} },
    "plain": "http://127.0.0.1:3002"
  },
  "routes": [{ "path": "/a", "to": "app" }, { "path": "/t", "to": "tcp" }, { "path": "/p", "to": "plain" }] })";

TEST(ServersLookedAfter, AreAsTheFileSays) {
  const auto config = loaded(kLookedAfter);
  const auto& app = config.upstreams[0];
  ASSERT_TRUE(app.health);
  EXPECT_EQ(*app.health, (upstream::HealthOptions{.path = "/ready?full=1",
                                                  .host = "api.internal:80",
                                                  .expect = {{200, 200}, {300, 399}},
                                                  .every = seconds(2),
                                                  .timeout = milliseconds(500),
                                                  .rule = {.down_after = 5, .up_after = 1}}));
  EXPECT_EQ(app.servers[0].max_in_flight, 50U) << "that of the upstream";
  EXPECT_EQ(app.servers[1].max_in_flight, 7U) << "its own";
  EXPECT_EQ(app.resolve_every, seconds(10));
  EXPECT_EQ(app.connection_lifetime, minutes(10));
  ASSERT_TRUE(app.server_queue);
  EXPECT_EQ(app.server_queue->length, 100U);
  EXPECT_EQ(app.server_queue->wait, seconds(1));
  EXPECT_FALSE(config.upstreams[1].server_queue);
}

TEST(ServersLookedAfter, HaveDefaults) {
  const auto config = loaded(kLookedAfter);
  ASSERT_TRUE(config.upstreams[1].health);
  EXPECT_EQ(*config.upstreams[1].health, upstream::HealthOptions{});
  const auto& plain = config.upstreams[2];
  EXPECT_FALSE(plain.health) << "nobody is checked who is not asked to be";
  EXPECT_EQ(plain.resolve_every, seconds(30));
  EXPECT_EQ(plain.connection_lifetime, Duration(0));
  EXPECT_EQ(plain.servers[0].max_in_flight, 0U);
}

TEST(ServersLookedAfter, AreRefusedAtOnceWithoutAQueue) {
  const auto config = loaded(R"({ "listen": ":1", "routes": [{ "path": "/*", "to": "a" }],
    "upstreams": { "a": { "servers": ["http://127.0.0.1:1"], "max_in_flight": 5 } } })");
  ASSERT_TRUE(config.upstreams[0].server_queue);
  EXPECT_EQ(config.upstreams[0].server_queue->length, 0U);
}

TEST(ServersLookedAfter, AreToldInWords) {
  const auto text = meaning(loaded(kLookedAfter), "f");
  EXPECT_NE(
      text.find("\nThe servers of upstream app:\n"
                "  every 2s each server is asked for /ready?full=1, and must answer with 200 or 300 to 399 within "
                "500ms\n"
                "  5 failed checks in a row take it out of rotation, one passed check brings it back; it is up "
                "until its first check, which decides alone\n"
                "  requests at the same time: app-1:3000 at most 50, app-2:3000 at most 7\n"
                "  up to 100 requests wait for a free place, at most 1s; others are refused with 503\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\nThe servers of upstream tcp:\n  every 5s each server is connected to, and must accept within "
                      "1s\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("upstream plain"), std::string::npos) << text;
}

}  // namespace
}  // namespace headgate::config
