// A reload of a large configuration takes seconds here: meanwhile servers are watched, and callers and operators are
// answered.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

const std::string kWasReloaded = "\"config_reloaded\"";

Json checked_and_watched(const CheckedServer& one, const CheckedServer& two) {
  return {
      {"admin", {{"listen", "127.0.0.1:0"}}},
      {"upstreams",
       {{"app",
         {{"servers", {one.url(), two.url()}},
          {"health",
           {{"path", "/healthz"}, {"every", "100ms"}, {"timeout", "300ms"}, {"down_after", 2}, {"up_after", 2}}}}}}}};
}

Json with_routes(Json config, std::size_t count) {
  auto routes = Json::array({{{"path", "/*"}, {"to", "app"}}});
  for (std::size_t i = 0; i < count; ++i)
    routes.push_back({{"path", "/service-" + std::to_string(i) + "/*"}, {"to", "app"}});
  config["routes"] = std::move(routes);
  return config;
}

class LongReload : public testing::Test {
 protected:
  /// Finds how many routes make a reload take a second on this machine.
  void SetUp() override {
    for (;; routes *= 2) {
      begin();
      ASSERT_TRUE(gateway.process().wait_for_err([&](const std::string& log) { return was_reloaded(log); }));
      if (Clock::now() - begun >= milliseconds(1000) || routes > 250'000) break;
    }
    ASSERT_TRUE(gateway.reload(config));
  }
  /// Begins to read the large configuration.
  void begin() {
    gateway.write(with_routes(config, routes));
    before = count_of(gateway.process().err(), kWasReloaded);
    gateway.process().signal(SIGHUP);
    begun = Clock::now();
  }
  bool was_reloaded(const std::string& log) const { return count_of(log, kWasReloaded) > before; }
  bool reloaded() { return was_reloaded(gateway.process().err()); }

  CheckedServer one{"one"};
  CheckedServer two{"two"};
  const Json config = checked_and_watched(one, two);
  Reloaded gateway{config};
  std::size_t routes = 2'000;
  std::size_t before = 0;
  Clock::time_point begun;
};

TEST_F(LongReload, LetsHealthChecksGoOn) {
  ASSERT_TRUE(one.wait_for_checks(2));
  begin();
  const auto checks = one.checks();
  ASSERT_TRUE(gateway.process().wait_for_err([&](const std::string& log) { return was_reloaded(log); }));
  const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
  const auto due = static_cast<unsigned>(took / milliseconds(100));
  ASSERT_GE(due, 4U) << routes << " routes";
  EXPECT_GE(one.checks() - checks, due / 2) << took.count() << " ms";
}

TEST_F(LongReload, TakesAServerOutThatDiesMeanwhileAndKeepsItOut) {
  ASSERT_TRUE(two.wait_for_checks(2));
  begin();
  two.health(500);
  ASSERT_TRUE(gateway.process().wait_for_err([](const std::string& log) { return has(log, "\"server_unhealthy\""); }));
  EXPECT_FALSE(reloaded()) << "it was taken out only after the reload";
  ASSERT_TRUE(gateway.process().wait_for_err([&](const std::string& log) { return was_reloaded(log); }));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(gateway.client().get("/service-7/x").body, "one");
}

TEST_F(LongReload, AnswersCallsThatNeedTheMainThread) {
  begin();
  const auto server = two.url().substr(7);
  const auto answer = Operator(gateway.process())
                          .ask("PUT", "/api/v1/upstreams/app/servers/" + server + "/state", R"({"state":"down"})");
  EXPECT_EQ(answer.status(), 200) << answer.body;
  EXPECT_EQ(Look(gateway.process()).get("/readyz").status(), 200);
  EXPECT_FALSE(reloaded());
  ASSERT_TRUE(gateway.process().wait_for_err([&](const std::string& log) { return was_reloaded(log); }));
  EXPECT_EQ(gateway.client().get("/service-7/x").body, "one") << "what an operator did meanwhile holds on";
}

TEST_F(LongReload, IsGivenUpAtAStop) {
  begin();
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(), 0);
  EXPECT_FALSE(reloaded()) << gateway.process().err();
}

TEST_F(LongReload, OfAFileThatIsComparedDoesNotKeepTheProcessFromItsEnd) {
  gateway.write(with_routes(config, 2 * routes));
  const Operator asks(gateway.process());
  RawClient first(asks.port());
  RawClient second(asks.port());
  for (auto* each : {&first, &second}) {
    each->send(asks.text("GET", "/api/v1/config/diff"));
    EXPECT_EQ(asks.ask("GET", "/healthz").status(), 200) << "so the call has begun";
  }
  gateway.process().signal(SIGTERM);
  for (auto* each : {&first, &second}) {
    const auto status = each->read().status();
    EXPECT_TRUE(status == 200 || status == 503) << status;
  }
  EXPECT_EQ(gateway.process().wait(), 0);
  EXPECT_FALSE(has(gateway.process().err(), "drain_failed")) << gateway.process().err();
}

TEST_F(LongReload, IsFollowedByAnUpgradeOnlyAfterAllThatWereAskedFor) {
  begin();
  ASSERT_TRUE(one.wait_for_checks(2)) << "now the large file is being read";
  ASSERT_FALSE(reloaded());
  gateway.write_text("{");
  gateway.process().signal(SIGHUP);
  gateway.process().signal(SIGUSR2);
  ASSERT_TRUE(gateway.process().wait_for_err([](const std::string& log) { return has(log, "\"upgrade_failed\""); }));
  const auto log = gateway.process().err();
  EXPECT_LT(log.find("\"config_refused\""), log.find("\"upgrade_begun\"")) << log;
}

TEST_F(LongReload, IsFollowedByTheOneThatWasAskedForMeanwhile) {
  begin();
  ASSERT_TRUE(one.wait_for_checks(2)) << "now the large file is being read";
  ASSERT_FALSE(reloaded());
  gateway.write(config);
  gateway.process().signal(SIGHUP);
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(gateway.process().wait_for_err(
      [&](const std::string& log) { return count_of(log, kWasReloaded) >= before + 2; }));
  EXPECT_EQ(gateway.client().get("/service-7/x").status(), 200);
  EXPECT_EQ(Json::parse(Look(gateway.process()).get("/api/v1/routes").body)["routes"].size(), 1U);
}

}  // namespace
}  // namespace headgate::test
