// What is more than a counter, over a Redis whose master dies: requests in flight, waiting rooms, appointments, shards.
// Two gateways behind Sentinels, and the same two on a cluster.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_sentinel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;
using testing::StartsWith;

const std::string kRedisSecret = "0123456789abcdef0123456789abcdef";
const std::string kSomebody = "X-User: somebody\r\n";

/// A master with replicas that others watch. They replace it when it dies.
class Topology {
 public:
  explicit Topology(bool clustered) {
    if (clustered)
      cluster_.emplace();
    else
      sentinel_.emplace();
  }

  bool start() { return cluster_ ? cluster_->start(1) : sentinel_->start(); }
  const std::string& error() const { return cluster_ ? cluster_->error() : sentinel_->error(); }

  /// For the configuration of a gateway.
  Json block() {
    Json nodes = Json::array();
    const auto add = [&](const RedisServer& server) { nodes.push_back("127.0.0.1:" + std::to_string(server.port())); };
    if (cluster_) {
      for (const auto& node : cluster_->nodes) add(node);
      return {{"cluster", nodes}};
    }
    for (const auto& node : sentinel_->sentinels) add(node);
    return {{"sentinel", {{"master", "shop"}, {"nodes", nodes}}}};
  }

  /// Who has this key now; null while nobody has.
  RedisServer* owner(const std::string& key) {
    if (!cluster_) return sentinel_->master();
    const auto slot = redis_cli(cluster_->nodes.back().port(), "CLUSTER KEYSLOT '" + key + "'");
    return cluster_->owner(static_cast<std::uint16_t>(std::stoi(slot)));
  }

  /// One of the keys that match; empty if there is none.
  std::string find(const std::string& pattern) {
    std::string found;
    const auto look = [&](const RedisServer& server) {
      if (found.empty()) found = redis_cli(server.port(), "--scan --pattern '" + pattern + "'");
    };
    if (!cluster_)
      look(*sentinel_->master());
    else
      for (const auto& node : cluster_->nodes) look(node);
    return found.substr(0, found.find('\n'));
  }

  /// The master of this key dies when its replicas have received all of it. Returns when another one has taken over.
  void fail_over(const std::string& key) {
    auto* const dies = owner(key);
    ASSERT_NE(dies, nullptr);
    RedisClient last(dies->port());
    ASSERT_EQ(last.text({"SET", key + ":written last", "1"}), "OK");
    ASSERT_EQ(last.text({"WAIT", cluster_ ? "1" : "2", "5000"}), cluster_ ? "1" : "2");
    dies->kill9();
    ASSERT_TRUE(wait_until([&] {
      const auto* const now = owner(key);
      return now != nullptr && now != dies;
    })) << "nobody took over";
  }

 private:
  std::optional<RedisCluster> cluster_;
  std::optional<RedisSentinel> sentinel_;
};

class Failover : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  void start(const Json& config) {
    Json all = {{"redis", redis.block()}, {"admin", {{"listen", "127.0.0.1:0"}}}};
    all["redis"].merge_patch({{"timeout", "300ms"}, {"instances", 2}});
    all.merge_patch(config);
    one.emplace(all);
    two.emplace(all);
    ASSERT_TRUE(ready());
  }
  /// Both gateways say that Redis answers.
  bool ready() {
    const Look first(one->gateway.process());
    const Look second(two->gateway.process());
    return wait_until([&] {
      for (const auto* look : {&first, &second})
        if (look->get("/readyz").body != "ready\n") return false;
      return true;
    });
  }
  static Json limited_by(const Json& limit, const Json& more = Json::object()) {
    Json out = {{"limits", {{"x", {{"per", "header:X-User"}, {"if_absent", "client_ip"}}}}},
                {"all_routes", {{"limits", {"x"}}}}};
    out["limits"]["x"].merge_patch(limit);
    out.merge_patch(more);
    return out;
  }
  std::string text(const std::string& key, std::vector<std::string> words) {
    return RedisClient(redis.owner(key)->port()).text(words);
  }

  Topology redis{std::string(GetParam()) == "cluster"};
  std::optional<Proxy> one;
  std::optional<Proxy> two;
};

