#include "headgate/admin/collect.hpp"

#include "support/metrics_text.hpp"

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/commit.hpp"
#include "headgate/admin/reason_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace headgate::admin {
namespace {

using headgate::test::MetricsReader;
using headgate::test::MetricsText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

MetricsText read(const observe::Registry& registry) {
  auto text = MetricsReader::read(registry.text());
  EXPECT_THAT(text.complaints, IsEmpty());
  return text;
}

redis::NodeStatus node(const std::string& name, std::uint64_t decided,
                       redis::RedisHealth health = redis::RedisHealth::up) {
  redis::NodeStatus out;
  out.name = name;
  out.health = health;
  out.counters.decided = decided;
  out.counters.connects = 1;
  out.latency[2] = decided;
  out.latency_sum = Duration(400) * decided;
  return out;
}

class CollectRedis : public testing::Test {
 protected:
  CollectRedis() {
    collect_redis(registry, [this] { return reports; });
  }
  std::optional<double> decided(const std::string& name = "a:1") const {
    return read(registry).value("headgate_redis_commands_total{node=\"" + name + "\",result=\"decided\"}");
  }

  observe::Registry registry;
  std::vector<RedisReport> reports;
};

TEST_F(CollectRedis, AddsUpWhatTheWorkersSayOfANode) {
  auto second = node("a:1", 5);
  second.counters.timed_out = 2;
  second.counters.refused = 3;
  second.counters.not_sent = 4;
  second.counters.connects = 3;
  reports = {{1, {node("a:1", 10), node("b:1", 1)}, {}}, {2, {second}, {}}};
  reports[0].local = {.rejected = 7, .leased = 8, .charged = 30};
  reports[1].local = {.rejected = 1, .leased = 2, .charged = 12};
  const auto text = read(registry);
  const auto commands = [&](const std::string& result) {
    return text.value("headgate_redis_commands_total{node=\"a:1\",result=\"" + result + "\"}");
  };
  EXPECT_EQ(commands("decided"), 15);
  EXPECT_EQ(commands("timed_out"), 2);
  EXPECT_EQ(commands("refused"), 3);
  EXPECT_EQ(commands("not_sent"), 4);
  EXPECT_EQ(decided("b:1"), 1);
  EXPECT_EQ(text.value(R"(headgate_redis_reconnects_total{node="a:1"})"), 2) << "a first connection is no reconnect";
  EXPECT_EQ(text.value(R"(headgate_redis_command_seconds_bucket{node="a:1",le="0.00025"})"), 0);
  EXPECT_EQ(text.value(R"(headgate_redis_command_seconds_bucket{node="a:1",le="0.0005"})"), 15);
  EXPECT_DOUBLE_EQ(*text.value(R"(headgate_redis_command_seconds_sum{node="a:1"})"), 0.006);
  EXPECT_EQ(text.value("headgate_limit_known_rejections_total"), 8);
  EXPECT_EQ(text.value("headgate_limit_leased_total"), 10);
  EXPECT_EQ(text.value("headgate_limit_charged_total"), 42);
}

TEST_F(CollectRedis, AddsUpSettlementsThatWaitAndThoseThatAreLost) {
  const auto now = std::chrono::steady_clock::now();
  reports = {{1, {}, {.lost = {{"plan", 3}}}, {5, 50, now - std::chrono::seconds(40)}}, {2, {}, {}, {1, 2, now}}};
  auto text = read(registry);
  EXPECT_EQ(text.value("headgate_limit_settlements_waiting"), 6);
  EXPECT_GE(*text.value("headgate_limit_settlements_behind_seconds"), 40);
  EXPECT_LT(*text.value("headgate_limit_settlements_behind_seconds"), 100);
  EXPECT_EQ(text.value(R"(headgate_limit_settlements_lost_total{limit="plan"})"), 3);
  EXPECT_EQ(outstanding_of(reports).permits, 52U);
  reports = {{3, {}, {.lost = {{"plan", 1}, {"other", 2}}}, {}}};
  text = read(registry);
  EXPECT_EQ(text.value("headgate_limit_settlements_waiting"), 0);
  EXPECT_EQ(text.value("headgate_limit_settlements_behind_seconds"), 0);
  EXPECT_EQ(text.value(R"(headgate_limit_settlements_lost_total{limit="plan"})"), 4) << "another limiter began at 0";
  EXPECT_EQ(text.value(R"(headgate_limit_settlements_lost_total{limit="other"})"), 2);
}

TEST_F(CollectRedis, IsUpIfEveryWorkerReachesIt) {
  reports = {{1, {node("a:1", 0)}, {}}, {2, {node("a:1", 0)}, {}}};
  EXPECT_EQ(read(registry).value(R"(headgate_redis_up{node="a:1"})"), 1);
  reports[0].nodes[0].health = redis::RedisHealth::down;
  EXPECT_EQ(read(registry).value(R"(headgate_redis_up{node="a:1"})"), 0);
  reports[0].nodes[0].health = redis::RedisHealth::trying;
  EXPECT_EQ(read(registry).value(R"(headgate_redis_up{node="a:1"})"), 0);
}

TEST_F(CollectRedis, NeverGoesBackwardsWhenALimiterGoes) {
  reports = {{1, {node("a:1", 100)}, {0, 50, 0}}, {2, {node("a:1", 200)}, {0, 60, 0}}};
  EXPECT_EQ(decided(), 300);
  reports = {{3, {node("a:1", 4)}, {0, 1, 0}}, {2, {node("a:1", 210)}, {0, 60, 0}}};
  EXPECT_EQ(decided(), 314) << "the new one in the first worker counts from zero";
  EXPECT_EQ(read(registry).value("headgate_limit_leased_total"), 111);
  reports.erase(reports.begin());
  EXPECT_EQ(decided(), 314);
}

TEST_F(CollectRedis, NeverGoesBackwardsWhenANodeIsNewToALimiter) {
  reports = {{1, {node("a:1", 100)}, {}}, {2, {node("a:1", 100)}, {}}};
  EXPECT_EQ(decided(), 200);
  reports[0].nodes[0] = node("a:1", 1);  // it had left the topology and came back
  EXPECT_EQ(decided(), 201);
}

TEST_F(CollectRedis, ForgetsANodeThatNoWorkerKnowsAnyMore) {
  reports = {{1, {node("a:1", 100)}, {}}};
  EXPECT_EQ(decided(), 100);
  reports = {{1, {node("b:1", 1)}, {}}};
  EXPECT_EQ(decided(), std::nullopt);
  EXPECT_EQ(decided("b:1"), 1);
}

TEST_F(CollectRedis, SaysNothingWithoutRedis) { EXPECT_EQ(registry.text(), ""); }

limit::Limit plan() {
  limit::Limit out;
  out.name = "plan";
  out.store = limit::Store::redis;
  limit::Rule minute;
  minute.rate = {60, std::chrono::minutes(1)};
  limit::Rule day;
  day.rate = {1000, std::chrono::hours(24)};
  limit::Rule month;
  month.rate = {5000, std::chrono::hours(24) * 31, true};
  out.tiers = {{"free", {minute, day}}, {"pro", {month}}, {"unlimited", {}}};
  return out;
}

TEST(CollectLimits, ShowsEachRuleOfEachTier) {
  observe::Registry registry;
  auto health = redis::RedisHealth::up;
  collect_limits(registry, [&] { return std::vector{report_of(plan(), health)}; });
  auto text = read(registry);
  const auto configured = [&](const std::string& tier, const std::string& window) {
    return text.value("headgate_limit_configured_requests{limit=\"plan\",tier=\"" + tier + "\",window=\"" + window +
                      "\"}");
  };
  EXPECT_EQ(configured("free", "1m"), 60);
  EXPECT_EQ(configured("free", "1d"), 1000);
  EXPECT_EQ(configured("pro", "month"), 5000);
  EXPECT_EQ(text.value(R"(headgate_limit_fallback_active{limit="plan"})"), 0);
  health = redis::RedisHealth::down;
  EXPECT_EQ(read(registry).value(R"(headgate_limit_fallback_active{limit="plan"})"), 1);
}

TEST(CollectLimits, SaysNothingOfAFallbackWhereRedisCountsNothing) {
  auto in_memory = plan();
  in_memory.store = limit::Store::memory;
  observe::Registry registry;
  collect_limits(registry, [&] { return std::vector{report_of(in_memory, redis::RedisHealth::down)}; });
  EXPECT_EQ(read(registry).value(R"(headgate_limit_fallback_active{limit="plan"})"), std::nullopt);
}

TEST(CollectKeys, ShowsHowMuchOfTheMemoryALimitTakes) {
  observe::Registry registry;
  collect_keys(registry, [] { return std::vector<KeysReport>{{"flood", 12, 3}}; });
  const auto text = read(registry);
  EXPECT_EQ(text.value(R"(headgate_limit_tracked_keys{limit="flood"})"), 12);
  EXPECT_EQ(text.value(R"(headgate_limit_evicted_keys_total{limit="flood"})"), 3);
}

TEST(CollectLogs, TellsWhatEachLost) {
  observe::Registry registry;
  collect_logs(registry, [] { return observe::Logs::Dropped{7, 1}; });
  const auto text = read(registry);
  EXPECT_EQ(text.value(R"(headgate_log_dropped_total{log="access"})"), 7);
  EXPECT_EQ(text.value(R"(headgate_log_dropped_total{log="error"})"), 1);
}

TEST(CollectProcess, TellsWhatTheSystemTellsOfThisProcess) {
  observe::Registry registry;
  collect_process(registry);
  auto text = read(registry);
  EXPECT_EQ(
      text.value("headgate_build_info{version=\"" HEADGATE_VERSION "\",commit=\"" + std::string(commit()) + "\"}"), 1);
  EXPECT_GT(text.value("process_resident_memory_bytes").value_or(0), 1e6);
  EXPECT_GE(text.value("process_virtual_memory_bytes").value_or(0), *text.value("process_resident_memory_bytes"));
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(text.value("process_start_time_seconds").value_or(0), now, 600) << "not within ten minutes";
  EXPECT_GT(text.value("process_max_fds").value_or(0), 3);

  const auto open = text.value("process_open_fds").value_or(0);
  const int more = ::dup(0);
  EXPECT_EQ(read(registry).value("process_open_fds"), open + 1);
  ::close(more);

  const auto used = text.value("process_cpu_seconds_total").value_or(-1);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(8);
  auto now_used = used;
  while (now_used <= used && std::chrono::steady_clock::now() < until)
    now_used = read(registry).value("process_cpu_seconds_total").value_or(-1);
  EXPECT_GT(now_used, used) << "reading it is work";
}

config::Config with_limits(std::vector<limit::Limit> limits) {
  config::Config out;
  out.limits = std::move(limits);
  return out;
}

TEST(AdminBoard, TellsOfTheLimitsInForce) {
  AdminBoard board;
  observe::Registry registry;
  board.collect(registry);
  board.use_config(with_limits({plan()}));
  EXPECT_EQ(read(registry).value(R"(headgate_limit_configured_requests{limit="plan",tier="free",window="1m"})"), 60);
  board.use_config({});
  EXPECT_EQ(registry.text(), "") << "what a reload removed is not shown any more";
}

class WithoutRedis : public testing::Test {
 protected:
  WithoutRedis() {
    redis::RedisOptions options;
    options.nodes = {{"127.0.0.1", 1}};  // nobody listens there
    limiter = std::make_shared<redis::SharedLimiter>(loop, options);
    board.use_redis(0, limiter);
  }
  ~WithoutRedis() override {
    limiter->stop();
    board.use_redis(0, nullptr);
    loop.run_for(std::chrono::seconds(2));
  }

