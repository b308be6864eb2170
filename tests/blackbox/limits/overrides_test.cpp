// Overrides: an operator gives one key of a limit another size for a time, on one gateway or on all that share Redis.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/limits/comes.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

const std::string kPath = "/api/v1/limits/plan/overrides/";

Json planned(const std::string& rate = "5/hour", const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"limits", {{"plan", {{"rate", rate}, {"per", "client_ip"}}}}},
              {"all_routes", {{"limits", {"plan"}}}}};
  out.merge_patch(changes);
  return out;
}

/// How many of `tries` requests pass.
int passed(const Proxy& proxy, int tries, const std::string& source = "127.0.0.1") {
  int out = 0;
  auto client = proxy.client(source);
  for (int i = 0; i < tries; ++i) out += client.get().status() == 200 ? 1 : 0;
  return out;
}

std::string body_of(const Json& rate, const std::string& length = "1h", const Json& more = Json::object()) {
  Json out = {{"rate", rate}, {"for", length}};
  out.merge_patch(more);
  return out.dump();
}

TEST(Overrides, RaiseTheLimitOfOneKeyAtOnceAndKeepWhatItUsed) {
  Proxy proxy(planned());
  const Operator admin(proxy.gateway.process());
  EXPECT_EQ(passed(proxy, 8), 5);
  const auto put = admin.ask("PUT", kPath + "127.0.0.1", body_of("9/hour", "1h", {{"why", "launch"}}));
  ASSERT_EQ(put.status(), 201) << put.body;
  const auto told = Json::parse(put.body);
  EXPECT_EQ(told.at("limit"), "plan");
  EXPECT_EQ(told.at("key"), "127.0.0.1");
  EXPECT_EQ(told.at("rate"), "9/hour");
  EXPECT_EQ(told.at("why"), "launch");
  EXPECT_EQ(told.at("store"), "memory");
  EXPECT_FALSE(told.contains("gateways")) << "nobody else has it";
  EXPECT_GT(told.at("seconds_left").get<int>(), 3590);
  EXPECT_EQ(passed(proxy, 8), 4);
  EXPECT_EQ(passed(proxy, 8, "127.0.0.2"), 5) << "another key has the usual size";
  const auto list = admin.get("/api/v1/overrides").at("overrides");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].at("why"), "launch");
  EXPECT_EQ(admin.get("/api/v1/limits/plan/overrides").at("overrides"), list);
  const auto key = admin.get("/api/v1/limits/plan/keys/127.0.0.1");
  EXPECT_EQ(key.at("tier"), "override");
  EXPECT_EQ(key.at("override").at("rate"), "9/hour");
  EXPECT_EQ(key.at("rules").at(0).at("limit"), 9);
  EXPECT_EQ(key.at("rules").at(0).at("used"), 9);
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.comes_to(
      [](const MetricsText& now) { return now.value(R"(headgate_overrides_active{limit="plan"})") == 1; }));
}

TEST(Overrides, EndByThemselvesAndTheOldLimitHoldsAgain) {
  Proxy proxy(planned("5/hour", {{"log", {{"format", "json"}}}}));
  const Operator admin(proxy.gateway.process());
  ASSERT_EQ(admin.ask("PUT", kPath + "127.0.0.1", body_of("unlimited", "6s")).status(), 201);
  const auto begun = Clock::now();
  EXPECT_EQ(passed(proxy, 20), 20);
  ASSERT_LT(Clock::now() - begun, Milliseconds(5900)) << "too slow a machine for this test";
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& log) { return log.find("override_ended") != std::string::npos; }));
  EXPECT_EQ(passed(proxy, 8), 5) << "what was unlimited was not counted";
  EXPECT_TRUE(admin.get("/api/v1/overrides").at("overrides").empty());
}

