// SIGUSR2: what the process knows goes to the one that takes its place.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace headgate::test {
namespace {

Json with_state(const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"workers", 2},
              {"limits", {{"plan", {{"rate", "5/day"}, {"per", "client_ip"}}}}},
              {"all_routes", {{"limits", {"plan"}}}},
              {"log", {{"format", "json"}, {"access", "off"}}}};
  out.merge_patch(changes);
  return out;
}

/// Calls the admin interface of whichever process has it.
class StateOperator {
 public:
  explicit StateOperator(Upgraded& upgraded) : port_(admin_port(upgraded.gateway.process())) {}
  Message ask(const std::string& method, const std::string& path, const std::string& body = "") const {
    const auto length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return RawClient(port_).ask(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length + "\r\n" + body);
  }
  Json get(const std::string& path) const { return Json::parse(ask("GET", path).body); }

 private:
  std::uint16_t port_;
};

int status_from(Upgraded& upgraded, const std::string& source) {
  return RawClient(upgraded.gateway.gateway().port(), source).get().status();
}

TEST(UpgradeState, ASpentKeyStaysSpentUnderLoad) {
  Upgraded upgraded(with_state());
  for (int i = 0; i < 5; ++i) ASSERT_EQ(status_from(upgraded, "127.0.0.5"), 200);
  ASSERT_EQ(status_from(upgraded, "127.0.0.5"), 429);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(status_from(upgraded, "127.0.0.6"), 200);
  std::atomic<bool> ended{false};
  std::atomic<int> passed{0};
  std::thread load([&] {
    while (!ended) passed += status_from(upgraded, "127.0.0.5") == 200 ? 1 : 0;
  });
  const bool served = upgraded.upgrade();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(status_from(upgraded, "127.0.0.5"), 429);
  ended = true;
  load.join();
  ASSERT_TRUE(served) << upgraded.gateway.process().err();
  EXPECT_EQ(passed, 0);
  ASSERT_TRUE(wait_until([&] { return !upgraded.gateway.process().runs(); })) << "else it may still accept";
  for (int i = 0; i < 4; ++i) EXPECT_EQ(status_from(upgraded, "127.0.0.6"), i < 3 ? 200 : 429) << i;
  EXPECT_TRUE(upgraded.gateway.process().says("state_taken_over")) << upgraded.gateway.process().err();
  ASSERT_TRUE(upgraded.upgrade()) << "once more";
  EXPECT_EQ(status_from(upgraded, "127.0.0.5"), 429);
}

TEST(UpgradeState, WhatAnOperatorDidHoldsOn) {
  FakeUpstream first;
  FakeUpstream second;
  const auto name = [](const FakeUpstream& each) { return "127.0.0.1:" + std::to_string(each.port()); };
  Upgraded upgraded(
      with_state({{"upstreams", {{"app", {{"servers", {"http://" + name(first), "http://" + name(second)}}}}}}}));
  const StateOperator admin(upgraded);
  ASSERT_EQ(
      admin.ask("PUT", "/api/v1/upstreams/app/servers/" + name(second) + "/state", R"({"state": "drain"})").status(),
      200);
  ASSERT_EQ(admin.ask("PUT", "/api/v1/upstreams/app/servers/" + name(first) + "/size", R"({"weight": 7})").status(),
            200);
  ASSERT_EQ(status_from(upgraded, "127.0.0.5"), 200);
  ASSERT_EQ(admin.ask("POST", "/api/v1/bans", R"({"limit": "plan", "key": "127.0.0.5", "for": "1h"})").status(), 201);
  ASSERT_EQ(admin.ask("POST", "/api/v1/bans", R"({"limit": "plan", "key": "127.0.0.8/30", "for": "1h"})").status(),
            201);
  ASSERT_EQ(admin.ask("PUT", "/api/v1/limits/plan/overrides/127.0.0.6", R"({"rate": "7/day", "for": "1h"})").status(),
            201);
  ASSERT_EQ(admin.ask("PUT", "/api/v1/log-level", R"({"level": "debug"})").status(), 200);
  const auto id = admin.get("/api/v1/bans")["bans"][0]["key_id"];
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  ASSERT_TRUE(wait_until([&] { return !upgraded.gateway.process().runs(); })) << "else it may still accept";

  EXPECT_EQ(status_from(upgraded, "127.0.0.5"), 429);
  EXPECT_EQ(status_from(upgraded, "127.0.0.9"), 429) << "of the block";
  EXPECT_EQ(status_from(upgraded, "127.0.0.12"), 200);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(status_from(upgraded, "127.0.0.6"), i < 7 ? 200 : 429) << i;
  EXPECT_EQ(admin.get("/api/v1/bans")["bans"].size(), 2U);
  EXPECT_EQ(admin.get("/api/v1/bans")["bans"][0]["key_id"], id) << "ids stay what they were";
  EXPECT_EQ(admin.get("/api/v1/overrides")["overrides"][0]["rate"], "7/day");
  EXPECT_EQ(admin.get("/api/v1/servers")["upstreams"][0]["servers"][1]["out"], Json::array({"drained"}));
  EXPECT_EQ(admin.get("/api/v1/servers")["upstreams"][0]["servers"][0]["weight"], 7);
  EXPECT_EQ(admin.get("/api/v1/servers")["upstreams"][0]["servers"][0]["set_by_operator"], true);
  EXPECT_EQ(second.request_count(), 0U);
  EXPECT_EQ(admin.get("/api/v1/status")["log_level"], "debug");
}