INSTANTIATE_TEST_SUITE_P(Over, Failover, testing::Values("sentinel", "cluster"),
                         [](const auto& one) { return std::string(one.param); });

void hold_permit(Proxy& proxy, RawClient& client) {
  client.send(request("GET", "/", kSomebody + "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
}

TEST_P(Failover, RequestsInFlightAreNoMoreThanTheirNumberWhenItIsOver) {
  const std::string key = "hg:v1:{somebody}:x:in_flight";
  start(limited_by({{"in_flight", 2}}));
  RawClient first = one->client();
  RawClient second = two->client();
  hold_permit(*one, first);
  hold_permit(*two, second);
  const auto rejected_by_both = [&] {
    return one->client().get("/", kSomebody).status() == 429 && two->client().get("/", kSomebody).status() == 429;
  };
  ASSERT_TRUE(rejected_by_both());

  redis.fail_over(key);
  ASSERT_TRUE(ready());
  EXPECT_TRUE(wait_until(rejected_by_both, seconds(4))) << "more than the number for longer than 3.6 s";
  // What the replica had not received: as good as nothing of it.
  text(key, {"DEL", key});
  EXPECT_TRUE(wait_until([&] { return text(key, {"ZCARD", key}) == "2"; }, seconds(5))) << "renewals bring it back";
  const auto end = Clock::now() + seconds(4);
  while (Clock::now() < end) EXPECT_TRUE(rejected_by_both());

  one->upstream.release();
  EXPECT_EQ(first.read().status(), 200);
  EXPECT_TRUE(wait_until([&] { return two->client().get("/", kSomebody).status() == 200; }));
  two->upstream.release();
  EXPECT_EQ(second.read().status(), 200);
  EXPECT_TRUE(wait_until([&] { return text(key, {"ZCARD", key}) == "0"; })) << "nothing is left behind";
}

TEST_P(Failover, NobodyLosesAPlaceInAWaitingRoom) {
  const std::string key = "hg:v1:{room:sale}";
  // `reject`: nobody takes a number meanwhile.
  start({{"waiting_rooms",
          {{"sale",
            {{"rate", "1/h"},
             {"visitors", 100},
             {"secret", kRedisSecret},
             {"grace", "5m"},
             {"if_redis_down", "reject"}}}}},
         {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"waiting_room", "sale"}}})}});
  const auto field = [](const std::string& ticket) { return "Waiting-Room-Ticket: " + ticket + "\r\n"; };
  const auto gateway = [&](std::size_t i) { return (i % 2 == 0 ? *one : *two).client(); };
  const auto pass = one->client().get().value("Waiting-Room-Ticket");
  ASSERT_THAT(pass, StartsWith("p.1."));
  std::vector<std::string> tickets;
  for (std::size_t i = 0; i < 3; ++i) tickets.push_back(gateway(i).get().value("Waiting-Room-Ticket"));
  const auto earlier = [&] {
    const auto reply = RedisClient(redis.owner(key)->port()).command({"DUMP", key});
    return std::string(reply->str, reply->len);
  }();
  for (std::size_t i = 3; i < 6; ++i) tickets.push_back(gateway(i).get().value("Waiting-Room-Ticket"));
  ASSERT_THAT(tickets.back(), StartsWith("t.7."));

  redis.fail_over(key);
  const auto all_are_there = [&](const std::string& next) {
    ASSERT_TRUE(ready());
    EXPECT_EQ(two->client().get("/", field(pass)).status(), 200);
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      const Message back = gateway(i + 1).get("/", field(tickets[i]));
      ASSERT_EQ(back.status(), 429);
      EXPECT_EQ(Json::parse(back.body)["position"], i + 1);
      EXPECT_FALSE(back.has("Waiting-Room-Ticket")) << "the same number";
    }
    EXPECT_THAT(one->client().get().value("Waiting-Room-Ticket"), StartsWith(next)) << "no number twice";
  };
  all_are_there("t.8.");
  // A replica that was some calls behind.
  ASSERT_EQ(text(key, {"RESTORE", key, "0", earlier, "REPLACE"}), "OK");
  all_are_there("t.9.");
}