TEST(Overrides, AreReplacedByTheNextAndEndedByDelete) {
  Proxy proxy(planned());
  const Operator admin(proxy.gateway.process());
  EXPECT_EQ(admin.ask("DELETE", kPath + "127.0.0.1").status(), 404);
  EXPECT_EQ(admin.ask("PUT", kPath + "127.0.0.1", body_of("100/hour")).status(), 201);
  EXPECT_EQ(passed(proxy, 4), 4);
  const auto again = admin.ask("PUT", kPath + "127.0.0.1", body_of("3/hour"));
  EXPECT_EQ(again.status(), 200) << again.body;
  EXPECT_EQ(passed(proxy, 2), 0) << "less than what is used";
  EXPECT_EQ(admin.get("/api/v1/overrides").at("overrides").size(), 1U);
  const auto ended = admin.ask("DELETE", kPath + "127.0.0.1");
  EXPECT_EQ(ended.status(), 200);
  EXPECT_EQ(Json::parse(ended.body).at("lifted").at("key"), "127.0.0.1");
  EXPECT_EQ(passed(proxy, 5), 1) << "four of five are used, whatever the override was";
  expect_refusal(admin.ask("DELETE", kPath + "127.0.0.1"), 404);
}

TEST(Overrides, CanHaveSeveralRatesAndABurst) {
  Proxy proxy(planned());
  const Operator admin(proxy.gateway.process());
  const auto several = admin.ask("PUT", kPath + "127.0.0.1", body_of(Json{"3/minute", "100/hour"}));
  ASSERT_EQ(several.status(), 201) << several.body;
  EXPECT_EQ(Json::parse(several.body).at("rate"), (Json{"3/minute", "100/hour"}));
  EXPECT_EQ(passed(proxy, 5), 3);
  ASSERT_EQ(admin.ask("PUT", kPath + "127.0.0.2", body_of("1/hour", "1h", {{"burst", 7}})).status(), 201);
  EXPECT_EQ(passed(proxy, 9, "127.0.0.2"), 7);
}

