// What looks after servers, without a network: the tests answer its look-ups and its health checks.

#include "../../../src/server/watch/server_care.hpp"

#include "support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr auto kEvery = 5s;

/// Upstream "app" with one server, whose health is checked, and whose name is looked up.
class CareOfAServer : public testing::Test {
 protected:
  CareOfAServer() {
    gateway::UpstreamOptions app;
    app.name = "app";
    app.resolve_every = 30s;
    app.servers.push_back({.host = "a.test", .port = 80, .text = "a.test:80"});
    app.health.emplace().every = kEvery;
    app.health->rule = {.down_after = 1, .up_after = 1};
    auto config = std::make_shared<config::Config>();
    config->upstreams.push_back(app);
    services::ActiveConfig active;
    active.config = config;
    active.upstream_tls.resize(1);
    active.watches.push_back(std::make_shared<balance::Watch>(
        balance::WatchOptions{.servers = {"a.test:80"}, .eject = {}, .circuit = {}}, nullptr));
    active_ = std::make_shared<const services::ActiveConfig>(std::move(active));
    board.use_upstreams({{"app", active_->watches.front()}});
    care.adopt(active_);
  }

  bool unhealthy() const { return active_->watches.front()->marked(0, balance::kUnhealthy); }
  /// The check under way ends so: "" passes.
  void check_ends(const std::string& why) {
    ASSERT_TRUE(check_);
    std::exchange(check_, {})(why);
  }
  void found(const std::string& address) {
    ASSERT_TRUE(look_up_);
    std::exchange(look_up_, {})(std::vector{net::Tcp::endpoint(boost::asio::ip::make_address(address), 80)});
  }
  void not_found() {
    ASSERT_TRUE(look_up_);
    std::exchange(look_up_, {})(error_code(boost::asio::error::host_not_found));
  }
  bool is_looked_up() const { return look_up_ != nullptr; }
  bool is_checked() const { return check_ != nullptr; }

  VirtualClock clock;
  observe::Registry registry;
  admin::AdminBoard board;
  int told_workers = 0;

 private:
  upstream::HealthDone check_;  // under way
  net::LookedUp look_up_;       // under way
  std::shared_ptr<const services::ActiveConfig> active_;

 protected:
  ServerCare care{
      clock,
      registry,
      board,
      {.look_up = [this](const std::string&, std::uint16_t, net::LookedUp found) { look_up_ = std::move(found); },
       .checks =
           [this](const upstream::AddressesOf&) {
             return [this](const upstream::HealthTarget&, upstream::HealthDone done) {
               check_ = std::move(done);
               return std::make_unique<upstream::HealthCheck>();
             };
           }},
      [this](const auto&) { ++told_workers; }};
};

TEST_F(CareOfAServer, AsksNobodyBeforeTheWorkersRun) {
  clock.advance(60s);
  EXPECT_FALSE(is_looked_up());
  EXPECT_FALSE(is_checked());
  care.start();
  clock.advance(kEvery);
  EXPECT_TRUE(is_looked_up());
  EXPECT_TRUE(is_checked());
}

TEST_F(CareOfAServer, TakesAServerOutWhoseCheckFailsAndLetsItInAgain) {
  care.start();
  clock.advance(kEvery);
  check_ends("it refused the connection");
  EXPECT_TRUE(unhealthy());
  const auto report = board.upstreams();
  ASSERT_THAT(report, SizeIs(1));
  ASSERT_THAT(report[0].checks, SizeIs(1));
  ASSERT_TRUE(report[0].checks[0]);
  EXPECT_EQ(report[0].checks[0]->why, "it refused the connection");
  EXPECT_EQ(report[0].checks[0]->at, clock.wall());
  clock.advance(2 * kEvery);
  check_ends("");
  EXPECT_FALSE(unhealthy());
}

TEST_F(CareOfAServer, TellsTheWorkersWhereANameLeadsAndThatItLeadsElsewhere) {
  care.start();
  clock.advance(1s);
  found("192.0.2.1");
  EXPECT_EQ(told_workers, 1);
  clock.advance(30s);
  found("192.0.2.1");
  EXPECT_EQ(told_workers, 1) << "nothing new";
  clock.advance(30s);
  found("192.0.2.2");
  EXPECT_EQ(told_workers, 2);
  clock.advance(30s);
  not_found();
  EXPECT_THAT(care.failing_names(), ElementsAre(Pair("a.test", testing::HasSubstr("known addresses stay in use"))));
}

TEST_F(CareOfAServer, EndsItsChecksAndLookUpsWithItsStop) {
  care.start();
  clock.advance(kEvery);
  care.stop();
  care.stop();
  EXPECT_EQ(clock.armed(), 0U);
  found("192.0.2.1");
  EXPECT_EQ(told_workers, 0) << "nobody is there to be told";
}

}  // namespace
}  // namespace headgate::server
