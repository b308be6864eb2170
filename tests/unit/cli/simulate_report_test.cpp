// The report of a simulation, whatever callers have written.

#include "../../../src/cli/simulate/html_text.hpp"
#include "../../../src/cli/simulate/progress.hpp"
#include "../../../src/cli/simulate/simulate_output.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/simulate/share_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headgate::cli {
namespace {

using std::chrono::minutes;

constexpr Instant kNine{std::chrono::sys_days(std::chrono::year(2026) / 11 / 24) + std::chrono::hours(9)};
constexpr const char* kHostile = "<script src=x>\"'&\xE2\x80\xAE\x1b[2J";

simulate::SimulationReport report() {
  simulate::SimulationReport out;
  out.policy = "shop.json";
  out.arrived.from = "access.log (combined)";
  auto& figures = out.figures;
  figures.requests = 1204;
  figures.refused = 120;
  figures.keys = 2;
  figures.from = kNine;
  figures.until = kNine + minutes(2);
  figures.series_begin = kNine;
  figures.series_width = minutes(1);
  figures.requests_series = {600, 604};
  figures.refused_series = {0, 120};
  simulate::LimitFigures limit;
  limit.name = "each";
  limit.per = "client_ip";
  simulate::TierFigures tier;
  tier.rates = {"60/minute"};
  tier.requests = 1204;
  tier.rejected = 120;
  tier.keys = 2;
  tier.keys_rejected = 1;
  tier.worst = {kNine + minutes(1), 120};
  tier.requests_series = {600, 604};
  tier.rejected_series = {0, 120};
  limit.tiers = {tier};
  limit.worst = {{kHostile, "", 700, 120}};
  figures.limits = {limit};
  out.took = std::chrono::milliseconds(1900);
  return out;
}

TEST(SimulateText, IsATableOfLimits) {
  EXPECT_EQ(simulate_text(report(), false, std::numeric_limits<std::size_t>::max()),
            "1 204 requests of 2 min from access.log (combined), 2 keys, replayed in 1.9 s\n"
            "\n"
            "limit  requests  would reject   share  keys  keys hit  worst key                             "
            "its share  worst minute  when\n"
            "each      1 204           120  10.0 %     2         1  <script src=x>\"'&\\xe2\\x80\\xae\\x1b[2J      "
            "100 %  09:01 (120)   \u00b7\u2588\n");
}

TEST(SimulatePage, WritesNothingThatActs) {
  const auto page = simulate_page(report());
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("<code>&lt;script src=x&gt;&quot;&#39;&amp;\\xe2\\x80\\xae\\x1b[2J</code>"), std::string::npos)
      << page;
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(SimulatePage, StaysSmallHoweverLongTheSeriesIs) {
  auto long_one = report();
  for (auto* series : {&long_one.figures.requests_series, &long_one.figures.limits[0].tiers[0].requests_series})
    series->assign(1500, 3);
  EXPECT_LT(simulate_page(long_one).size(), 120'000U);
}

TEST(Progress, IsALineThatFitsAnyTerminal) {
  EXPECT_EQ(progress_line("", 2, 500, 1000, 800'000),
            "[" +
                std::string("\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
                            "\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7\u00b7") +
                "] 50 %  800 000 requests, 400 000 a second, 3 s left");
  EXPECT_EQ(progress_line("run 2", 2, 0, 0, 10), "run 2  10 requests, 5 a second");
}

TEST(Shares, AreNeverNothingOfSomething) {
  EXPECT_EQ(simulate::share_text(0, 10), "0 %");
  EXPECT_EQ(simulate::share_text(0, 0), "0 %");
  EXPECT_EQ(simulate::share_text(1, 1'000'000'000), "< 0.001 %");
  EXPECT_EQ(simulate::share_text(1, 10'000), "0.010 %");
  EXPECT_EQ(simulate::share_text(1, 100), "1.0 %");
  EXPECT_EQ(simulate::share_text(999'999, 1'000'000), "> 99.9 %");
  EXPECT_EQ(simulate::share_text(10, 10), "100 %");
  EXPECT_EQ(simulate::number_text(1'204'311), "1 204 311");
  EXPECT_EQ(simulate::number_text(999), "999");
}

TEST(Spans, HaveTheUnitThatPeopleSay) {
  EXPECT_EQ(simulate::span_text(std::chrono::hours(24)), "24 h");
  EXPECT_EQ(simulate::span_text(std::chrono::hours(72)), "3 d");
  EXPECT_EQ(simulate::span_text(std::chrono::milliseconds(1900)), "1.9 s");
  EXPECT_EQ(simulate::span_text(std::chrono::seconds(90)), "90 s");
  EXPECT_EQ(simulate::span_text(std::chrono::seconds(0)), "0 ms");
  EXPECT_EQ(moment_text(kNine), "2026-11-24T09:00:00Z");
  EXPECT_EQ(simulate::minute_text(kNine, kNine, kNine + minutes(3)), "09:00");
}

}  // namespace
}  // namespace headgate::cli