TEST(Overrides, SayWhatIsWrongWithACall) {
  Proxy proxy(planned("5/hour", {{"limits",
                                  {{"plan", {{"exempt", {{"client_ip", {"127.0.0.3"}}}}}},
                                   {"slots", {{"in_flight", 4}, {"per", "client_ip"}}},
                                   {"log", {{"rate", "5/hour"}, {"per", "client_ip"}, {"algorithm", "sliding_log"}}},
                                   {"idle", {{"rate", "5/hour"}, {"per", "client_ip"}}}}},
                                 {"all_routes", {{"limits", {"plan", "slots", "log"}}}}}));
  const Operator admin(proxy.gateway.process());
  const auto refused = [&](const std::string& path, const std::string& body, int status, const std::string& says) {
    const auto answer = admin.ask("PUT", path, body);
    expect_refusal(answer, status);
    EXPECT_NE(answer.body.find(says), std::string::npos) << answer.body;
  };
  const auto mine = kPath + "127.0.0.1";
  refused(mine, "{", 400, "Send JSON");
  refused(mine, "[]", 400, "Send JSON");
  refused(mine, R"({"rate": "5/minute"})", 400, "Send JSON");
  refused(mine, R"({"rate": "5/minute", "for": "1h", "brust": 3})", 400, "The members are");
  refused(mine, body_of("5/fortnight"), 400, "rate");
  refused(mine, body_of(Json::array()), 400, "at least one");
  refused(mine, body_of(Json{"1/s", "2/s"}), 400, "same period");
  refused(mine, body_of(Json{"1/s", "1/2s", "1/3s", "1/4s", "1/5s", "1/6s", "1/7s", "1/8s", "1/9s"}), 400, "at most 8");
  refused(mine, body_of("5/minute", "400d"), 400, "366 days");
  refused(mine, body_of("5/minute", "-1h"), 400, "366 days");
  refused(mine, body_of("5/minute", "1h", {{"burst", 0}}), 400, "whole number");
  refused(mine, body_of("5/minute", "1h", {{"burst", 1.5}}), 400, "whole number");
  refused(mine, body_of("unlimited", "1h", {{"burst", 5}}), 400, "no burst");
  refused(mine, body_of(Json{"1/s", "2/m"}, "1h", {{"burst", 5}}), 400, "one rate");
  refused(mine, body_of("5/minute", "1h", {{"why", std::string(201, 'w')}}), 400, "200 bytes");
  refused(mine, R"({"rate": "5/minute", "for": "1h", "why": "two\nlines"})", 400, "one line");
  refused(mine, R"({"rate": "5/minute", "for": "1h", "why": "\u0085"})", 400, "one line");
  refused(mine, "{\"rate\": \"5/minute\", \"for\": \"1h\", \"why\": \"\xff\"}", 400, "");
  refused(kPath + "someone", body_of("5/minute"), 400, "address");
  refused(kPath + "127.0.0.3", body_of("5/minute"), 409, "exempt");
  refused("/api/v1/limits/nobody/overrides/127.0.0.1", body_of("5/minute"), 404, "plan");
  refused("/api/v1/limits/slots/overrides/127.0.0.1", body_of("5/minute"), 422, "in flight");
  refused("/api/v1/limits/log/overrides/127.0.0.1", body_of("1000000/minute"), 422, "not possible");
  refused("/api/v1/limits/idle/overrides/127.0.0.1", body_of("5/minute"), 422, "no route uses");
  refused("/api/v1/limits/app/overrides/127.0.0.1", body_of("5/minute"), 404, "No limit");
  EXPECT_EQ(admin.ask("PUT", mine, std::string(5000, ' ') + body_of("5/minute")).status(), 413);
  EXPECT_EQ(admin.ask("GET", "/api/v1/limits/nobody/overrides").status(), 404);
  EXPECT_TRUE(admin.get("/api/v1/overrides").at("overrides").empty()) << "nothing of it was taken";
  const auto full = admin.ask("PUT", mine, body_of("5/minute", "366d", {{"why", std::string(198, 'w') + "\u00fc"}}));
  EXPECT_EQ(full.status(), 201) << full.body;
  EXPECT_EQ(admin.ask("PUT", "/api/v1/limits/slots/overrides/127.0.0.1", body_of("unlimited")).status(), 201);
}

TEST(Overrides, NameAKeyAsTheLimitCountsIt) {
  Proxy proxy(
      planned("5/hour", {{"limits", {{"plan", {{"per", {"header:X-Team", "method"}}, {"if_absent", "client_ip"}}}}}}));
  const Operator admin(proxy.gateway.process());
  const auto ask = [&] { return proxy.client().get("/a", "X-Team: red/blue\r\n").status(); };
  const auto put = admin.ask("PUT", kPath + "red%2Fblue%7CGET", body_of("1/hour"));
  ASSERT_EQ(put.status(), 201) << put.body;
  EXPECT_EQ(Json::parse(put.body).at("key"), "red/blue|GET");
  EXPECT_EQ(ask(), 200);
  EXPECT_EQ(ask(), 429);
  EXPECT_EQ(proxy.client().get("/a", "X-Team: red\r\n").status(), 200) << "another key";
  EXPECT_EQ(admin.ask("DELETE", kPath + "red%2Fblue%7CGET").status(), 200);
  EXPECT_EQ(ask(), 200);
}

