// An operator is told by webhook when a key has used so much of its quota: once each, over all gateways.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

/// A receiver, and what it was told.
class NoticeReceiver {
 public:
  Json hook(const std::string& timeout = "5s") const {
    return {{"url", server.url() + "/in"}, {"secret", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}, {"timeout", timeout}};
  }
  /// How often each was delivered or tried: by "key percent".
  std::map<std::string, int> told() const {
    std::map<std::string, int> out;
    for (const auto& one : server.requests()) {
      if (!one.whole) continue;
      const auto data = Json::parse(one.message.body).at("data");
      ++out[data.at("key").get<std::string>() + ' ' + std::to_string(data.at("percent").get<int>())];
    }
    return out;
  }
  bool comes_to(const std::map<std::string, int>& wanted, Clock::duration within = kPatience) const {
    const auto end = Clock::now() + within;
    while (told() != wanted && Clock::now() < end) std::this_thread::sleep_for(Milliseconds(20));
    return told() == wanted;
  }

  FakeUpstream server;
};

/// Ten a month for each key; a month ends while these tests run about once a month.
Json with_quota(const Json& hook, const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"webhook", hook},
              {"instance", "edge-1"},
              {"limits",
               {{"plan",
                 {{"rate", "10/month"},
                  {"per", "header:X-Team"},
                  {"if_absent", "skip"},
                  {"algorithm", "fixed_window"},
                  {"notify_at", {"80%", "100%"}}}}}},
              {"all_routes", {{"limits", {"plan"}}}}};
  out.merge_patch(changes);
  return out;
}

Json in_redis(const RedisServer& redis) {
  return {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "1s"}}}};
}

/// The status of the last of `times` requests of `team`.
template <class Of>
int use(const Of& gateway, const std::string& team, int times) {
  auto client = gateway.client();
  int status = 0;
  for (int i = 0; i < times; ++i) status = client.get("/", "X-Team: " + team + "\r\n").status();
  return status;
}

TEST(Quotas, AreToldAtEachPercentageOnce) {
  const NoticeReceiver receiver;
  Proxy proxy(with_quota(receiver.hook()));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(use(proxy, "blue", 7), 200);
  EXPECT_EQ(use(proxy, "red", 8), 200);
  ASSERT_TRUE(receiver.comes_to({{"red 80", 1}}));
  const auto told = receiver.server.last().message;
  EXPECT_EQ(told.value("webhook-signature").substr(0, 3), "v1,") << told.head;
  EXPECT_EQ(told.value("webhook-id").substr(0, 6), "quota_");
  const auto body = Json::parse(told.body);
  EXPECT_EQ(body.at("type"), "quota.reached");
  const auto& data = body.at("data");
  EXPECT_EQ(data.at("limit"), "plan");
  EXPECT_EQ(data.at("rate"), "10/month");
  EXPECT_EQ(data.at("used"), 8);
  EXPECT_EQ(data.at("size"), 10);
  EXPECT_EQ(data.at("since").get<std::string>().substr(7), "-01T00:00:00Z");
  EXPECT_EQ(data.at("until").get<std::string>().substr(7), "-01T00:00:00Z");
  EXPECT_EQ(data.at("rejected"), false);
  EXPECT_EQ(data.at("instance"), "edge-1");
  EXPECT_FALSE(data.contains("owner"));
  EXPECT_EQ(use(proxy, "red", 20), 429);
  EXPECT_TRUE(receiver.comes_to({{"red 80", 1}, {"red 100", 1}}));
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_quota_notices_total{limit="plan",percent="80"})") == 1 &&
           now.value(R"(headgate_quota_notices_total{limit="plan",percent="100"})") == 1 &&
           now.value(R"(headgate_webhooks_total{result="delivered"})") == 2;
  }));
  EXPECT_EQ(use(proxy, "blue", 1), 200);
  EXPECT_TRUE(receiver.comes_to({{"red 80", 1}, {"red 100", 1}, {"blue 80", 1}}));
}

