#include "headgate/observe/counters.hpp"

#include "support/metrics_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

namespace headgate::observe {
namespace {

using headgate::test::MetricsReader;
using headgate::test::MetricsText;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr auto index(Source source) { return static_cast<std::size_t>(source); }

MetricsText read(const Registry& registry) {
  auto text = MetricsReader::read(registry.text());
  EXPECT_THAT(text.complaints, IsEmpty());
  return text;
}

std::set<std::string> values_of(const MetricsText& text, const std::string& family, const std::string& label) {
  std::set<std::string> out;
  for (const auto& [series, labels] : text.labels) {
    if (series.starts_with(family)) out.insert(labels.at(label));
  }
  return out;
}

TEST(LimitCounters, AreOneSeriesForEachDecisionAndSource) {
  Registry registry;
  const auto counters = limit_counters(registry, 0, "plan", "free", Counted::in_redis);
  counters.allowed[index(Source::redis)]->add(3);
  counters.rejected[index(Source::redis)]->add(2);
  counters.observed[index(Source::fallback)]->add(1);
  counters.seconds[index(Source::redis)]->record(Duration(700));
  const auto text = read(registry);
  const auto decisions = [&](const std::string& decision, const std::string& source) {
    return text.value("headgate_limit_decisions_total{limit=\"plan\",tier=\"free\",decision=\"" + decision +
                      "\",source=\"" + source + "\"}");
  };
  EXPECT_EQ(decisions("allowed", "redis"), 3);
  EXPECT_EQ(decisions("rejected", "redis"), 2);
  EXPECT_EQ(decisions("observed", "fallback"), 1);
  EXPECT_EQ(decisions("rejected", "fallback"), 0) << "there before the first, so that the first shows as a rise";
  EXPECT_EQ(text.value(R"(headgate_limit_decision_seconds_bucket{limit="plan",source="redis",le="0.0005"})"), 0);
  EXPECT_EQ(text.value(R"(headgate_limit_decision_seconds_bucket{limit="plan",source="redis",le="0.001"})"), 1);
}

TEST(LimitCounters, OfALimitInMemoryShowNoOtherSource) {
  Registry registry;
  const auto counters = limit_counters(registry, 0, "flood", "", Counted::in_memory);
  for (std::size_t i = 0; i < kCountOf<Source>; ++i) {
    ASSERT_NE(counters.allowed[i], nullptr);
    ASSERT_NE(counters.rejected[i], nullptr);
    ASSERT_NE(counters.observed[i], nullptr);
    ASSERT_NE(counters.seconds[i], nullptr);
  }
  EXPECT_THAT(values_of(read(registry), "headgate_limit_decisions_total", "source"), UnorderedElementsAre("memory"));
}

TEST(LimitCounters, OfTwoTiersShareOneHistogram) {
  Registry registry;
  const auto free = limit_counters(registry, 0, "plan", "free", Counted::in_redis);
  const auto pro = limit_counters(registry, 0, "plan", "pro", Counted::in_redis);
  EXPECT_NE(free.allowed[index(Source::redis)], pro.allowed[index(Source::redis)]);
  EXPECT_EQ(free.seconds[index(Source::redis)], pro.seconds[index(Source::redis)]);
}

TEST(LimitCounters, CountWhatHappenedToEachRequest) {
  Registry registry;
  const auto counters = limit_counters(registry, 0, "plan", "free", Counted::in_memory, {.in_shards = true});
  using Decision = LimitSeen::Decision;
  counters.count({.decision = Decision::allowed, .remaining = 19, .limit = 100});
  counters.count({.decision = Decision::allowed, .remaining = 20, .limit = 100, .other_shard = true});
  counters.count({.decision = Decision::kept, .limit = 100});
  counters.count({.decision = Decision::rejected, .limit = 100, .other_shard = true});
  counters.count({.unreadable_cost = true});
  const auto text = read(registry);
  EXPECT_EQ(text.value(R"(headgate_limit_near_total{limit="plan",tier="free"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_limit_other_shards_total{limit="plan"})"), 2);
  EXPECT_EQ(text.value(R"(headgate_limit_unreadable_costs_total{limit="plan"})"), 1);
}

TEST(LimitCounters, HaveNoSeriesForWhatCannotHappen) {
  Registry registry;
  const auto counters = limit_counters(registry, 0, "plan", "", Counted::in_memory);
  counters.count({.other_shard = true});
  EXPECT_THAT(values_of(read(registry), "headgate_limit_other_shards_total", "limit"), IsEmpty());
}

TEST(LimitCounters, NearMeansUnderAFifthLeft) {
  EXPECT_FALSE(is_near(20, 100));
  EXPECT_TRUE(is_near(19, 100));
  EXPECT_FALSE(is_near(1, 5));
  EXPECT_TRUE(is_near(1, 6));
  EXPECT_TRUE(is_near(0, 1));
  EXPECT_FALSE(is_near(~std::uint64_t{0}, ~std::uint64_t{0}));
}

TEST(RouteCounters, CountByMethodAndExactStatus) {
  Registry registry;
  RouteCounters api(registry, 0, "api");
  api.count("GET", 200, Duration(10));
  api.count("GET", 200, Duration(10));
  api.count("POST", 429, Duration(10));
  RouteCounters(registry, 1, "api").count("GET", 200, Duration(10));
  RouteCounters(registry, 0, "-").count("GET", 404, Duration(10));
  const auto text = read(registry);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="api",method="GET",code="200"})"), 3);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="api",method="POST",code="429"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="-",method="GET",code="404"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_request_duration_seconds_count{route="api"})"), 4);
}

