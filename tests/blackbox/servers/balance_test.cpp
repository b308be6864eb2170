// Which server gets a request, with real servers.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

/// A gateway in front of several servers.
class Balanced {
 public:
  /// `servers`: what is said of each beside its URL. `upstream`: what is said of them all.
  explicit Balanced(const std::vector<Json>& servers, const Json& upstream = Json::object(),
                    const Json& more = Json::object()) {
    for (std::size_t i = 0; i < servers.size(); ++i) servers_.push_back(std::make_unique<FakeUpstream>());
    gateway_ = std::make_unique<Reloaded>(changes(servers, upstream, more));
  }

  Json changes(const std::vector<Json>& servers, const Json& upstream, const Json& more = Json::object()) const {
    Json all = Json::array();
    for (std::size_t i = 0; i < servers.size(); ++i) {
      Json one = servers[i];
      one["url"] = servers_[i]->url();
      all.push_back(one);
    }
    Json out = {{"upstreams", {{"app", {{"servers", all}}}}}};
    out["upstreams"]["app"].merge_patch(upstream);
    out.merge_patch(more);
    return out;
  }
  Reloaded& gateway() { return *gateway_; }
  FakeUpstream& server(std::size_t at) { return *servers_[at]; }
  void end(std::size_t at) { servers_[at].reset(); }

  /// Sends a request and returns the index of the server that answered it.
  std::size_t ask(RawClient& client, const std::string& fields = "") {
    std::vector<std::size_t> before;
    for (const auto& each : servers_) before.push_back(each ? each->request_count() : 0);
    EXPECT_EQ(client.get("/", fields).status(), 200);
    for (std::size_t at = 0; at < servers_.size(); ++at)
      if (servers_[at] && servers_[at]->request_count() > before[at]) return at;
    ADD_FAILURE() << "no server has seen it";
    return servers_.size();
  }
  /// How many of so many requests each server gets.
  std::vector<int> ask_often(int times, const std::string& fields = "") {
    auto client = gateway_->client();
    std::vector<int> out(servers_.size());
    for (int i = 0; i < times; ++i) ++out[ask(client, fields)];
    return out;
  }

 private:
  std::vector<std::unique_ptr<FakeUpstream>> servers_;
  std::unique_ptr<Reloaded> gateway_;
};

const Json kAdminAnywhereToo = {{"admin", {{"listen", "127.0.0.1:0"}}}};
const Json kByUser = {{"balance", {{"policy", "consistent_hash"}, {"per", "header:X-User"}}}};

std::vector<Json> alike(std::size_t servers) { return std::vector<Json>(servers, Json::object()); }

std::string user(int number) { return "X-User: user-" + std::to_string(number) + "\r\n"; }

TEST(Balance, AListOfServersIsAnUpstream) {
  FakeUpstream one;
  FakeUpstream other;
  const Reloaded gateway(Json{{"upstreams", {{"app", {one.url(), other.url()}}}}});
  auto client = gateway.client();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_GE(one.request_count(), 4U);
  EXPECT_GE(other.request_count(), 4U);
}

TEST(Balance, IsInTurnByDefault) {
  Balanced app(alike(3));
  EXPECT_EQ(app.ask_often(9), (std::vector{3, 3, 3}));
}

TEST(Balance, FollowsTheWeights) {
  Balanced app(std::vector<Json>{{{"weight", 3}}, Json::object()});
  const auto times = app.ask_often(40);
  EXPECT_NEAR(times[0], 30, 2);
  EXPECT_NEAR(times[1], 10, 2);
}

class BusyServer : public testing::TestWithParam<const char*> {};

TEST_P(BusyServer, GetsNothingWhileAnotherIsIdle) {
  Balanced app({{}, {}}, {{"balance", GetParam()}});
  auto held = app.gateway().client();
  held.send("GET /held HTTP/1.1\r\nHost: a\r\nX-Test-Hold: 1\r\n\r\n");
  const auto seen = [&](std::size_t at) { return app.server(at).request_count(); };
  while (seen(0) + seen(1) == 0) std::this_thread::yield();
  const std::size_t idle = seen(0) == 0 ? 0 : 1;
  EXPECT_EQ(app.ask_often(10)[idle], 10);
  app.server(1 - idle).release();
  EXPECT_EQ(held.read().status(), 200);
}

TEST_P(BusyServer, IsForgottenWhenItsClientLeaves) {
  Balanced app({{}, {}}, {{"balance", GetParam()}}, kAdminAnywhereToo);
  {
    auto held = app.gateway().client();
    held.send("GET /held HTTP/1.1\r\nHost: a\r\nX-Test-Never: 1\r\n\r\n");
    while (app.server(0).request_count() + app.server(1).request_count() == 0) std::this_thread::yield();
    held.socket().reset();
  }
  const auto free = [&](const MetricsText& metrics) {
    return metrics.sum("headgate_upstream_in_flight{upstream=\"app\"") == 0;
  };
  EXPECT_TRUE(Look(app.gateway().process()).comes_to(free));
}

INSTANTIATE_TEST_SUITE_P(ByRequestsInFlight, BusyServer, testing::Values("least_in_flight", "two_choices", "prequal"),
                         [](const auto& instance) { return std::string(instance.param); });

class SlowEcho : public testing::TestWithParam<const char*> {};

