// Budgets under many parallel streams through two gateways, while Redis goes away, and gateways are reloaded, upgraded
// and killed. 200 streams, or as many as HEADGATE_BUDGET_STREAMS says.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

const std::string kStressProvider = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/budget_stress_provider.js";
const std::string kStressDriver = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/budget_stress_driver.js";
constexpr int kGroups = 16;
constexpr int kLargestDebtCall = 50;
constexpr int kHoldOfDebtCall = 10;
constexpr auto kAway = std::chrono::seconds(2);
constexpr auto kLongPatience = std::chrono::seconds(60);
constexpr auto kSettled = std::chrono::seconds(5);  // after the last call

bool becomes_true(const std::function<bool()>& holds, Clock::duration within = kLongPatience) {
  const auto until = Clock::now() + within;
  while (!holds()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(Milliseconds(50));
  }
  return true;
}

class BudgetStress : public testing::Test {
 protected:
  BudgetStress()
      : streams_(std::getenv("HEADGATE_BUDGET_STREAMS") != nullptr ? std::atoi(std::getenv("HEADGATE_BUDGET_STREAMS"))
                                                                   : 200),
        provider_(kNode, [](std::uint16_t port) {
          return Words{kStressProvider, std::to_string(port)};
        }) {}

  void SetUp() override {
    if (!installed(kNode)) GTEST_SKIP() << "no node on this machine";
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(provider_.listens()) << provider_.said();
    ASSERT_TRUE(redis_.start({"--appendonly", "yes", "--appendfsync", "always"})) << redis_.error();
  }

  int budget() const { return 48 * streams_; }
  int debt_budget() const { return 4 * streams_; }

  /// Each group of keys has four keys whose calls hold at least what they use, and one whose calls hold too little.
  struct Setup {
    std::uint16_t port;
    std::string redis_timeout;
    std::string leases;
  };
  Json config(const Setup& setup, int most = 100'000) const {
    Json keys;
    for (int group = 0; group < kGroups; ++group)
      for (const std::string kind : {"k0", "k1", "k2", "k3", "debt"}) {
        const auto name = "g" + std::to_string(group) + kind;
        keys[name] = {{"key", name + "-of-some-length-0001"}};
      }
    const auto limit = [&](int permits) {
      return Json{{"rate", std::to_string(permits) + "/day"},
                  {"algorithm", "fixed_window"},
                  {"window", "first_use"},
                  {"per", "api_key"},
                  {"unit", "token"},
                  {"leases", setup.leases}};
    };
    const Json bounded = {{"usage", "openai"},
                          {"ask_usage", true},
                          {"hold", {{"input", 1}, {"otherwise", 500}}},
                          {"most", most},
                          {"debt", true}};
    const Json under = {{"usage", "openai"},
                        {"ask_usage", true},
                        {"hold", kHoldOfDebtCall},
                        {"most", kLargestDebtCall},
                        {"debt", true}};
    const auto route = [](const std::string& path, const std::string& use, const Json& cost) {
      return Json{
          {"path", path}, {"to", "model"}, {"require", "api_key"}, {"limits", {{{"use", use}, {"cost", cost}}}}};
    };
    return {{"workers", 2},
            {"listen", "127.0.0.1:" + std::to_string(setup.port)},
            {"admin", {{"listen", "127.0.0.1:0"}}},
            {"log", {{"format", "json"}, {"access", "off"}}},
            {"redis",
             {{"url", "redis://127.0.0.1:" + std::to_string(redis_.port())},
              {"timeout", setup.redis_timeout},
              {"if_down", "reject"}}},
            {"identity", {{"api_key", {{"header", "X-API-Key"}, {"keys", keys}}}}},
            {"upstreams", {{"app", nullptr}, {"model", provider_.url("http")}}},
            {"limits", {{"budget", limit(budget())}, {"under", limit(debt_budget())}}},
            {"all_routes", {{"limits", Json::array()}}},
            {"routes", {route("/v1/*", "budget", bounded), route("/under/*", "under", under)}}};
  }

  void start_driver(std::uint16_t a, std::uint16_t b) {
    driver_ = std::make_unique<RealServer>(kNode, [&](std::uint16_t port) {
      return Words{kStressDriver,
                   std::to_string(port),
                   std::to_string(streams_),
                   std::to_string(kGroups),
                   std::to_string(provider_.port()),
                   std::to_string(a),
                   std::to_string(b)};
    });
    ASSERT_TRUE(driver_->listens()) << driver_->said();
    runs_for(1);
  }
  Json told(const std::string& path) const {
    RawClient client(driver_->port());
    client.send(request("GET", path));
    return Json::parse(client.read(Kind::answer, kLongPatience).body, nullptr, false);
  }
  /// Waits until so many more calls for each stream have got their whole answers, and most streams are open.
  void runs_for(double turns) const {
    const auto begun = told("/state")["done"].get<int>();
    EXPECT_TRUE(becomes_true([&] {
      const auto now = told("/state");
      return now["done"].get<int>() >= begun + turns * streams_ && now["open"].get<int>() >= streams_ / 2;
    })) << told("/state");
  }
  Json finished_sums() const {
    told("/finish");
    EXPECT_TRUE(becomes_true([&] { return told("/state")["running"] == 0; })) << told("/state");
    return told("/sums");
  }

