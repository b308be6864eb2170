// Gateways that share Redis tell when they have one limit in two shapes.

#include "headgate/services/agreement_service.hpp"

#include "in_force.hpp"
#include "support/rules.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/services/limit_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// What Redis holds, in memory: the fingerprints of each gateway.
struct SharedShapes {
  std::map<std::string, std::vector<limit::Fingerprint>> of_gateways;
  bool away = false;
  int calls = 0;
};

class ScriptedFingerprints final : public limit::Fingerprints {
 public:
  ScriptedFingerprints(std::shared_ptr<SharedShapes> shared, std::string name)
      : shared_(std::move(shared)), name_(std::move(name)) {}

  Task<Result<Comparison>> tell(std::vector<limit::Fingerprint> own, std::string) override {
    ++shared_->calls;
    if (shared_->away)
      co_return Result<Comparison>(boost::system::in_place_error, make_error_code(boost::system::errc::timed_out));
    shared_->of_gateways[name_] = own;
    Comparison told;
    told.gateways = shared_->of_gateways.size();
    for (const auto& mine : own)
      for (const auto& [name, all] : shared_->of_gateways)
        for (const auto& each : all)
          if (each.limit == mine.limit && each.text != mine.text) told.differ.push_back({each.limit, 1, name});
    co_return told;
  }
  Task<error_code> leave() override {
    shared_->of_gateways.erase(name_);
    co_return error_code();
  }
  void stop() override {}

 private:
  std::shared_ptr<SharedShapes> shared_;
  std::string name_;
};

limit::Limit shared_limit(const std::string& name, std::string_view rate, std::string_view algorithm = "token_bucket") {
  limit::Limit out;
  out.name = name;
  out.per = {*gateway::read_per("client_ip")};
  out.store = limit::Store::redis;
  auto& rule = out.tiers.emplace_back().rules.emplace_back(headgate::test::make_rule(rate, 0, name, algorithm));
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return out;
}

std::shared_ptr<const config::Config> config_with(std::vector<limit::Limit> limits) {
  auto out = std::make_shared<config::Config>();
  out->limits = std::move(limits);
  out->redis.emplace();
  return out;
}

/// One gateway of a test.
struct Gateway {
  Gateway(VirtualClock& clock, std::shared_ptr<SharedShapes> shared, std::string name)
      : service(std::make_shared<AgreementService>(
            clock,
            [shared, name](const config::Config&) { return std::make_shared<ScriptedFingerprints>(shared, name); },
            [this](const auto& limits) { wrong = limits; },
            [this](const FleetCount& count, std::uint32_t) { gateways = count.most(); })) {}
  ~Gateway() { service->stop(); }

  std::vector<std::pair<std::string, std::string>> wrong;
  std::uint32_t gateways = 0;
  std::shared_ptr<AgreementService> service;
};

class Agreement : public testing::Test {
 protected:
  VirtualClock clock;
  std::shared_ptr<SharedShapes> shared = std::make_shared<SharedShapes>();
};

TEST_F(Agreement, NamesTheLimitThatAnotherGatewayHasInAnotherShapeUntilTheyAgreeAgain) {
  Gateway one(clock, shared, "web-1");
  Gateway other(clock, shared, "web-2");
  one.service->adopt(in_force(config_with({shared_limit("read", "10/hour"), shared_limit("write", "5/hour")})));
  other.service->adopt(
      in_force(config_with({shared_limit("read", "10/hour", "fixed_window"), shared_limit("write", "5/hour")})));
  EXPECT_THAT(other.wrong, ElementsAre(Pair("read", "gateway \"web-1\"")))
      << "the sentence of the reason says what is wrong with it";
  EXPECT_THAT(one.wrong, IsEmpty()) << "it has not looked again";
  clock.advance(AgreementService::kPace);
  EXPECT_THAT(one.wrong, ElementsAre(Pair("read", HasSubstr("\"web-2\""))));
  one.service->adopt(
      in_force(config_with({shared_limit("read", "10/hour", "fixed_window"), shared_limit("write", "5/hour")})));
  EXPECT_THAT(one.wrong, IsEmpty());
  clock.advance(AgreementService::kPace);
  EXPECT_THAT(other.wrong, IsEmpty());
}

