// Spent keys, or nearly spent ones: gateways with several workers and one store, on a virtual clock. Every permit can
// be used, nobody is rejected whom the store would allow, and yet the store gets few calls.

#include "fleet.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headgate::limit {
namespace {

using test::make_rule;

Rule leased(std::string_view rate, std::uint64_t burst = 0, std::string_view algorithm = "token_bucket") {
  Rule rule = make_rule(rate, burst, "plan", algorithm);
  rule.leases = true;
  return rule;
}

/// `a_second` requests of one key at one gateway, at random moments, each with a cost from `costs`.
struct Traffic {
  Traffic(Fleet& in, const Rule& of) : fleet(in), rule(of) {}

  void drive(std::size_t gateway, double a_second, Duration from, Duration to) { next(gateway, a_second, from, to); }
  void next(std::size_t gateway, double a_second, Duration from, Duration to) {
    const auto at =
        from + Duration(1 + static_cast<std::int64_t>(std::exponential_distribution<>(a_second)(random) * 1e6));
    if (at >= to) return;
    fleet.at(at, [=, this] {
      const auto cost = costs[random() % costs.size()];
      fleet.request(gateway, {test::make_check(rule, "hot", cost)}, [this, cost] { note(cost); });
      next(gateway, a_second, at, to);
    });
  }
  /// Fails if more was allowed than a bucket can hold that was full at the beginning.
  void note(std::int64_t cost) {
    admitted += static_cast<double>(cost);
    const double elapsed = std::chrono::duration<double>(fleet.now()).count();
    EXPECT_LE(admitted, static_cast<double>(rule.burst) + back() * elapsed + 1e-6) << "at " << elapsed << " s";
  }
  double back() const {
    return static_cast<double>(rule.rate.count) / std::chrono::duration<double>(rule.rate.period).count();
  }