  /// The tokens that Redis has counted for a key, with those that it owes: "<used>@<end><owed>".
  std::int64_t counted(const std::string& key) {
    const auto value = RedisClient(redis_.port())
                           .text({"EVAL",
                                  "local k = redis.call('KEYS', 'hg:v1:{' .. ARGV[1] .. '}:*') "
                                  "return k[1] and redis.call('GET', k[1]) or '0'",
                                  "0", key});
    const auto moment = value.find('@') + 1;
    if (moment == 0) return std::atoll(value.c_str());
    constexpr std::size_t kDigits = 16;
    const auto owed = value.size() > moment + kDigits ? std::atoll(value.c_str() + moment + kDigits) : 0;
    return std::atoll(value.c_str()) + owed;
  }
  /// Compares what Redis has counted with what the driver and the provider have seen.
  void expect_sums(const Json& sums, int gateways_killed) {
    EXPECT_EQ(sums["odd"], Json::array());
    std::printf("%d calls, at most %d at once: %s\n", sums["calls"].get<int>(), sums["most_open"].get<int>(),
                sums["by_end"].dump(1).c_str());
    EXPECT_GE(sums["most_open"].get<int>(), streams_ * 3 / 4);
    EXPECT_GT(sums["refused"].get<int>(), streams_ / 2) << "budgets were spent";
    std::int64_t left_over = 0, unknown = 0, killed = 0;
    for (const auto& [key, sum] : sums["keys"].items()) {
      const auto least = sum["least"].get<std::int64_t>(), most = sum["most"].get<std::int64_t>();
      const bool settled = becomes_true(
          [&, &name = key] {
            const auto now = counted(name);
            return now >= least && now <= most;
          },
          kSettled);
      const auto now = counted(key);
      EXPECT_TRUE(settled) << key << ": " << now << " counted, expected " << least << " to " << most << '\n' << sum;
      const auto used = sum["used"].get<std::int64_t>();
      const bool debt = key.ends_with("debt");
      const auto calls = sum["at_once"].get<int>() + sum["killed"].get<int>();
      const auto over = debt ? calls * (kLargestDebtCall - kHoldOfDebtCall) : 0;
      EXPECT_LE(used, (debt ? debt_budget() : budget()) + over) << key << ' ' << sum;
      if (debt && used > debt_budget())
        std::printf("%s exceeds its budget by %ld, with at most %d calls at once\n", key.c_str(), used - debt_budget(),
                    sum["at_once"].get<int>());
      left_over += now - least;
      unknown += sum["unknown"].get<int>();
      killed += sum["killed"].get<int>();
    }
    if (gateways_killed == 0)
      EXPECT_EQ(unknown, 0) << "every cost is known";
    else
      EXPECT_GT(killed, 0) << "a gateway was killed in the middle of calls";
    std::printf("%ld calls of the killed gateway hold their tokens; %ld calls may, which hold %ld tokens\n", killed,
                unknown, left_over);
  }

  const int streams_;
  RedisServer redis_;
  RealServer provider_;
  std::unique_ptr<RealServer> driver_;
};

TEST_F(BudgetStress, CountsEachCallExactlyWhileRedisPausesAndGatewaysAreReplaced) {
  const Setup setup{.port = 0, .redis_timeout = "5s", .leases = "auto"};
  Upgraded a(config(setup)), b(config(setup));
  start_driver(a.gateway.gateway().port(), b.gateway.gateway().port());
  redis_.pause();
  std::this_thread::sleep_for(kAway);
  redis_.resume();
  runs_for(0.5);
  EXPECT_TRUE(a.gateway.reload(config(setup, 100'001)));
  EXPECT_TRUE(b.upgrade());
  runs_for(1.5);
  expect_sums(finished_sums(), 0);
}

TEST_F(BudgetStress, NeverExceedsABudgetWhenAGatewayIsKilledAndRedisIsLost) {
  // Without leases, because the permits that a killed gateway has leased are lost, too.
  const auto port = ClaimedPort::any();
  const Setup of_a{.port = port.port(), .redis_timeout = "200ms", .leases = "off"};
  const Setup of_b{.port = 0, .redis_timeout = "200ms", .leases = "off"};
  auto a = std::make_unique<Gateway>(config_for(FakeUpstream(), config(of_a)));
  Upgraded b(config(of_b));
  start_driver(port.port(), b.gateway.gateway().port());

  told("/killing");
  a->expect_any_end();
  a->process().kill9();
  told("/killed");
  a = std::make_unique<Gateway>(config_for(FakeUpstream(), config(of_a)));
  runs_for(0.5);

  told("/losing");
  redis_.pause();
  std::this_thread::sleep_for(kAway);
  redis_.resume();
  told("/lost");
  runs_for(0.5);
  told("/losing");
  redis_.kill9();
  told("/lost");
  std::this_thread::sleep_for(kAway);
  ASSERT_TRUE(redis_.restart()) << redis_.error();
  runs_for(0.5);
  EXPECT_TRUE(b.gateway.reload(config(of_b, 100'001)));
  EXPECT_TRUE(b.upgrade());
  runs_for(0.5);
  expect_sums(finished_sums(), 1);
}

}  // namespace
}  // namespace headgate::test