TEST(Overrides, AreForOperatorsAndInTheLogOfChanges) {
  const std::string all = "token-of-operators-123";
  const std::string read = "token-of-readers-45678";
  Proxy proxy(planned("5/hour", {{"admin", {{"token", all}, {"read_token", read}}}, {"log", {{"format", "json"}}}}));
  auto& process = proxy.gateway.process();
  const Operator reader(process, read);
  expect_refusal(reader.ask("PUT", kPath + "127.0.0.1", body_of("9/hour")), 403);
  expect_refusal(reader.ask("DELETE", kPath + "127.0.0.1"), 403);
  EXPECT_EQ(reader.ask("GET", "/api/v1/overrides").status(), 200);
  const Operator admin(process, all);
  EXPECT_EQ(admin.ask("PUT", kPath + "127.0.0.1", body_of("9/hour", "1h", {{"why", "launch"}})).status(), 201);
  ASSERT_TRUE(process.says("\"admin_change\"")) << process.err();
  ASSERT_TRUE(process.says("\"override_begun\"")) << process.err();
  const auto log = process.err();
  EXPECT_NE(log.find("PUT /api/v1/limits/{name}/overrides/{key}"), std::string::npos) << log;
  EXPECT_NE(log.find("name=plan key=k_"), std::string::npos) << log;
  EXPECT_NE(log.find("rate=9/hour"), std::string::npos) << log;
  EXPECT_EQ(log.find("key=127.0.0.1"), std::string::npos) << "no key in clear";
}

TEST(Overrides, StandInTheAccessLogAndInWhatExplainSays) {
  Proxy proxy(planned("5/hour", {{"usage", "/.usage"}}));
  const Operator admin(proxy.gateway.process());
  ASSERT_EQ(admin.ask("PUT", kPath + "127.0.0.1", body_of("9/hour", "1h", {{"why", "launch"}})).status(), 201);
  EXPECT_EQ(status_of(proxy), 200);
  EXPECT_TRUE(comes(kPatience, [&] { return has(proxy.gateway.process().out(), " tier=override "); }))
      << proxy.gateway.process().out();
  const auto told = admin.ask("POST", "/api/v1/explain", R"({"url": "/"})");
  EXPECT_EQ(Json::parse(told.body).at("limits").at(0).at("tier"), "override") << told.body;
  EXPECT_EQ(Json::parse(told.body).at("limits").at(0).at("override").at("why"), "launch") << told.body;
  const auto usage = Json::parse(proxy.client().get("/.usage").body);
  EXPECT_EQ(usage.at("limits").at(0).at("tier"), "override") << usage;
  EXPECT_EQ(usage.at("limits").at(0).at("limit"), 9) << usage;
}

TEST(Overrides, OutliveAReloadAndSayIfItLeavesThemWithoutEffect) {
  Reloaded file(planned());
  const Operator admin(file.process());
  const auto pass = [&] {
    int out = 0;
    for (int i = 0; i < 12; ++i) out += file.client().get().status() == 200 ? 1 : 0;
    return out;
  };
  ASSERT_EQ(admin.ask("PUT", kPath + "127.0.0.1", body_of("9/hour")).status(), 201);
  ASSERT_TRUE(file.reload(planned("4/hour")));
  EXPECT_EQ(pass(), 9);
  EXPECT_TRUE(file.tells("\"override_without_effect\"", [&] {
    Json other = planned("4/hour");
    other["limits"]["other"] = other["limits"]["plan"];
    other["limits"].erase("plan");
    other["all_routes"]["limits"] = {"other"};
    file.write(other);
    file.process().signal(SIGHUP);
  }));
  const auto list = admin.get("/api/v1/limits/plan/overrides").at("overrides");
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NE(list[0].at("without_effect").get<std::string>().find("no route"), std::string::npos) << list;
  EXPECT_EQ(admin.ask("DELETE", kPath + "127.0.0.1").status(), 200) << "it can be ended all the same";
  EXPECT_TRUE(admin.get("/api/v1/overrides").at("overrides").empty());
}

class OverridesInRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start({"--appendonly", "yes", "--appendfsync", "always"})) << redis.error();
  }
  Json shared(const std::string& rate = "5/hour") const {
    return planned(rate, {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}},
                          {"limits", {{"plan", {{"ban", {{"after", 1000}, {"for", "1h"}}}}}}}});
  }
  static const Json& both() {
    static const Json kBoth = {{"written", true}, {"heard", 2}, {"of", 2}};
    return kBoth;
  }
  /// Gives it again until both gateways have heard: on a busy machine one of them may take longer than the call waits.
  static void put_for_both(const Operator& admin, const std::string& body) {
    Message answer;
    EXPECT_TRUE(comes(kPatience, [&] {
      answer = admin.ask("PUT", kPath + "127.0.0.1", body);
      EXPECT_TRUE(answer.status() == 201 || answer.status() == 200) << answer.body;
      return Json::parse(answer.body).at("gateways") == both();
    })) << answer.body;
  }
  RedisServer redis;
};