TEST_P(SlowEcho, GetsLess) {
  const Gateway fast(Words{"echo", "--listen", "127.0.0.1:0", "--delay", "1ms"});
  const Gateway slow(Words{"echo", "--listen", "127.0.0.1:0", "--delay", "500ms"});
  const auto url = [](const Gateway& echo) { return "http://127.0.0.1:" + std::to_string(echo.port()); };
  const Reloaded gateway(
      Json{{"upstreams", {{"app", {{"servers", {url(fast), url(slow)}}, {"balance", GetParam()}}}}}});
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&gateway] {
      auto client = gateway.client();
      for (int i = 0; i < 25; ++i) EXPECT_EQ(client.get().status(), 200);
    });
  for (auto& caller : callers) caller.join();
  auto& process = const_cast<Reloaded&>(gateway).process();
  const auto lines = [&process](const Gateway& echo) {
    return count_of(process.out(), "\"server\":\"127.0.0.1:" + std::to_string(echo.port()) + "\"");
  };
  EXPECT_GT(lines(fast), 0U);
  EXPECT_LT(lines(slow), 30U) << "of 100; in turn it would get half";
}

INSTANTIATE_TEST_SUITE_P(ByRequestsInFlight, SlowEcho, testing::Values("least_in_flight", "two_choices", "prequal"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Balance, SendsAKeyToOneServerAndMovesItWhenThatLeaves) {
  Balanced app({{}, {}, {}}, kByUser);
  auto client = app.gateway().client();
  std::map<int, std::size_t> home;
  for (int number = 0; number < 12; ++number) home[number] = app.ask(client, user(number));
  for (int number = 0; number < 12; ++number) EXPECT_EQ(app.ask(client, user(number)), home[number]) << number;
  const auto gone = home[0];
  EXPECT_TRUE(std::any_of(home.begin(), home.end(), [&](const auto& each) { return each.second != gone; }));
  app.end(gone);
  for (const auto& [number, before] : home) {
    const auto now = app.ask(client, user(number));
    EXPECT_NE(now, gone);
    if (before != gone) {
      EXPECT_EQ(now, before) << number << " has no reason to move";
    }
  }
}

TEST(Balance, SendsAKeyToTheSameServerOnEveryGateway) {
  Balanced app({{}, {}, {}}, kByUser);
  const Reloaded other(app.changes({{}, {}, {}}, kByUser, {{"workers", 2}}));
  for (int number = 0; number < 10; ++number) {
    auto one = app.gateway().client();
    auto two = other.client();
    EXPECT_EQ(app.ask(one, user(number)), app.ask(two, user(number))) << number;
  }
}

TEST(Balance, ServesARequestWithoutKey) {
  Balanced app({{}, {}}, kByUser);
  EXPECT_EQ(app.ask_often(4), (std::vector{2, 2}));
}

TEST(Balance, UsesABackupOnlyWhileNoOtherServerCanBeReached) {
  Balanced app(std::vector<Json>{{{"backup", true}}, Json::object()});
  EXPECT_EQ(app.ask_often(4), (std::vector{0, 4}));
  app.end(1);
  EXPECT_EQ(app.ask_often(4), (std::vector{4, 0}));
}

TEST(Balance, ChangesWeightsByAReloadAndKeepsConnections) {
  Balanced app(alike(2));
  EXPECT_EQ(app.ask_often(4), (std::vector{2, 2}));
  const auto connections = [&] { return app.server(0).connections() + app.server(1).connections(); };
  const auto before = connections();
  ASSERT_TRUE(app.gateway().reload(app.changes({{{"weight", 9}}, Json::object()}, Json::object())));
  EXPECT_NEAR(app.ask_often(20)[0], 18, 2);
  EXPECT_EQ(connections(), before);
}

TEST(Balance, KnowsRequestsInFlightAfterAReload) {
  const Json least = {{"balance", "least_in_flight"}};
  Balanced app({{}, {}}, least, kAdminAnywhereToo);
  auto held = app.gateway().client();
  held.send("GET /held HTTP/1.1\r\nHost: a\r\nX-Test-Hold: 1\r\n\r\n");
  while (app.server(0).request_count() + app.server(1).request_count() == 0) std::this_thread::yield();
  const std::size_t busy = app.server(0).request_count() == 0 ? 1 : 0;
  const Look look(app.gateway().process());
  const auto in_flight_are = [](int number) {
    return
        [number](const auto& metrics) { return metrics.sum("headgate_upstream_in_flight{upstream=\"app\"") == number; };
  };
  EXPECT_TRUE(look.comes_to(in_flight_are(1)));
  ASSERT_TRUE(app.gateway().reload(app.changes({{{"weight", 2}}, {{"weight", 2}}}, least, kAdminAnywhereToo)));
  EXPECT_TRUE(look.comes_to(in_flight_are(1)));
  EXPECT_EQ(app.ask_often(6)[busy], 0);
  app.server(busy).release();
  EXPECT_EQ(held.read().status(), 200);
  EXPECT_TRUE(look.comes_to(in_flight_are(0)));
}

TEST(Balance, StartsAServerSlowlyThatAReloadAdds) {
  Balanced app({{}, {}}, {{"slow_start", "1h"}});
  Json two = app.changes({{}, {}}, {{"slow_start", "1h"}});
  Json one = two;
  one["upstreams"]["app"]["servers"].erase(1);
  ASSERT_TRUE(app.gateway().reload(one));
  ASSERT_TRUE(app.gateway().reload(two));
  const auto times = app.ask_often(33);
  EXPECT_NEAR(times[1], 3, 2) << "a tenth of the other's";
}

}  // namespace
}  // namespace headgate::test
