// Balances of keys: two gateways share them in Redis, and operators top them up.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

const std::string kBalancePath = "/api/v1/balances";
const std::string kBalanceOfKey = "/api/v1/balances?limit=credit&key=acme";
const std::string kAcmeWithABalance = "X-API-Key: acme-key-of-some-length-0001\r\n";

class Balances : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  Json credited(const Json& changes = Json::object()) const {
    Json out = {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}}},
                {"admin", {{"listen", "127.0.0.1:0"}}},
                {"log", {{"format", "json"}}},
                {"identity", {{"api_key", {{"keys", {{"acme", {{"key", "acme-key-of-some-length-0001"}}}}}}}}},
                {"limits",
                 {{"credit", {{"balance", true}, {"per", "api_key"}, {"if_absent", "skip"}}},
                  {"plan", {{"rate", "9/s"}, {"per", "total"}}}}},
                {"all_routes", {{"limits", {"credit"}}}}};
    out.merge_patch(changes);
    return out;
  }
  static std::string top_up(std::int64_t add, const std::string& id = "") {
    Json out = {{"limit", "credit"}, {"key", "acme"}, {"add", add}};
    if (!id.empty()) out["id"] = id;
    return out.dump();
  }
  /// How many of all requests pass, sent to both gateways at the same time; none has another status than 200 or 429.
  static int pass_both(const Proxy& one, const Proxy& two, int each) {
    std::atomic<int> passed = 0;
    std::vector<std::thread> clients;
    for (int t = 0; t < 4; ++t)
      clients.emplace_back([&, t] {
        auto client = (t % 2 == 0 ? one : two).client();
        for (int i = 0; i < each; ++i) {
          const auto status = client.get("/", kAcmeWithABalance).status();
          EXPECT_TRUE(status == 200 || status == 429) << status;
          passed += status == 200 ? 1 : 0;
        }
      });
    for (auto& client : clients) client.join();
    return passed;
  }

  RedisServer redis;
};

TEST_F(Balances, AreSharedExactlyToppedUpAtOnceAndOutliveTheGateways) {
  {
    Proxy one(credited());
    Proxy two(credited());
    const Operator here(one.gateway.process());
    const Operator there(two.gateway.process());
    EXPECT_EQ(pass_both(one, two, 2), 0) << "nothing was added yet";
    const auto added = here.ask("POST", kBalancePath, top_up(20, "invoice-7"));
    ASSERT_EQ(added.status(), 200) << added.body;
    EXPECT_EQ(Json::parse(added.body), (Json{{"limit", "credit"}, {"key", "acme"}, {"balance", 20}}));
    const auto again = there.ask("POST", kBalancePath, top_up(20, "invoice-7"));
    EXPECT_EQ(Json::parse(again.body),
              (Json{{"limit", "credit"}, {"key", "acme"}, {"balance", 20}, {"repeated", true}}));
    EXPECT_EQ(pass_both(one, two, 10), 20);
    EXPECT_EQ(there.get(kBalanceOfKey).at("balance"), 0);
    EXPECT_EQ(here.ask("POST", kBalancePath, top_up(5)).status(), 200);
    EXPECT_EQ(pass_both(one, two, 4), 5) << "no gateway remembers that it rejected the key";
    ASSERT_EQ(there.ask("POST", kBalancePath, top_up(7)).status(), 200);
    EXPECT_TRUE(one.gateway.process().wait_for_err([](const std::string& log) {
      return log.find("limit=credit add=20 id=invoice-7 balance=20") != std::string::npos;
    }));
  }
  Proxy one(credited());
  Proxy two(credited());
  EXPECT_EQ(Operator(one.gateway.process()).get(kBalanceOfKey).at("balance"), 7);
  EXPECT_EQ(pass_both(one, two, 5), 7);
}

TEST_F(Balances, TakeARefundBackAndSayNoTimeToComeBack) {
  Proxy proxy(credited());
  const Operator admin(proxy.gateway.process());
  ASSERT_EQ(admin.ask("POST", kBalancePath, top_up(2)).status(), 200);
  const auto back = admin.ask("POST", kBalancePath, top_up(-5, "refund-1"));
  EXPECT_EQ(Json::parse(back.body).at("balance"), -3);
  auto client = proxy.client();
  const auto answer = client.get("/", kAcmeWithABalance);
  EXPECT_EQ(answer.status(), 429);
  EXPECT_EQ(answer.value("Retry-After"), "");
  EXPECT_EQ(answer.value("RateLimit"), "\"credit\";r=0");
  EXPECT_EQ(answer.value("RateLimit-Policy"), "");
  const auto key = admin.get("/api/v1/limits/credit/keys/acme").at("rules").at(0);
  EXPECT_EQ(key, (Json{{"rule", "balance"}, {"balance", -3}, {"remaining", 0}, {"next_request", "rejected"}}));
  const auto row = admin.get("/api/v1/limits/credit").at("tiers").at(0).at("rules").at(0);
  EXPECT_EQ(row, (Json{{"algorithm", "balance"}, {"start", 0}}));
}

