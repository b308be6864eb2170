#include "headgate/observe/metrics.hpp"

#include "support/metrics_text.hpp"

#include "headgate/observe/counters.hpp"
#include "headgate/observe/families/limits.hpp"
#include "headgate/observe/families/requests.hpp"
#include "headgate/observe/metrics_family.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace headgate::observe {
namespace {

using headgate::test::MetricsReader;
using headgate::test::MetricsText;
using testing::IsEmpty;

MetricsText scraped(const Registry& registry) {
  auto text = MetricsReader::read(registry.text());
  EXPECT_THAT(text.complaints, IsEmpty());
  return text;
}

/// Some family of counters with two labels.
constexpr const Family& limit_near = kLimitEvents[0].family;
const std::string kNear = R"(headgate_limit_near_total{limit="plan",tier="free"})";

TEST(Metrics, AddsUpWhatTheWorkersCounted) {
  Registry registry;
  registry.counter(0, limit_near, {"plan", "free"}).add();
  registry.counter(1, limit_near, {"plan", "free"}).add(40);
  registry.counter(kMainThread, limit_near, {"plan", "free"}).add(1);
  registry.counter(1, limit_near, {"plan", "pro"}).add(5);
  const auto text = scraped(registry);
  EXPECT_EQ(text.value(kNear), 42);
  EXPECT_EQ(text.value(R"(headgate_limit_near_total{limit="plan",tier="pro"})"), 5);
}

TEST(Metrics, AskedForAgainACounterGoesOnWhereItWas) {
  Registry registry;
  auto& before = registry.counter(0, limit_near, {"plan", "free"});
  before.add(7);
  auto& after = registry.counter(0, limit_near, {"plan", "free"});
  EXPECT_EQ(&before, &after);
  after.add(1);
  EXPECT_EQ(scraped(registry).value(kNear), 8);
  EXPECT_EQ(&registry.histogram(0, family::request_seconds, {"a"}),
            &registry.histogram(0, family::request_seconds, {"a"}));
  EXPECT_EQ(&registry.gauge(family::build_info, {"1", "c"}), &registry.gauge(family::build_info, {"1", "c"}));
}

TEST(Metrics, CellsOfTwoWorkersNeverShareACacheLine) {
  Registry registry;
  std::map<std::uintptr_t, Writer> owner;
  for (int i = 0; i < 200; ++i) {
    for (Writer writer = 0; writer < 3; ++writer) {
      const auto& cell = registry.counter(writer, limit_near, {std::to_string(i), ""});
      const auto line = reinterpret_cast<std::uintptr_t>(&cell) / 64;
      EXPECT_EQ(owner.emplace(line, writer).first->second, writer);
    }
  }
  EXPECT_LT(owner.size(), 200U) << "cells of one worker lie side by side";
}

TEST(Metrics, CountsADurationInTheFirstBucketThatHoldsIt) {
  Registry registry;
  auto& seconds = registry.histogram(0, family::request_seconds, {"api"});
  seconds.record(Duration(1'000));  // just within the first
  seconds.record(Duration(1'001));  // just beyond it
  seconds.record(Duration(-5));     // a clock set back
  seconds.record(std::chrono::minutes(1));
  registry.histogram(1, family::request_seconds, {"api"}).record(Duration(2'000));
  const auto text = scraped(registry);
  const auto bucket = [&](const std::string& le) {
    return text.value("headgate_request_duration_seconds_bucket{route=\"api\",le=\"" + le + "\"}");
  };
  EXPECT_EQ(bucket("0.001"), 2);
  EXPECT_EQ(bucket("0.0025"), 4);
  EXPECT_EQ(bucket("10"), 4);
  EXPECT_EQ(bucket("+Inf"), 5);
  EXPECT_EQ(text.value(R"(headgate_request_duration_seconds_count{route="api"})"), 5);
  EXPECT_DOUBLE_EQ(*text.value(R"(headgate_request_duration_seconds_sum{route="api"})"), 60.004001);
}

TEST(Metrics, ShowsWhatCollectorsKeepThemselves) {
  Registry registry;
  double keys = 3;
  registry.collect([&](Scrape& scrape) { scrape.value(family::limit_tracked, {"plan"}, keys); });
  registry.collect([&](Scrape& scrape) { scrape.value(limit_near, {"plan", "free"}, 2); });
  registry.counter(0, limit_near, {"plan", "free"}).add(1);
  EXPECT_EQ(scraped(registry).value(R"(headgate_limit_tracked_keys{limit="plan"})"), 3);
  keys = 1;
  const auto text = scraped(registry);
  EXPECT_EQ(text.value(R"(headgate_limit_tracked_keys{limit="plan"})"), 1);
  EXPECT_EQ(text.value(kNear), 3) << "a counter told from two sides is added up";
}

TEST(Metrics, FindTheBucketOfEveryDuration) {
  for (const auto* const family : families()) {
    if (family->type != Family::Type::histogram) continue;
    const Histogram histogram(family->bounds);
    const auto check = [&](std::int64_t microseconds) {
      const Duration took(microseconds);
      const auto expected = std::lower_bound(family->bounds.begin(), family->bounds.end(), took);
      ASSERT_EQ(histogram.bucket_of(took), static_cast<std::size_t>(expected - family->bounds.begin()))
          << family->name << ' ' << microseconds;
    };
    check(-5);
    for (std::int64_t i = 0; i < 2000; ++i) check(i);
    for (const auto bound : family->bounds)
      for (const int beside : {-1, 0, 1}) check(bound.count() + beside);
    for (int width = 0; width < 62; ++width)
      for (const int beside : {-1, 0, 1}) check((std::int64_t{1} << width) + beside);
  }
}

TEST(Metrics, EscapesWhatALabelMayHold) {
  Registry registry;
  const std::string odd = "a\"b\\c\nd{},=é";
  registry.counter(0, limit_near, {odd, ""}).add(1);
  const auto text = scraped(registry);
  ASSERT_EQ(text.labels.size(), 2U) << "and the number of series";
  EXPECT_EQ(text.labels.begin()->second.at("limit"), odd);
}

TEST(Metrics, ShowsLargeCountsToTheLastDigit) {
  Registry registry;
  registry.counter(0, limit_near, {"plan", "free"}).add(1'234'567'890'123);
  EXPECT_NE(registry.text().find(kNear + " 1234567890123\n"), std::string::npos) << registry.text();
}

TEST(Metrics, SaysNothingOfAFamilyWithoutSeries) {
  Registry registry;
  EXPECT_EQ(registry.text(), "");
}

TEST(Metrics, WorkersCountWhileOthersReadAndMakeSeries) {
  constexpr int kRounds = 20'000;
  Registry registry;
  std::atomic<bool> done = false;
  std::vector<std::thread> workers;
  workers.reserve(3);
  for (Writer writer = 0; writer < 3; ++writer) {
    workers.emplace_back([&, writer] {
      auto& near = registry.counter(writer, limit_near, {"plan", "free"});
      RouteCounters route(registry, writer, "api");
      for (int i = 0; i < kRounds; ++i) {
        near.add();
        route.count(i % 2 == 0 ? "GET" : "POST", 200 + static_cast<unsigned>(i % 50), Duration(i));
      }
    });
  }
  std::thread loader([&] {
    for (int i = 0; !done; ++i) registry.counter(0, limit_near, {std::to_string(i % 100), ""});
  });
  double last = 0;
  for (int i = 0; i < 20; ++i) {
    const auto text = MetricsReader::read(registry.text());
    EXPECT_GE(text.value(kNear).value_or(0), last) << "went backwards";
    last = text.value(kNear).value_or(0);
  }
  for (auto& worker : workers) worker.join();
  done = true;
  loader.join();
  const auto text = scraped(registry);
  EXPECT_EQ(text.value(kNear), 3 * kRounds);
  EXPECT_EQ(text.sum("headgate_requests_total{route=\"api\""), 3 * kRounds);
  EXPECT_EQ(text.value(R"(headgate_request_duration_seconds_count{route="api"})"), 3 * kRounds);
}

}  // namespace
}  // namespace headgate::observe