  /// As /readyz tells it.
  ReadyReport readiness() {
    const auto outage = board.redis_outage();
    tell_redis(reasons, outage ? &*outage : nullptr);
    return readiness_of(reasons);
  }

  boost::asio::io_context loop{1};
  std::shared_ptr<redis::SharedLimiter> limiter;
  AdminBoard board;
  Reasons reasons;
};

TEST_F(WithoutRedis, IsDegradedButReadyIfLimitsCanWorkWithoutIt) {
  board.use_config(with_limits({plan()}));
  EXPECT_THAT(readiness().unready, IsEmpty());
  EXPECT_THAT(readiness().degraded, ElementsAre("Redis does not answer"));
}

TEST_F(WithoutRedis, IsDegradedButReadyIfALimitRejectsWithoutIt) {
  auto charges = plan();
  charges.name = "charges";
  charges.if_redis_down = limit::IfRedisDown::reject;
  board.use_config(with_limits({plan(), charges}));
  EXPECT_THAT(readiness().unready, IsEmpty()) << "every other route still works";
  EXPECT_THAT(readiness().degraded,
              ElementsAre("Redis does not answer", HasSubstr("limit \"charges\" rejects without it")));
}

TEST_F(WithoutRedis, IsNotReadyIfTheConfigurationSaysSo) {
  auto config = with_limits({plan()});
  config.unready_without_redis = true;
  board.use_config(config);
  EXPECT_THAT(readiness().unready, ElementsAre(HasSubstr("\"unready_without_redis\" is set")));
  config.unready_without_redis = false;
  board.use_config(config);
  EXPECT_THAT(readiness().unready, IsEmpty()) << "what a reload changed";
}

TEST_F(WithoutRedis, IsWellAgainOnceNothingIsCountedThere) {
  EXPECT_THAT(readiness().degraded, Not(IsEmpty()));
  board.use_redis(0, nullptr);
  EXPECT_THAT(readiness().degraded, IsEmpty());
}

TEST_F(WithoutRedis, IsDegradedIfAWaitingRoomAdmitsNobodyWithoutIt) {
  gateway::WaitingRoom room;
  room.store = limit::Store::redis;
  config::Config config;
  auto& rooms = config.gateway.rooms;
  rooms.assign(4, room);
  rooms[0].rule.name = "goes on";
  rooms[1].rule.name = "observes";
  rooms[1].mode = limit::Mode::observe;
  rooms[1].if_redis_down = limit::IfRedisDown::reject;
  rooms[2].rule.name = "in memory";
  rooms[2].store = limit::Store::memory;
  rooms[2].if_redis_down = limit::IfRedisDown::reject;
  rooms[3].rule.name = "sale";
  rooms[3].if_redis_down = limit::IfRedisDown::reject;
  board.use_config(config);
  EXPECT_THAT(readiness().unready, IsEmpty());
  EXPECT_THAT(readiness().degraded, ElementsAre("Redis does not answer",
                                                HasSubstr("waiting room \"sale\" admits no new callers without it")));
  board.use_config({});
  EXPECT_THAT(readiness().degraded, ElementsAre("Redis does not answer")) << "what a reload removed";
}

TEST_F(WithoutRedis, ShowsItsNodesAndThatLimitsDoWithoutIt) {
  observe::Registry registry;
  board.collect(registry);
  board.use_config(with_limits({plan()}));
  const auto text = read(registry);
  EXPECT_EQ(text.value(R"(headgate_redis_up{node="127.0.0.1:1"})"), 0);
  EXPECT_EQ(text.value(R"(headgate_limit_fallback_active{limit="plan"})"), 1);
}

TEST_F(WithoutRedis, LetsGoOfALimiterThatIsReplaced) {
  const std::weak_ptr<redis::SharedLimiter> watched = limiter;
  board.use_redis(0, nullptr);
  EXPECT_EQ(watched.use_count(), 1) << "only the test still has it";
  EXPECT_THAT(board.redis(), IsEmpty());
}

}  // namespace
}  // namespace headgate::admin
