// Going back to the configuration that was in force before.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

const std::string kBack = "/api/v1/reload?previous=true";
const std::string kNotTheFile = "an operator went back to an earlier configuration";
const std::string kRefused = "the last configuration that was read was refused";

Json with_rate(const std::string& rate) {
  return {{"admin", {{"listen", "127.0.0.1:0"}}},
          {"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}},
          {"all_routes", {{"limits", {"x"}}}}};
}

class PreviousConfig : public testing::Test {
 protected:
  std::string limit() { return gateway.client().get().value("X-RateLimit-Limit"); }
  std::string reasons() { return operates().get("/api/v1/status")["reasons"].dump(); }
  Operator operates() { return Operator(gateway.process()); }
  /// The answer, once the log has told of it: who waits for the next reload takes no earlier one for it.
  Message go_back() {
    Message answer;
    EXPECT_TRUE(gateway.tells("\"config_reloaded\"", [&] { answer = operates().ask("POST", kBack); }));
    return answer;
  }

  Reloaded gateway{with_rate("5/day")};
};

TEST_F(PreviousConfig, IsInForceAgainUntilTheFileIsReadAgain) {
  ASSERT_TRUE(gateway.reload(with_rate("6/day")));
  auto answer = go_back();
  ASSERT_EQ(answer.status(), 200) << answer.body;
  auto told = Json::parse(answer.body);
  EXPECT_EQ(told["from"], "previous");
  EXPECT_EQ(told["changed"], Json({"limits"}));
  EXPECT_EQ(limit(), "5");
  EXPECT_TRUE(has(reasons(), kNotTheFile)) << reasons();
  EXPECT_TRUE(operates().get("/api/v1/config/diff")["differs"].get<bool>());
  EXPECT_TRUE(has(Look(gateway.process()).text(), "headgate_reason{reason=\"rolled_back\""));
  ASSERT_TRUE(gateway.tells("\"config_reloaded\"", [&] { gateway.process().signal(SIGHUP); }));
  EXPECT_EQ(limit(), "6");
  EXPECT_FALSE(has(reasons(), kNotTheFile)) << reasons();
}

TEST_F(PreviousConfig, IsTheOneThatWasLeftAfterGoingBack) {
  ASSERT_TRUE(gateway.reload(with_rate("6/day")));
  EXPECT_EQ(operates().ask("POST", kBack).status(), 200);
  EXPECT_EQ(operates().ask("POST", "/api/v1/reload?previous").status(), 200);
  EXPECT_EQ(limit(), "6");
  EXPECT_FALSE(has(reasons(), kNotTheFile)) << "the file is in force again";
}

TEST_F(PreviousConfig, IsNotReplacedByAReloadThatChangesNothingOrIsRefused) {
  ASSERT_TRUE(gateway.reload(with_rate("6/day")));
  ASSERT_TRUE(gateway.reload(with_rate("6/day")));
  ASSERT_TRUE(gateway.reload("{", "\"config_refused\""));
  EXPECT_EQ(operates().ask("POST", kBack).status(), 200);
  EXPECT_EQ(limit(), "5");
}

TEST_F(PreviousConfig, DoesNotHideThatTheFileIsBroken) {
  ASSERT_TRUE(gateway.reload(with_rate("6/day")));
  ASSERT_TRUE(gateway.reload("{", "\"config_refused\""));
  for (const std::string rate : {"5", "6", "5"}) {
    EXPECT_EQ(go_back().status(), 200);
    EXPECT_EQ(limit(), rate);
    EXPECT_TRUE(has(reasons(), kRefused)) << reasons();
    EXPECT_TRUE(has(reasons(), kNotTheFile)) << reasons();
  }
  ASSERT_TRUE(gateway.reload(with_rate("5/day")));
  EXPECT_FALSE(has(reasons(), kRefused)) << reasons();
  EXPECT_FALSE(has(reasons(), kNotTheFile)) << reasons();
}

TEST_F(PreviousConfig, IsRefusedWithoutOne) {
  const auto answer = operates().ask("POST", kBack);
  expect_refusal(answer, 409);
  EXPECT_TRUE(has(answer.body, "no earlier configuration")) << answer.body;
  expect_refusal(operates().ask("POST", "/api/v1/reload?previous=perhaps"), 400);
  EXPECT_EQ(operates().ask("POST", "/api/v1/reload?previous=false").status(), 200);
  EXPECT_FALSE(has(gateway.process().err(), "config_refused")) << gateway.process().err();
}

TEST_F(PreviousConfig, IsTheCommandsToo) {
  const auto url = operates().url();
  auto ran = run_headgate({"reload", "--previous", "--admin", url});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "no earlier configuration")) << ran.err;
  ASSERT_TRUE(gateway.reload(with_rate("6/day")));
  ran = run_headgate({"reload", "--previous", "--admin", url});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "went back to an earlier " + gateway.path() + ": limits\n");
  EXPECT_EQ(limit(), "5");
  EXPECT_TRUE(gateway.process().says("\"target\":\"previous=true\"")) << gateway.process().err();
  EXPECT_TRUE(gateway.process().says("\"config_rolled_back\"")) << gateway.process().err();
}

TEST(WatchedPreviousConfig, GivesWayToAFileThatChanges) {
  Reloaded gateway(with_rate("5/day"), {"--watch"});
  const std::string word = "\"config_reloaded\"";
  ASSERT_TRUE(gateway.tells(word, [&] { gateway.write(with_rate("6/day")); }));
  ASSERT_TRUE(gateway.tells(word, [&] { EXPECT_EQ(Operator(gateway.process()).ask("POST", kBack).status(), 200); }));
  EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "5");
  ASSERT_TRUE(gateway.tells(word, [&] { gateway.write(with_rate("7/day")); }));
  EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "7");
}

}  // namespace
}  // namespace headgate::test