TEST_F(Balances, SayWhatIsWrongWithACall) {
  const std::string all = "operator-token-of-some-length";
  const std::string read = "reader-token-of-some-length-0";
  Proxy proxy(credited({{"admin", {{"token", all}, {"read_token", read}}}}));
  const Operator admin(proxy.gateway.process(), all);
  for (const auto* const body :
       {"", "[]", R"({"limit":"credit","key":"acme"})", R"({"limit":"credit","add":1})",
        R"({"limit":"credit","key":"acme","add":0})", R"({"limit":"credit","key":"acme","add":1.5})",
        R"({"limit":"credit","key":"acme","add":"1"})", R"({"limit":"credit","key":"acme","add":10000000000001})",
        R"({"limit":"credit","key":"acme","add":-10000000000001})",
        R"({"limit":"credit","key":"acme","add":18446744073709551615})",
        R"({"limit":"credit","key":"acme","add":1,"id":""})", R"({"limit":"credit","key":"acme","add":1,"id":"a b"})",
        R"({"limit":"credit","key":"acme","add":1,"id":7})", R"({"limit":"credit","key":"acme","add":1,"why":"x"})"}) {
    SCOPED_TRACE(body);
    expect_refusal(admin.ask("POST", kBalancePath, body), 400);
  }
  expect_refusal(admin.ask("POST", kBalancePath, R"({"limit":"no","key":"acme","add":1})"), 404);
  expect_refusal(admin.ask("POST", kBalancePath, R"({"limit":"plan","key":"total","add":1})"), 409);
  expect_refusal(admin.ask("GET", kBalancePath + "?limit=credit"), 400);
  expect_refusal(admin.ask("GET", kBalancePath + "?limit=no&key=acme"), 404);
  expect_refusal(admin.ask("DELETE", "/api/v1/limits/credit/keys/acme"), 409);
  expect_refusal(admin.ask("DELETE", "/api/v1/limits/credit/keys"), 409);
  const std::string rate = R"({"rate":"5/hour","for":"1h"})";
  const auto other_size = admin.ask("PUT", "/api/v1/limits/credit/overrides/acme", rate);
  expect_refusal(other_size, 422);
  EXPECT_NE(other_size.body.find("is a balance"), std::string::npos) << other_size.body;
  EXPECT_EQ(admin.ask("POST", kBalancePath, top_up(20, "invoice-7")).status(), 200);
  const auto other_amount = admin.ask("POST", kBalancePath, top_up(21, "invoice-7"));
  expect_refusal(other_amount, 409);
  EXPECT_NE(other_amount.body.find("to add 20"), std::string::npos) << other_amount.body;
  EXPECT_EQ(Operator(admin.port(), read).get(kBalanceOfKey).at("balance"), 20) << "nothing of this has changed it";
  EXPECT_EQ(Operator(admin.port(), read).ask("POST", kBalancePath, top_up(1)).status(), 403);
  EXPECT_EQ(Operator(admin.port()).ask("POST", kBalancePath, top_up(1)).status(), 401);
}

TEST_F(Balances, AreRefusedWhileRedisIsAwayAndCountOnceIfTheCallIsSentAgain) {
  Proxy proxy(credited({{"redis", {{"timeout", "200ms"}}}}));
  const Operator admin(proxy.gateway.process());
  ASSERT_EQ(admin.ask("POST", kBalancePath, top_up(20)).status(), 200);
  redis.pause();
  expect_refusal(admin.ask("POST", kBalancePath, top_up(7, "invoice-8")), 503);
  expect_refusal(admin.ask("GET", kBalanceOfKey), 503);
  EXPECT_EQ(proxy.client().get("/", kAcmeWithABalance).status(), 503) << "a balance that is not known is not granted";
  redis.resume();
  Message answer;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  do {
    answer = admin.ask("POST", kBalancePath, top_up(7, "invoice-8"));
  } while (answer.status() == 503 && std::chrono::steady_clock::now() < until);
  ASSERT_EQ(answer.status(), 200) << answer.body;
  EXPECT_EQ(Json::parse(answer.body).at("balance"), 27) << "whether Redis had got the first call or not";
}

TEST_F(Balances, AreShownAndToppedUpByACommand) {
  Proxy proxy(credited());
  const auto url = Operator(proxy.gateway.process()).url();
  const auto run = [&](Words words) {
    words.insert(words.begin(), "balance");
    words.insert(words.end(), {"--admin", url});
    return run_headgate(words);
  };
  EXPECT_EQ(run({"credit", "acme"}).out, "acme has 0 under credit\n");
  EXPECT_EQ(run({"credit", "acme", "--add", "20", "--id", "invoice-7"}).out, "acme has 20 under credit\n");
  EXPECT_EQ(run({"credit", "acme", "--add", "20", "--id", "invoice-7"}).out,
            "acme has 20 under credit: this id was used before, so nothing was added\n");
  EXPECT_EQ(run({"credit", "acme", "--add", "-5"}).out, "acme has 15 under credit\n");
  const auto wrong = run({"plan", "total", "--add", "1"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("no balance"), std::string::npos) << wrong.err;
  const auto shown = run_headgate({"limits", "credit", "acme", "--admin", url});
  EXPECT_NE(shown.out.find("balance"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("15"), std::string::npos) << shown.out;
}

TEST_F(Balances, PayForABodyOfAnAnswerAndGetTheRestBack) {
  const Json use = {{"use", "credit"}, {"cost", {{"response_header", "X-Used"}, {"hold", 10}, {"most", 100}}}};
  Proxy proxy(credited({{"all_routes", {{"limits", Json::array({use})}}}}));
  const Operator admin(proxy.gateway.process());
  ASSERT_EQ(admin.ask("POST", kBalancePath, top_up(20)).status(), 200);
  EXPECT_EQ(proxy.client().get("/", kAcmeWithABalance + "X-Test-Field: X-Used: 3\r\n").status(), 200);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Json now = Json::object();
  while (std::chrono::steady_clock::now() < until && now.value("balance", 0) != 17) now = admin.get(kBalanceOfKey);
  EXPECT_EQ(now.at("balance"), 17);
}

}  // namespace
}  // namespace headgate::test