TEST(UpgradeState, HealthChecksGoOnWhereASizeWasHandedOver) {
  CheckedServer one("one");
  CheckedServer two("two");
  const Json health = {
      {"path", "/healthz"}, {"every", "100ms"}, {"timeout", "300ms"}, {"down_after", 2}, {"up_after", 2}};
  Upgraded upgraded(with_state({{"limits", {{"plan", {{"rate", "1000/day"}}}}},
                                {"upstreams", {{"app", {{"servers", {one.url(), two.url()}}, {"health", health}}}}}}));
  const StateOperator admin(upgraded);
  const auto server = "/api/v1/upstreams/app/servers/" + one.url().substr(std::string("http://").size());
  ASSERT_EQ(admin.ask("PUT", server + "/size", R"({"weight": 7})").status(), 200);
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  const auto second = [&] { return admin.get("/api/v1/servers")["upstreams"][0]["servers"][1]["out"]; };
  const auto comes_to = [&](const Json& out) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (second() != out && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return second() == out;
  };
  ASSERT_EQ(admin.get("/api/v1/servers")["upstreams"][0]["servers"][0]["weight"], 7);
  two.health(500);
  ASSERT_TRUE(comes_to(Json::array({"unhealthy"}))) << second();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(RawClient(upgraded.gateway.gateway().port()).get().body, "one");
  two.health(200);
  EXPECT_TRUE(comes_to(Json())) << second();
}

TEST(UpgradeState, WhatTheNewFileDoesNotHaveIsToldAndLeftOut) {
  FakeUpstream first;
  const auto url = [](const FakeUpstream& each) { return "http://127.0.0.1:" + std::to_string(each.port()); };
  const auto file = [&](const FakeUpstream& each) {
    return with_state({{"upstreams", {{"app", {{"servers", {url(each)}}}}}}});
  };
  Upgraded upgraded(file(first));
  const StateOperator admin(upgraded);
  ASSERT_EQ(
      admin
          .ask("PUT", "/api/v1/upstreams/app/servers/127.0.0.1:" + std::to_string(first.port()) + "/state?force=1",
               R"({"state": "down"})")
          .status(),
      200);
  FakeUpstream other;
  upgraded.gateway.write(file(other));
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  // Until it has closed its sockets, the old process may accept; its server is down.
  const auto until = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (status != 200 && std::chrono::steady_clock::now() < until) status = status_from(upgraded, "127.0.0.5");
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(upgraded.gateway.process().wait_for_err([](const std::string& log) {
    return has(log, "state_not_taken_over") && has(log, "the configuration has no such server");
  })) << upgraded.gateway.process().err();
}

}  // namespace
}  // namespace headgate::test