TEST(Quotas, AreThoseOfTheCallersTierOrOfItsOwnSize) {
  const NoticeReceiver receiver;
  const Json acme = {{"owner", "acme"},
                     {"tier", "pro"},
                     {"sha256", "58397a472b24b7dc0d193118bfcede3325acb4513fe7efb450652340dd1cd018"}};
  const Json small = {{"owner", "small"},
                      {"limits", {{"plan", "2/month"}}},
                      {"sha256", "35488aa8b5fe9e93478e9c1a72bab02516901773197224e2ccc7ac5d2398eeec"}};
  const TemporaryFile keys(Json({{"keys", {acme, small}}}).dump());
  const Json limit = {{"rate", nullptr},
                      {"per", "api_key"},
                      {"tier_from", "api_key"},
                      {"default_tier", "free"},
                      {"tiers", {{"free", {{"rate", "5/month"}}}, {"pro", {{"rate", "10/month"}}}}}};
  Proxy proxy(with_quota(receiver.hook(),
                         {{"identity", {{"api_key", {{"file", keys.path()}}}}}, {"limits", {{"plan", limit}}}}));
  auto client = proxy.client();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.get("/", "X-API-Key: acme-0123456789abcdef\r\n").status(), 200);
  ASSERT_TRUE(receiver.comes_to({{"acme 80", 1}}));
  const auto pro = Json::parse(receiver.server.last().message.body).at("data");
  EXPECT_EQ(pro.at("owner"), "acme");
  EXPECT_EQ(pro.at("tier"), "pro");
  EXPECT_EQ(pro.at("size"), 10);
  EXPECT_EQ(pro.at("used"), 8);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.get("/", "X-API-Key: small-0123456789abcdef\r\n").status(), 200);
  EXPECT_TRUE(receiver.comes_to({{"acme 80", 1}, {"small 80", 1}, {"small 100", 1}}));
  const auto own = Json::parse(receiver.server.last().message.body).at("data");
  EXPECT_EQ(own.at("rate"), "2/month");
  EXPECT_EQ(own.at("size"), 2);
}