TEST_P(Failover, AnAppointmentIsKeptOnceAndByNobodyElse) {
  const std::string key = "hg:v1:{somebody}:x";
  const Json appointments = {{"width", "1m"}, {"ahead", "5m"}};
  start(limited_by({{"rate", "6/minute"}, {"burst", 1}, {"appointments", appointments}, {"if_redis_down", "reject"}},
                   {{"signing", {{"keys", {kRedisSecret}}}}}));
  ASSERT_EQ(one->client().get("/", kSomebody).status(), 200);
  const Message rejected = one->client().get("/", kSomebody);
  ASSERT_TRUE(rejected.has("Appointment")) << rejected.body;
  const auto due = Clock::now() + seconds(std::stoi(rejected.value("Retry-After")));
  const auto kept = kSomebody + "Appointment: " + rejected.value("Appointment") + "\r\n";

  redis.fail_over(key);
  ASSERT_TRUE(ready());
  const Message other = two->client().get("/", kSomebody);
  EXPECT_EQ(other.status(), 429) << "the permit is reserved";
  std::this_thread::sleep_until(due);
  EXPECT_EQ(two->client().get("/", kSomebody).status(), 429);
  EXPECT_EQ(two->client().get("/", "X-User: somebody else\r\n").status(), 200);
  EXPECT_EQ(two->client().get("/", kept).status(), 200);
  EXPECT_EQ(one->client().get("/", kept).status(), 429) << "once";
}

TEST_P(Failover, AnAppointmentThatWasKeptIsNotKeptAgain) {
  const std::string key = "hg:v1:{somebody}:x";
  start(
      limited_by({{"rate", "6/minute"}, {"burst", 1}, {"appointments", {{"width", "1m"}}}, {"if_redis_down", "reject"}},
                 {{"signing", {{"keys", {kRedisSecret}}}}}));
  ASSERT_EQ(one->client().get("/", kSomebody).status(), 200);
  const Message rejected = one->client().get("/", kSomebody);
  ASSERT_TRUE(rejected.has("Appointment")) << rejected.body;
  const auto kept = kSomebody + "Appointment: " + rejected.value("Appointment") + "\r\n";
  std::this_thread::sleep_for(seconds(std::stoi(rejected.value("Retry-After"))));
  ASSERT_EQ(one->client().get("/", kept).status(), 200);

  redis.fail_over(key);
  ASSERT_TRUE(ready());
  EXPECT_EQ(two->client().get("/", kept).status(), 429);
  EXPECT_EQ(one->client().get("/", kept).status(), 429);
}

TEST_P(Failover, ShardsGrantTheirLimitAndNoMore) {
  start(limited_by({{"rate", "80/day"},
                    {"per", "total"},
                    {"if_absent", nullptr},
                    {"leases", "off"},
                    {"shards", 4},
                    {"if_redis_down", "reject"}}));
  const auto admitted = [&](int requests) {
    int allowed = 0;
    for (int i = 0; i < requests; ++i) {
      const int status = (i % 2 == 0 ? *one : *two).client().get().status();
      EXPECT_TRUE(status == 200 || status == 429) << status;
      allowed += status == 200;
    }
    return allowed;
  };
  const int before = admitted(40);
  EXPECT_EQ(before, 40);
  const auto key = redis.find("hg:v1:{*#*}:x");
  ASSERT_FALSE(key.empty());
  redis.fail_over(key);
  ASSERT_TRUE(ready());
  const int all = before + admitted(80);
  EXPECT_LE(all, 80);
  EXPECT_GE(all, 78);
}

}  // namespace
}  // namespace headgate::test