TEST_F(OverridesInRedis, HoldOnEveryGatewayWithinASecondAndSayWhoHasHeard) {
  Proxy one(shared());
  Proxy two(shared());
  EXPECT_EQ(passed(one, 4) + passed(two, 4), 5);
  const Operator admin(one.gateway.process());
  const Operator other(two.gateway.process());
  put_for_both(admin, body_of("9/hour", "1h", {{"why", "launch"}}));
  EXPECT_EQ(passed(two, 3), 3) << "also where a rejection was known";
  EXPECT_EQ(passed(one, 3), 1);
  EXPECT_EQ(other.get("/api/v1/overrides").at("overrides").at(0).at("why"), "launch");
  EXPECT_EQ(other.ask("PUT", kPath + "127.0.0.1", body_of("2/hour")).status(), 200) << "it replaces that of the other";
  put_for_both(other, body_of("2/hour"));
  EXPECT_EQ(passed(one, 2), 0) << "less than what is used";
  put_for_both(admin, body_of("unlimited"));
  EXPECT_EQ(passed(two, 30), 30);
  const auto ended = admin.ask("DELETE", kPath + "127.0.0.1");
  EXPECT_EQ(ended.status(), 200);
  EXPECT_EQ(Json::parse(ended.body).at("gateways").at("of"), 2) << ended.body;
  EXPECT_TRUE(comes(kPatience, [&] { return other.get("/api/v1/overrides").at("overrides").empty(); }));
  EXPECT_EQ(passed(two, 9) + passed(one, 9), 0) << "more than five are used, whatever the last override was";
  EXPECT_EQ(other.ask("DELETE", kPath + "127.0.0.1").status(), 404);
}

TEST_F(OverridesInRedis, EndEverywhereAtTheSameMoment) {
  Proxy one(shared());
  Proxy two(shared());
  put_for_both(Operator(one.gateway.process()), body_of("unlimited", "6s"));
  EXPECT_EQ(passed(two, 20), 20);
  std::this_thread::sleep_for(std::chrono::seconds(6));
  EXPECT_EQ(passed(two, 9) + passed(one, 9), 5);
}

TEST_F(OverridesInRedis, AreKnownToAGatewayThatStartsLaterAlsoAfterARestartOfRedis) {
  {
    Proxy first(shared());
    ASSERT_EQ(Operator(first.gateway.process()).ask("PUT", kPath + "127.0.0.1", body_of("9/hour")).status(), 201);
  }
  ASSERT_TRUE(redis.restart()) << redis.error();
  Proxy later(shared());
  EXPECT_EQ(passed(later, 12), 9) << "from its first request";
  const auto next = Operator(later.gateway.process()).ask("PUT", kPath + "127.0.0.2", body_of("9/hour"));
  EXPECT_EQ(Json::parse(next.body).at("gateways").at("of"), 1) << "the first one said that it ended: " << next.body;
}

TEST_F(OverridesInRedis, HoldHereWhileRedisIsDownAndThereWhenItIsBack) {
  Proxy one(shared());
  Proxy two(shared());
  const Operator admin(one.gateway.process());
  redis.stop();
  const auto put = admin.ask("PUT", kPath + "127.0.0.1", body_of("unlimited"));
  ASSERT_EQ(put.status(), 201) << put.body;
  EXPECT_EQ(Json::parse(put.body).at("gateways"), (Json{{"written", false}})) << put.body;
  EXPECT_EQ(passed(one, 20), 20) << "it holds here";
  EXPECT_EQ(passed(two, 20), 2) << "its part of five: it has seen two gateways";
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(comes(std::chrono::seconds(10),
                    [&] { return !Operator(two.gateway.process()).get("/api/v1/overrides").at("overrides").empty(); }));
  EXPECT_TRUE(comes(std::chrono::seconds(10), [&] { return passed(two, 20) == 20; }));
}

