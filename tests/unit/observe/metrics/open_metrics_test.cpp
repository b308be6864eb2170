#include "headgate/observe/counters.hpp"
#include "headgate/observe/families/requests.hpp"
#include "headgate/observe/metrics_family.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <sstream>
#include <thread>

namespace headgate::observe {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kOther = "00000000000000000000000000000001";

TEST(OpenMetrics, NamesCountersWithoutTheirEndingAndEndsTheText) {
  Registry registry;
  RouteCounters(registry, 0, "api").count("GET", 200, Spent{.whole = Duration(1200), .received = 5, .sent = 7});
  const auto text = registry.open_metrics();
  EXPECT_THAT(text, HasSubstr("# TYPE headgate_requests counter\n# HELP headgate_requests Answered requests\n"));
  EXPECT_THAT(text, HasSubstr("headgate_requests_total{route=\"api\",method=\"GET\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE headgate_received_bytes counter\n# UNIT headgate_received_bytes bytes\n"));
  EXPECT_THAT(text, HasSubstr("headgate_received_bytes_total{route=\"api\"} 5\n"));
  EXPECT_THAT(text, EndsWith("\n# EOF\n"));
  EXPECT_THAT(text, Not(HasSubstr("_created")));
  EXPECT_THAT(text, Not(HasSubstr("\n\n")));
}

TEST(OpenMetrics, WritesBoundsAsDecimals) {
  Registry registry;
  RouteCounters(registry, 0, "api").count("GET", 200, Duration(1200));
  const auto text = registry.open_metrics();
  EXPECT_THAT(text, HasSubstr("headgate_request_duration_seconds_bucket{route=\"api\",le=\"0.001\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("headgate_request_duration_seconds_bucket{route=\"api\",le=\"1.0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("headgate_request_duration_seconds_bucket{route=\"api\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("headgate_request_duration_seconds_sum{route=\"api\"} 0.0012\n"));
  EXPECT_THAT(text, HasSubstr("headgate_request_duration_seconds_count{route=\"api\"} 1\n"));
}

TEST(OpenMetrics, DescribesTheVersionAsAnInfo) {
  Registry registry;
  registry.gauge(family::build_info, {"1.0 \"x\"\\", "c"}).set(1);
  const auto text = registry.open_metrics();
  EXPECT_THAT(text, StartsWith("# TYPE headgate_build info\n"));
  EXPECT_THAT(text, HasSubstr("headgate_build_info{version=\"1.0 \\\"x\\\"\\\\\",commit=\"c\"} 1\n"));
}

TEST(OpenMetrics, WithoutSeriesIsOnlyItsEnd) { EXPECT_EQ(Registry().open_metrics(), "# EOF\n"); }

TEST(OpenMetrics, HasNoTwoFamiliesOfOneName) {
  std::set<std::string> names;
  for (const auto* family : families()) {
    std::string name(family->name);
    for (const std::string_view ending : {"_total", "_info"})
      if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  for (const auto& name : names)
    for (const auto* const ending : {"_count", "_sum", "_bucket", "_created", "_total", "_info"})
      EXPECT_FALSE(names.contains(name + ending)) << name << ending << " is a part of a family and a family";
}

TEST(Exemplars, StandAtTheBucketOfTheirRequest) {
  Registry registry;
  const RouteCounters route(registry, 0, "api");
  route.count("GET", 200, Duration(1200));
  route.traced(kTrace, Duration(1200), Instant(std::chrono::milliseconds(1'700'000'000'123)));
  EXPECT_THAT(registry.open_metrics(),
              HasSubstr("le=\"0.0025\"} 1 # {trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"} 0.0012 1700000000.123\n"));
  EXPECT_THAT(registry.text(), Not(HasSubstr("trace_id"))) << "the older format has none";
}

TEST(Exemplars, AreTheNewestOfTheirBucketOnAllWorkers) {
  Registry registry;
  for (const Writer writer : {0U, 1U}) {
    const RouteCounters route(registry, writer, "api");
    route.count("GET", 200, Duration(1200));
    route.traced(writer == 0 ? kTrace : kOther, Duration(1200), Instant(std::chrono::seconds(100 - writer)));
    route.traced("too short", Duration(1200), Instant(std::chrono::seconds(200)));
  }
  const auto text = registry.open_metrics();
  EXPECT_THAT(text, HasSubstr(std::string(kTrace)));
  EXPECT_THAT(text, Not(HasSubstr(std::string(kOther))));
}

TEST(Exemplars, AreNeverHalfOfOneAndHalfOfAnother) {
  Exemplars exemplars;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; !done; ++i) {
      const auto digit = static_cast<char>('0' + i % 10);
      exemplars.record(0, std::string(Exemplars::kDigits, digit), Duration(digit), Instant(Duration(digit)));
    }
  });
  for (int i = 0, seen = 0; seen < 1000 && i < 10'000'000; ++i) {
    const auto one = exemplars.read(0);
    if (!one) continue;
    ++seen;
    const auto digit = one->trace_id.front();
    EXPECT_EQ(one->trace_id, std::string(Exemplars::kDigits, digit));
    EXPECT_EQ(one->value, Duration(digit));
    EXPECT_EQ(one->when, Instant(Duration(digit)));
  }
  done = true;
  writer.join();
}

}  // namespace
}  // namespace headgate::observe