TEST(RouteCounters, MadeAgainGoOnWhereTheyWere) {
  Registry registry;
  RouteCounters(registry, 0, "api").count("GET", 200, Duration(10));
  RouteCounters(registry, 0, "api").count("GET", 200, Duration(10));
  EXPECT_EQ(read(registry).value(R"(headgate_requests_total{route="api",method="GET",code="200"})"), 2);
}

TEST(RouteCounters, OfARouteWithoutRequestsAreNotMade) {
  Registry registry;
  EXPECT_EQ(read(registry).sum("headgate_request_duration_seconds_count"), 0);
  RouteCounters(registry, 0, "-").count("GET", 200, Duration(10));
  const auto text = read(registry);
  EXPECT_EQ(text.value("headgate_routes_counted"), 1);
  EXPECT_EQ(text.sum("headgate_request_duration_seconds_count"), 1);
}

TEST(RouteCounters, OfRoutesBeyondTheirNumberAreOneTogetherOnAllWorkers) {
  Registry registry;
  const auto count = [&](Writer writer, std::size_t route) {
    RouteCounters(registry, writer, "r" + std::to_string(route)).count("GET", 200, Duration(10));
  };
  for (std::size_t i = 0; i < CountedRoutes::kMax + 10; ++i) count(i % 2, i);
  count(0, 1);  // known from the other worker
  count(0, CountedRoutes::kMax + 20);
  const auto text = read(registry);
  EXPECT_EQ(text.value("headgate_routes_counted"), CountedRoutes::kMax);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="r1",method="GET",code="200"})"), 2);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="_OTHER",method="GET",code="200"})"), 11);
  EXPECT_EQ(text.sum("headgate_requests_total"), CountedRoutes::kMax + 12) << "none is lost";
}

TEST(RouteCounters, AreMadeWhileOthersRead) {
  Registry registry;
  auto& routes = registry.routes(0);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done) (void)registry.text();
  });
  for (int i = 0; i < 500; ++i) {
    RouteCounters route(routes.of("r" + std::to_string(i)));
    route.count("GET", 200, Duration(10));
    route.count(AuthResult{AuthKind::jwt, AuthStatus::ok});
  }
  done = true;
  reader.join();
  EXPECT_EQ(read(registry).sum("headgate_auth_total"), 500);
}

TEST(RouteCounters, TakeNoLabelFromAClientWithoutLimit) {
  Registry registry;
  RouteCounters api(registry, 0, "api");
  for (int i = 0; i < 1000; ++i) api.count("M" + std::to_string(i), 200, Duration(10));
  api.count("get", 200, Duration(10));  // methods are case-sensitive
  api.count("PATCH", 0, Duration(10));
  api.count("PATCH", 7, Duration(10));
  api.count("PATCH", 1000, Duration(10));
  const auto text = read(registry);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="api",method="_OTHER",code="200"})"), 1001);
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="api",method="PATCH",code="-"})"), 3);
}

TEST(RouteCounters, KnowEveryStandardMethod) {
  Registry registry;
  RouteCounters api(registry, 0, "api");
  for (const auto* const method : {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
                                   "GEX", "HEAX", "TRACX", "DELETX", "OPTIONX", "", "PROPFIND", "_OTHER"})
    api.count(method, 200, Duration(10));
  const auto text = read(registry);
  for (const auto* const method : {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"})
    EXPECT_EQ(text.value("headgate_requests_total{route=\"api\",method=\"" + std::string(method) + "\",code=\"200\"}"),
              1)
        << method;
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="api",method="_OTHER",code="200"})"), 8);
}

TEST(RouteCounters, CountWhatIsBeyondTheirRoomTogether) {
  Registry registry;
  RouteCounters api(registry, 0, "api");
  for (int round = 0; round < 2; ++round) {
    for (unsigned code = 100; code < 600; ++code) api.count("GET", code, Duration(10));
  }
  const auto text = read(registry);
  std::size_t series = 0;
  for (const auto& [name, value] : text.samples) series += name.starts_with("headgate_requests_total") ? 1 : 0;
  EXPECT_EQ(series, CounterTable::kMax + 1);
  EXPECT_EQ(text.sum("headgate_requests_total"), 1000) << "none is lost";
  EXPECT_EQ(text.value(R"(headgate_requests_total{route="api",method="_OTHER",code="_OTHER"})"),
            1000 - 2 * static_cast<double>(CounterTable::kMax));
}

TEST(ReloadCounters, TellWhetherTheLastConfigurationIsActive) {
  Registry registry;
  ReloadCounters reloads(registry);
  reloads.started(Instant(std::chrono::seconds(1'700'000'000)));
  auto text = read(registry);
  EXPECT_EQ(text.value("headgate_config_last_reload_successful"), 1);
  EXPECT_EQ(text.value(R"(headgate_config_reloads_total{result="applied"})"), 0);
  reloads.refused();
  text = read(registry);
  EXPECT_EQ(text.value("headgate_config_last_reload_successful"), 0);
  EXPECT_EQ(text.value("headgate_config_last_reload_success_timestamp_seconds"), 1'700'000'000);
  reloads.applied(Instant(std::chrono::milliseconds(1'700'000'050'500)));
  text = read(registry);
  EXPECT_EQ(text.value("headgate_config_last_reload_successful"), 1);
  EXPECT_DOUBLE_EQ(*text.value("headgate_config_last_reload_success_timestamp_seconds"), 1'700'000'050.5);
  EXPECT_EQ(text.value(R"(headgate_config_reloads_total{result="applied"})"), 1);
  EXPECT_EQ(text.value(R"(headgate_config_reloads_total{result="refused"})"), 1);
}

}  // namespace
}  // namespace headgate::observe