TEST_F(OverridesInRedis, CountAGatewayThatHearsNothingOfASuspension) {
  Proxy one(shared());
  Proxy two(shared());
  const Operator admin(one.gateway.process());
  const auto suspend = [&] {
    const auto answer = admin.ask("POST", "/api/v1/bans", R"({"limit": "plan", "key": "127.0.0.9", "for": "1h"})");
    EXPECT_EQ(answer.status(), 201) << answer.body;
    return Json::parse(answer.body).at("gateways");
  };
  EXPECT_TRUE(comes(kPatience, [&] { return suspend() == both(); }));
  two.gateway.process().signal(SIGSTOP);
  const auto begun = Clock::now();
  EXPECT_EQ(suspend(), (Json{{"written", true}, {"heard", 1}, {"of", 2}}));
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(10));
  two.gateway.process().signal(SIGCONT);
  EXPECT_TRUE(comes(kPatience, [&] { return suspend().at("heard") == 2; }));
  const auto lifted = admin.ask("DELETE", "/api/v1/bans?limit=plan&key=127.0.0.9");
  EXPECT_EQ(Json::parse(lifted.body).at("gateways").at("of"), 2) << lifted.body;
}

TEST_F(OverridesInRedis, AreGivenByACommandThatSaysWhoHasHeard) {
  Proxy one(shared());
  Proxy two(shared());
  const auto run = [&](Words words) {
    const auto ran = run_headgate(words, {"HEADGATE_ADMIN=" + Operator(one.gateway.process()).url()});
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  const auto set =
      run({"overrides", "set", "plan", "127.0.0.1", "9/hour", "--for", "1h", "--why", "launch", "--burst", "7"});
  EXPECT_TRUE(has(set, "127.0.0.1 has 9/hour under plan until 20")) << set;
  EXPECT_TRUE(has(set, ", heard by ") && has(set, " of 2 gateways\n")) << set;
  const auto list = run({"overrides"});
  EXPECT_TRUE(has(list, "limit") && has(list, "9/hour") && has(list, "launch") && has(list, "7")) << list;
  const auto lift = run({"overrides", "lift", "plan", "127.0.0.1"});
  EXPECT_TRUE(has(lift, "127.0.0.1 has its usual size of plan again, heard by ")) << lift;
  EXPECT_EQ(run({"overrides"}), "no key has another size of a limit\n");
  const auto ban = run({"suspensions", "add", "plan", "127.0.0.8", "--for", "1h"});
  EXPECT_TRUE(has(ban, ", heard by ") && has(ban, " of 2 gateways\n")) << ban;
}

// A busy key is decided with permits that a gateway took from Redis ahead.
TEST_F(OverridesInRedis, AlsoLowerABusyKeyWithinASecond) {
  Proxy one(shared("36000/hour"));
  const Operator admin(one.gateway.process());
  EXPECT_EQ(passed(one, 300), 300) << "it is leased by now";
  ASSERT_EQ(admin.ask("PUT", kPath + "127.0.0.1", body_of("10/hour")).status(), 201);
  EXPECT_TRUE(comes(std::chrono::seconds(1), [&] { return status_of(one) == 429; }));
  EXPECT_EQ(passed(one, 50), 0) << "more is used than it has";
  ASSERT_EQ(admin.ask("DELETE", kPath + "127.0.0.1").status(), 200);
  EXPECT_TRUE(comes(std::chrono::seconds(1), [&] { return status_of(one) == 200; }));
}

}  // namespace
}  // namespace headgate::test