TEST(Quotas, AreInTheLogWithoutTheirKeys) {
  const NoticeReceiver receiver;
  Reloaded file(with_quota(receiver.hook()));
  ASSERT_TRUE(file.tells("\"quota_reached\"", [&] { use(file, "secret-team", 8); }));
  const auto log = file.process().err();
  EXPECT_TRUE(has(log, R"("percent":80)")) << log;
  EXPECT_TRUE(has(log, R"("key_id":"k_)")) << log;
  EXPECT_FALSE(has(log, "secret-team")) << log;
}

TEST(Quotas, ComeAsEventsToThoseWhoFollowThem) {
  const NoticeReceiver receiver;
  Proxy proxy(with_quota(receiver.hook()));
  RawClient follower(admin_port(proxy.gateway.process()));
  follower.send("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  std::string text;
  const auto sees = [&](const std::string& word) {
    while (!has(text, word))
      if (follower.socket().receive(text) != Got::bytes) return false;
    return true;
  };
  ASSERT_TRUE(sees(": events"));
  use(proxy, "red", 8);
  EXPECT_TRUE(sees("event: quota_reached\ndata: {")) << text;
}

TEST(Quotas, AreToldAnewInTheNextPeriod) {
  const NoticeReceiver receiver;
  const Json limit = {{"rate", "2/second"}};
  Proxy proxy(with_quota(receiver.hook(), {{"limits", {{"plan", limit}}}}));
  std::map<std::string, int> ids;
  const auto end = Clock::now() + kPatience;
  while (ids.size() < 6 && Clock::now() < end) {
    use(proxy, "red", 3);
    std::this_thread::sleep_for(Milliseconds(50));
    ids.clear();
    for (const auto& one : receiver.server.requests())
      if (one.whole) ++ids[one.message.value("webhook-id")];
  }
  EXPECT_GE(ids.size(), 6U);
  for (const auto& [id, times] : ids) EXPECT_EQ(times, 1) << id;
}

TEST(Quotas, WaitForAReceiverThatIsDown) {
  NoticeReceiver receiver;
  receiver.server.answer_next(2, {{"X-Test-Status", "503"}});
  Proxy proxy(with_quota(receiver.hook()));
  use(proxy, "red", 8);
  ASSERT_TRUE(receiver.comes_to({{"red 80", 3}})) << "two attempts that fail, and the delivery";
  const auto requests = receiver.server.requests();
  EXPECT_EQ(requests.front().message.value("webhook-id"), requests.back().message.value("webhook-id"));
  use(proxy, "red", 1);
  std::this_thread::sleep_for(Milliseconds(200));
  EXPECT_EQ(receiver.server.request_count(), 3U);
}

TEST(Quotas, ThatWereToldStayToldAfterAReload) {
  const NoticeReceiver receiver;
  Reloaded file(with_quota(receiver.hook()));
  use(file, "red", 8);
  ASSERT_TRUE(receiver.comes_to({{"red 80", 1}}));
  const Json more = {{"notify_at", {"50%", "80%", "90%"}}};
  ASSERT_TRUE(file.reload(with_quota(receiver.hook(), {{"limits", {{"plan", more}}}})));
  const auto end = Clock::now() + kPatience;
  while (receiver.told().size() < 3 && Clock::now() < end) {
    use(file, "red", 1);  // a worker leaves the notices of a key beyond a percentage again after some seconds
    std::this_thread::sleep_for(Milliseconds(100));
  }
  const std::map<std::string, int> all{{"red 50", 1}, {"red 80", 1}, {"red 90", 1}};
  EXPECT_TRUE(receiver.comes_to(all));
}

TEST(Quotas, ThatWaitAtTheEndGetALastAttempt) {
  NoticeReceiver receiver;
  receiver.server.answer_next(1, {{"X-Test-Status", "503"}});
  {
    Proxy proxy(with_quota(receiver.hook()));
    use(proxy, "red", 8);
    ASSERT_TRUE(
        proxy.gateway.process().wait_for_err([](const std::string& err) { return has(err, "webhook_failed"); }));
  }
  EXPECT_TRUE(receiver.comes_to({{"red 80", 2}}));
}

TEST(Quotas, OfManyKeysAtOnceAllArriveInTheEnd) {
  constexpr int kKeys = 1500;
  const NoticeReceiver receiver;
  const Json limit = {{"rate", "1/month"}, {"notify_at", {"100%"}}};
  Proxy proxy(with_quota(receiver.hook(), {{"limits", {{"plan", limit}}}}));
  const auto end = Clock::now() + std::chrono::seconds(60);
  std::size_t told = 0;
  while (told < kKeys && Clock::now() < end) {
    auto client = proxy.client();
    for (int i = 0; i < kKeys; ++i) client.get("/", "X-Team: team-" + std::to_string(i) + "\r\n");
    told = receiver.told().size();
  }
  EXPECT_EQ(told, static_cast<std::size_t>(kKeys));
  for (const auto& [key, times] : receiver.told()) EXPECT_EQ(times, 1) << key;
}

class QuotasInRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json shared(const Json& hook, const Json& changes = Json::object()) const {
    auto out = with_quota(hook, in_redis(redis));
    out.merge_patch(changes);
    return out;
  }
  RedisServer redis;
};

TEST_F(QuotasInRedis, AreToldByOneOfAllGateways) {
  const NoticeReceiver receiver;
  Proxy one(shared(receiver.hook()));
  Proxy two(shared(receiver.hook()));
  for (int i = 0; i < 4; ++i) {
    use(one, "red", 1);
    use(two, "red", 1);
  }
  ASSERT_TRUE(receiver.comes_to({{"red 80", 1}}));
  for (int i = 0; i < 10; ++i) {
    use(one, "red", 1);
    use(two, "red", 1);
  }
  const std::map<std::string, int> both{{"red 80", 1}, {"red 100", 1}};
  ASSERT_TRUE(receiver.comes_to(both));
  std::this_thread::sleep_for(std::chrono::milliseconds(5500));  // then workers leave their notices again
  use(one, "red", 2);
  use(two, "red", 2);
  std::this_thread::sleep_for(Milliseconds(300));
  EXPECT_EQ(receiver.told(), both);
}

TEST_F(QuotasInRedis, AreToldByAnotherGatewayIfOneIsKilledBeforeTheDelivery) {
  NoticeReceiver hanging;
  const NoticeReceiver receiver;
  hanging.server.answer_next(1, {{"X-Test-Never", "1"}});
  Proxy killed(shared(hanging.hook("1m")));
  killed.gateway.expect_any_end();
  use(killed, "red", 8);
  ASSERT_TRUE(hanging.server.wait_for_requests(1));
  killed.gateway.process().kill9();
  Proxy other(shared(receiver.hook()));
  const auto begin = Clock::now();
  while (receiver.told().size() < 2 && Clock::now() - begin < std::chrono::seconds(40)) {
    use(other, "red", 1);
    std::this_thread::sleep_for(Milliseconds(200));
  }
  EXPECT_TRUE(receiver.comes_to({{"red 80", 1}, {"red 100", 1}}));
  const auto id_at = [](const FakeUpstream& server, int percent) {
    for (const auto& each : server.requests())
      if (each.whole && Json::parse(each.message.body).at("data").at("percent") == percent)
        return each.message.value("webhook-id");
    return std::string();
  };
  EXPECT_EQ(id_at(receiver.server, 80), id_at(hanging.server, 80)) << "so that the receiver recognises it";
}

TEST_F(QuotasInRedis, OfABusyKeyWhosePermitsAreLeasedAreToldOnceToo) {
  const NoticeReceiver receiver;
  const Json limit = {{"limits", {{"plan", {{"rate", "600/month"}}}}}};
  Proxy one(shared(receiver.hook(), limit));
  Proxy two(shared(receiver.hook(), limit));
  const auto all = [](const Proxy& proxy) {
    auto client = proxy.client();
    for (int status = 200, i = 0; status == 200 && i < 1000; ++i) status = client.get("/", "X-Team: red\r\n").status();
  };
  std::thread beside([&] { all(one); });
  all(two);
  beside.join();
  EXPECT_TRUE(receiver.comes_to({{"red 80", 1}, {"red 100", 1}}));
  for (const auto& each : receiver.server.requests()) {
    const auto data = Json::parse(each.message.body).at("data");
    EXPECT_GE(data.at("used").get<int>(), data.at("percent") == 80 ? 480 : 570) << data;
  }
  EXPECT_TRUE(Look(one.gateway.process()).comes_to([](const MetricsText& now) {
    return now.value("headgate_limit_leased_total").value_or(0) > 0;
  })) << "it is no test of leases without one";
}

TEST_F(QuotasInRedis, AreToldOnceRedisIsBack) {
  const NoticeReceiver receiver;
  Proxy proxy(shared(receiver.hook(), {{"redis", {{"timeout", "100ms"}}}}));
  use(proxy, "red", 7);
  redis.pause();
  EXPECT_EQ(use(proxy, "red", 3), 200) << "counted by this gateway alone";
  std::this_thread::sleep_for(Milliseconds(300));
  EXPECT_TRUE(receiver.told().empty());
  redis.resume();
  const auto end = Clock::now() + kPatience;
  while (receiver.told().size() < 2 && Clock::now() < end) {
    use(proxy, "red", 1);
    std::this_thread::sleep_for(Milliseconds(50));
  }
  EXPECT_TRUE(receiver.comes_to({{"red 80", 1}, {"red 100", 1}}));
}

}  // namespace
}  // namespace headgate::test