TEST_F(Agreement, EndsWhenTheOtherGatewayLeaves) {
  Gateway one(clock, shared, "web-1");
  one.service->adopt(in_force(config_with({shared_limit("read", "10/hour")})));
  {
    Gateway other(clock, shared, "web-2");
    other.service->adopt(in_force(config_with({shared_limit("read", "20/hour")})));
    clock.advance(AgreementService::kPace);
    EXPECT_FALSE(one.wrong.empty());
  }
  clock.advance(AgreementService::kPace);
  EXPECT_THAT(one.wrong, IsEmpty());
}

TEST_F(Agreement, IsLeftAsSoonAsADrainBegins) {
  Gateway one(clock, shared, "web-1");
  one.service->adopt(in_force(config_with({shared_limit("read", "10/hour")})));
  ASSERT_FALSE(shared->of_gateways.empty());
  one.service->drain();
  EXPECT_TRUE(shared->of_gateways.empty());
  clock.advance(AgreementService::kPace);
  EXPECT_TRUE(shared->of_gateways.empty()) << "the next process may have other limits";
}

TEST_F(Agreement, KeepsWhatItKnowsForAWhileWithoutRedisAndThenSaysNothing) {
  Gateway one(clock, shared, "web-1");
  Gateway other(clock, shared, "web-2");
  other.service->adopt(in_force(config_with({shared_limit("read", "20/hour")})));
  one.service->adopt(in_force(config_with({shared_limit("read", "10/hour")})));
  ASSERT_FALSE(one.wrong.empty());
  shared->away = true;
  clock.advance(2 * AgreementService::kPace);
  EXPECT_FALSE(one.wrong.empty());
  for (int i = 0; i < 10; ++i) clock.advance(AgreementService::kPace);
  EXPECT_THAT(one.wrong, IsEmpty());
  shared->away = false;
  clock.advance(AgreementService::kPace);
  EXPECT_FALSE(one.wrong.empty());
}

TEST_F(Agreement, CountsAGatewayWhoseClockIsMinutesOffUntilItIsGone) {
  VirtualClock ahead;
  ahead.advance(10min);
  Gateway one(clock, shared, "web-1");
  one.service->adopt(in_force(config_with({shared_limit("read", "10/hour")})));
  {
    Gateway other(ahead, shared, "web-2");
    other.service->adopt(in_force(config_with({shared_limit("read", "10/hour")})));
    clock.advance(AgreementService::kPace);
    EXPECT_EQ(one.gateways, 2U);
    EXPECT_EQ(other.gateways, 2U);
  }
  for (Duration gone = 0s; gone <= 65s; gone += AgreementService::kPace) clock.advance(AgreementService::kPace);
  EXPECT_EQ(one.gateways, 1U);
}

TEST_F(Agreement, AsksNothingWithoutRedis) {
  Gateway one(clock, shared, "web-1");
  auto without = std::make_shared<config::Config>();
  one.service->adopt(in_force(without));
  clock.advance(1min);
  EXPECT_EQ(shared->calls, 0);
  one.service->adopt(in_force(config_with({shared_limit("read", "10/hour")})));
  EXPECT_EQ(shared->calls, 1);
  EXPECT_EQ(one.gateways, 1U);
  one.service->adopt(in_force(without));
  EXPECT_TRUE(shared->of_gateways.empty()) << "what it said is taken back";
  EXPECT_EQ(one.gateways, 0U);
}

TEST(LimitShape, IsAnotherOneWithWhateverDecides) {
  const auto base = shared_limit("read", "10/hour");
  const auto differs = [&](auto change) {
    auto other = base;
    change(other);
    return shape_of(other) != shape_of(base);
  };
  EXPECT_FALSE(differs([](auto&) {}));
  EXPECT_TRUE(differs([](auto& limit) { limit.version = 2; }));
  EXPECT_TRUE(differs([](auto& limit) { limit.shards = 4; }));
  EXPECT_TRUE(differs([](auto& limit) { limit.mode = limit::Mode::observe; }));
  EXPECT_TRUE(differs([](auto& limit) { limit.per = {*gateway::read_per("api_key")}; }));
  EXPECT_TRUE(differs([](auto& limit) { limit.tiers[0].rules[0].burst = 11; }));
  EXPECT_TRUE(differs([](auto& limit) { limit.tiers[0].rules[0].rate.count = 11; }));
  EXPECT_TRUE(differs([](auto& limit) { limit.tiers[0].rules[0].algorithm = limit::find_algorithm("leaky_bucket"); }));
  EXPECT_TRUE(differs([](auto& limit) { limit.tiers.push_back({"pro", {}}); }));
}

