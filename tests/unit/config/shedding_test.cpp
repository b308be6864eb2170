#include "loaded.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

namespace headgate::config {
namespace {

constexpr const char* kShop = R"({
  "listen": ":8080",
  "identity": { "trusted_proxies": ["10.0.0.0/8"], "jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" } },
  "shedding": { "priority_from": "header:X-Priority", "loop_lag": "50ms" },
  "upstreams": {
    "app":   { "servers": ["http://127.0.0.1:3000"], "concurrency": { "in_flight": 400, "reserved": "20%", "min": 8, "max": 90 } },
    "plain": "http://127.0.0.1:3001",
    "fixed": { "servers": ["http://127.0.0.1:3002"], "concurrency": { "adaptive": false, "in_flight": 7 } }
  },
  "limits": { "plan": { "tiers": { "free": { "rate": "1/s", "priority": "low" }, "pro": { "rate": "9/s" } },
                        "tier_from": "jwt.plan", "default_tier": "free", "per": "client_ip" } },
  "routes": [{ "path": "/pay", "to": "app", "priority": "critical", "limits": ["plan"] },
             { "path": "/*", "to": "plain" }, { "path": "/f", "to": "fixed" }] })";

TEST(SheddingOptions, AreThoseOfTheFile) {
  const auto config = loaded(kShop);
  const auto& gateway = config.gateway;
  EXPECT_EQ(gateway.shedding.priority_from, "x-priority");
  EXPECT_EQ(gateway.shedding.loop_lag, std::chrono::milliseconds(50));
  const auto& app = config.upstreams[0];
  EXPECT_EQ(app.name, "app");
  EXPECT_EQ(app.concurrency, (shed::ConcurrencyOptions{.adaptive = shed::ConcurrencyRange{.least = 8, .most = 90},
                                                       .in_flight = 400,
                                                       .reserved = shed::ConcurrencyOptions::kWhole / 5}));
  EXPECT_EQ(app.in_flight_store, limit::Store::memory);
  EXPECT_FALSE(config.upstreams[1].concurrency);
  ASSERT_TRUE(config.upstreams[2].concurrency);
  EXPECT_FALSE(config.upstreams[2].concurrency->adaptive);
  EXPECT_EQ(config.upstreams[2].concurrency->in_flight, 7U);
  ASSERT_EQ(gateway.tier_priorities.size(), 1U);
  EXPECT_EQ(gateway.tier_priorities[0].tier, "free");
  EXPECT_EQ(gateway.tier_priorities[0].priority, shed::Priority::low);
  EXPECT_EQ(gateway.routes[0].priority, shed::Priority::critical);
  EXPECT_EQ(gateway.routes[1].priority, shed::Priority::normal);
}

TEST(SheddingOptions, AreCountedInRedisIfThereIsOne) {
  const auto config = loaded(R"({
    "listen": ":8080", "redis": { "url": "redis://127.0.0.1:6379" },
    "upstreams": { "app": { "servers": ["http://127.0.0.1:3000"], "concurrency": { "in_flight": 9 } } },
    "routes": [{ "path": "/*", "to": "app" }] })");
  EXPECT_EQ(config.upstreams.at(0).in_flight_store, limit::Store::redis);
}

}  // namespace
}  // namespace headgate::config