  Fleet& fleet;
  const Rule& rule;
  std::vector<std::int64_t> costs{1};
  std::mt19937 random{5};
  double admitted = 0;
};

double share_decided_here(const Tally& before, const Tally& after) {
  return 1 - static_cast<double>(after.calls - before.calls) / static_cast<double>(after.asked - before.asked);
}

TEST(Saturated, KeysAreDecidedHereForNineteenOfTwentyRequests) {
  // 2000 requests a second at two gateways with two workers each; 500 permits a second come back.
  const Rule rule = leased("500/second", 1000);
  Fleet fleet(4, {});
  Traffic traffic(fleet, rule);
  for (std::size_t g = 0; g < 4; ++g) traffic.drive(g, 500, 0s, 20s);
  fleet.run_until(3s);
  const auto before = fleet.total();
  fleet.run_until(20s);
  const auto share = share_decided_here(before, fleet.total());
  std::cout << "decided here: " << 100 * share << " %, let through: " << traffic.admitted << " of 11000\n";
  EXPECT_GE(share, 0.97);
  EXPECT_GE(traffic.admitted, 0.99 * 11'000) << "and next to nothing is withheld";
}

TEST(Saturated, KeysAreDecidedHereWhateverTheRateTheSharersAndTheCosts) {
  struct Row {
    const char* rate;
    std::uint64_t burst;
    std::size_t workers;
    double a_second;
    std::vector<std::int64_t> costs;
  };
  const std::vector<Row> rows = {{"1000/second", 100, 4, 5000, {1}}, {"100/second", 100, 4, 400, {1}},
                                 {"50/second", 50, 1, 400, {1}},     {"50/second", 5, 8, 1600, {1}},
                                 {"200/second", 20, 2, 1000, {1}},   {"300/second", 300, 2, 1000, {1, 2, 3}},
                                 {"5/second", 5, 2, 400, {1}},       {"10000/second", 5000, 2, 10'000, {1, 10}}};
  for (const auto& row : rows) {
    const Rule rule = leased(row.rate, row.burst);
    Fleet fleet(row.workers, {});
    Traffic traffic(fleet, rule);
    traffic.costs = row.costs;
    for (std::size_t g = 0; g < row.workers; ++g)
      traffic.drive(g, row.a_second / static_cast<double>(row.workers), 0s, 10s);
    fleet.run_until(2s);
    const auto before = fleet.total();
    fleet.run_until(10s);
    const auto share = share_decided_here(before, fleet.total());
    const double all = static_cast<double>(rule.burst) + traffic.back() * 10;
    std::cout << row.rate << " at " << row.workers << ": decided here " << 100 * share << " %, let through "
              << 100 * traffic.admitted / all << " %\n";
    EXPECT_GE(share, 0.95) << row.rate << " at " << row.workers << " workers";
    EXPECT_GE(traffic.admitted, 0.97 * all) << row.rate << " at " << row.workers << " workers";
  }
}

TEST(Saturated, KeysAreRejectedHereOnlyIfTheStoreWouldRejectThem) {
  for (const auto* rate : {"500/second", "60/second", "10/second"}) {
    const Rule rule = leased(rate, 20);
    Fleet fleet(4, {});
    std::uint64_t rejected = 0;
    std::uint64_t wrongly = 0;
    fleet.rejected_here = [&](std::span<const Check> checks) {
      Check look = checks[0];
      look.cost = 0;
      Decision decision;
      fleet.store().decide({&look, 1}, test::kStart + fleet.now(), {&decision, 1});
      ++rejected;
      wrongly += decision.remaining >= static_cast<std::uint64_t>(checks[0].cost) ? 1 : 0;
    };
    Traffic traffic(fleet, rule);
    for (std::size_t g = 0; g < 4; ++g) traffic.drive(g, 300, 0s, 10s);
    fleet.run_until(10s);
    EXPECT_GT(rejected, 1000U);
    EXPECT_LE(wrongly, rejected / 1000) << rate << ": but for what was given back elsewhere a moment ago";
  }
}

TEST(Saturated, KeysLeaveAShareToAWorkerWithFewRequests) {
  const Rule rule = leased("100/second", 100);
  Fleet fleet(2, {});
  Traffic busy(fleet, rule);
  busy.drive(0, 1000, 0s, 20s);
  std::uint64_t asked = 0;
  std::uint64_t admitted = 0;
  for (Duration at = 5s; at < 20s; at += 103ms)
    fleet.at(at, [&] {
      ++asked;
      fleet.request(1, {test::make_check(rule, "hot")}, [&] { ++admitted; });
    });
  fleet.run_until(21s);
  EXPECT_GE(admitted, asked / 2) << "ten a second of fifty that are its share";
}

TEST(Saturated, BudgetsAreGrantedToTheLastPermitWithoutARejectionBefore) {
  // One after the other, as fast as they are answered: no request is rejected while anything is left.
  for (const auto* algorithm : {"token_bucket", "fixed_window"})
    for (const std::size_t workers : {1, 2, 4})
      for (const char* rate : {"50/hour", "1000/hour", "20/day", "4/hour", "300/minute"}) {
        const Rule rule = leased(rate, 0, algorithm);
        Fleet fleet(workers, {});
        std::uint64_t admitted = 0;
        std::uint64_t rejected = 0;
        for (std::uint64_t i = 0; i < rule.burst + 5; ++i) {
          fleet.request(
              i % workers, {test::make_check(rule, "hot")}, [&] { ++admitted; },
              [&](std::span<const Decision> decisions) {
                ++rejected;
                EXPECT_EQ(decisions[0].remaining, 0U);
              });
          fleet.run_until(fleet.now() + 1ms);
          if (i + 1 == rule.burst && workers == 1) {
            EXPECT_EQ(rejected, 0U) << rate << ' ' << algorithm;
          }
        }
        if (workers == 1 || rule.burst <= 50) {
          EXPECT_GE(admitted, rule.burst) << rate << ' ' << algorithm << " at " << workers;
        }
      }
}

TEST(Saturated, CostsAreTakenFromTheLeaseAndTheStoreTogether) {
  const Rule rule = leased("1000/day");
  Fleet fleet(1, {});
  std::int64_t admitted = 0;
  std::int64_t rejected = 0;
  std::mt19937 random(3);
  for (int i = 0; i < 1000 && rejected == 0; ++i) {
    const auto cost = static_cast<std::int64_t>(1 + random() % 7);
    const std::int64_t left = 1000 - admitted;
    fleet.request(
        0, {test::make_check(rule, "hot", cost)}, [&] { admitted += cost; },
        [&](std::span<const Decision>) {
          rejected += cost;
          EXPECT_LT(left, cost);
        });
    fleet.run_until(fleet.now() + 2ms);
  }
  EXPECT_GT(rejected, 0);
  EXPECT_GT(admitted, 1000 - 7);
}

TEST(Saturated, KeysGiveBackWhatWasReservedAndNotUsed) {
  const Rule rule = leased("500/second", 100);
  Fleet fleet(2, {});
  Traffic traffic(fleet, rule);
  for (std::size_t g = 0; g < 2; ++g) traffic.drive(g, 1000, 0s, 3s);
  fleet.run_until(3s);
  for (std::size_t g = 0; g < 2; ++g) fleet.stop(g);
  fleet.run_until(3s + 100ms);
  const auto total = fleet.total();
  EXPECT_EQ(static_cast<double>(total.taken), static_cast<double>(total.refunded) + traffic.admitted);
  EXPECT_TRUE(fleet.local(0).leases().held(test::make_check(rule, "hot").hash, Moment(1h + fleet.now())) == 0);
}

TEST(Saturated, KeysNeverGrantTooManyWithMoreSharersThanConfigured) {
  const Rule rule = leased("400/second", 50);
  Fleet fleet(6, {.lost = 0.01, .least_latency = 100us, .most_latency = 5ms}, 3, 2);
  Traffic traffic(fleet, rule);
  for (std::size_t g = 0; g < 6; ++g) traffic.drive(g, 200, 0s, 10s);
  fleet.run_until(12s);
  EXPECT_GE(traffic.admitted, 0.9 * 4050);
}

}  // namespace
}  // namespace headgate::limit