TEST(LimitShape, DoesNotDependOnTheOrderOfTiers) {
  auto one = shared_limit("read", "10/hour");
  one.tiers[0].name = "free";
  one.tiers.push_back({"pro", {}});
  auto other = one;
  std::swap(other.tiers[0], other.tiers[1]);
  EXPECT_EQ(shape_of(one), shape_of(other));
}

TEST(BegunAnew, AreLimitsWhoseCountersHaveOtherNames) {
  const auto begun = [](const limit::Limit& before, const limit::Limit& after) {
    const auto all = begun_anew(*config_with({before}), *config_with({after}));
    return all.empty() ? std::string() : all.front().why;
  };
  const auto bucket = shared_limit("read", "10/hour");
  EXPECT_EQ(begun(bucket, bucket), "");
  EXPECT_EQ(begun(bucket, shared_limit("read", "20/minute")), "") << "a bucket's count is kept";
  EXPECT_EQ(begun(bucket, shared_limit("other", "10/hour", "sliding_log")), "") << "it is another limit";
  EXPECT_EQ(begun(bucket, shared_limit("read", "10/hour", "sliding_log")), "the algorithm has changed");
  const auto window = shared_limit("read", "10/hour", "fixed_window");
  EXPECT_EQ(begun(window, shared_limit("read", "20/hour", "fixed_window")), "");
  EXPECT_EQ(begun(window, shared_limit("read", "10/minute", "fixed_window")), "the periods have changed");
  auto changed = bucket;
  changed.version = 2;
  EXPECT_EQ(begun(bucket, changed), "\"version\" has changed");
  changed = bucket;
  changed.per = {*gateway::read_per("api_key")};
  EXPECT_EQ(begun(bucket, changed), "\"per\" has changed");
  changed = bucket;
  changed.store = limit::Store::memory;
  EXPECT_EQ(begun(bucket, changed), "\"store\" has changed");
  changed = bucket;
  changed.tiers.push_back({"pro", {shared_limit("read", "5/second", "sliding_log").tiers[0].rules[0]}});
  EXPECT_EQ(begun(bucket, changed), "") << "a tier that is new leaves the others";
  auto other_period = changed;
  other_period.tiers[1].rules = shared_limit("read", "5/minute", "sliding_log").tiers[0].rules;
  EXPECT_EQ(begun(changed, other_period), "the periods have changed");
  auto tiers = window;
  tiers.tiers.push_back({"pro", shared_limit("read", "1000/hour", "fixed_window").tiers[0].rules});
  other_period = tiers;
  other_period.tiers[1].rules = shared_limit("read", "30000/day", "fixed_window").tiers[0].rules;
  EXPECT_EQ(begun(tiers, other_period), "the periods have changed") << "for callers of one tier";
  EXPECT_EQ(begun(other_period, tiers), "the periods have changed");
}

TEST_F(Agreement, CountsTheGatewaysAlsoWithoutLimits) {
  Gateway one(clock, shared, "web-1");
  Gateway other(clock, shared, "web-2");
  one.service->adopt(in_force(config_with({})));
  EXPECT_EQ(one.gateways, 1U);
  other.service->adopt(in_force(config_with({})));
  EXPECT_EQ(other.gateways, 2U);
  clock.advance(AgreementService::kPace);
  EXPECT_EQ(one.gateways, 2U) << "within five seconds";
}

TEST_F(Agreement, ReckonsForAMinuteWithAGatewayThatLeft) {
  Gateway one(clock, shared, "web-1");
  one.service->adopt(in_force(config_with({})));
  {
    Gateway other(clock, shared, "web-2");
    other.service->adopt(in_force(config_with({})));
    clock.advance(5s);
  }
  clock.advance(30s);
  EXPECT_EQ(one.gateways, 2U);
  clock.advance(60s);
  EXPECT_EQ(one.gateways, 1U);
}

TEST_F(Agreement, KeepsItsCountWhileRedisIsDown) {
  Gateway one(clock, shared, "web-1");
  Gateway other(clock, shared, "web-2");
  one.service->adopt(in_force(config_with({})));
  other.service->adopt(in_force(config_with({})));
  clock.advance(5s);
  shared->away = true;
  shared->of_gateways.clear();
  clock.advance(1h);
  EXPECT_EQ(one.gateways, 2U);
  shared->away = false;
  clock.advance(10s);
  EXPECT_EQ(one.gateways, 2U);
}

}  // namespace
}  // namespace headgate::services
