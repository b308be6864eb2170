// One key of many gateways: how many decisions need the store, and how the permits are shared. On a virtual clock.

#include "fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace headgate::limit {
namespace {

struct SharedKeyLoad {
  const char* rate;
  std::uint64_t burst;
  std::size_t gateways;
  std::size_t sharers;  ///< as each gateway assumes
  double a_second;      ///< requests, of all gateways together
};

/// Requests at random moments. Counts what each gateway admits, and fails if it was ever too much.
class SharedTraffic {
 public:
  SharedTraffic(Fleet& fleet, const Rule& rule, std::size_t gateways)
      : admitted(gateways), fleet_(fleet), rule_(rule) {}

  void drive(std::size_t gateway, double a_second, Duration at, Duration to) {
    at += Duration(1 + static_cast<std::int64_t>(std::exponential_distribution<>(a_second)(random_) * 1e6));
    if (at >= to) return;
    fleet_.at(at, [=, this] {
      ask(gateway);
      drive(gateway, a_second, at, to);
    });
  }
  void ask(std::size_t gateway, Fleet::Rejected rejected = {}) {
    fleet_.request(
        gateway, {test::make_check(rule_, "shared")}, [this, gateway] { note(gateway); }, std::move(rejected));
  }
  double all() const noexcept { return all_; }
  double per_second() const noexcept {
    return static_cast<double>(rule_.rate.count) / std::chrono::duration<double>(rule_.rate.period).count();
  }

  std::vector<std::uint64_t> admitted;

 private:
  void note(std::size_t gateway) {
    ++admitted[gateway];
    const double elapsed = std::chrono::duration<double>(fleet_.now()).count();
    EXPECT_LE(++all_, static_cast<double>(rule_.burst) + per_second() * elapsed + 1e-6) << "at " << elapsed << " s";
  }

  Fleet& fleet_;
  const Rule& rule_;
  std::mt19937 random_{11};
  double all_ = 0;
};

Rule shared_rule(const SharedKeyLoad& of) {
  Rule rule = test::make_rule(of.rate, of.burst);
  rule.leases = true;
  return rule;
}

TEST(SharedKey, IsDecidedWithoutTheStoreForFourOfFiveRequests) {
  const SharedKeyLoad keys[] = {{"100/second", 0, 20, 20, 1000},  {"100/second", 0, 20, 1, 1000},
                                {"100/second", 0, 40, 40, 1000},  {"100/second", 0, 40, 2, 1000},
                                {"100/second", 10, 20, 20, 1000}, {"100/second", 0, 20, 20, 2000},
                                {"100/second", 0, 20, 2, 500},    {"10/second", 0, 20, 20, 500}};
  for (const auto& of : keys) {
    const Rule rule = shared_rule(of);
    Fleet fleet(of.gateways, {}, 3, of.sharers);
    SharedTraffic traffic(fleet, rule, of.gateways);
    for (std::size_t g = 0; g < of.gateways; ++g)
      traffic.drive(g, of.a_second / static_cast<double>(of.gateways), 0s, 10s);
    fleet.run_until(3s);
    const auto before = fleet.total();
    fleet.run_until(10s);
    const auto calls = static_cast<double>(fleet.total().calls - before.calls);
    const double here = 1 - calls / static_cast<double>(fleet.total().asked - before.asked);
    const double most = static_cast<double>(rule.burst) + 10 * traffic.per_second();
    std::cout << of.rate << ", " << of.gateways << " gateways, sharers " << of.sharers << ", " << of.a_second
              << "/s: decided here " << 100 * here << " %, admitted " << 100 * traffic.all() / most << " %, least "
              << *std::ranges::min_element(traffic.admitted) << ", most " << *std::ranges::max_element(traffic.admitted)
              << '\n';
    EXPECT_GE(here, 0.8) << of.rate << " at " << of.gateways;
    EXPECT_GE(traffic.all(), 0.95 * most) << of.rate << " at " << of.gateways;
  }
}

TEST(SharedKey, IsSharedMoreEvenlyOnceGatewaysKnowHowManyTheyAre) {
  for (const SharedKeyLoad& of :
       {SharedKeyLoad{"100/second", 0, 20, 1, 1000}, SharedKeyLoad{"100/second", 0, 8, 1, 400},
        SharedKeyLoad{"6000/minute", 0, 20, 1, 1000}, SharedKeyLoad{"100/second", 5, 20, 1, 1000},
        SharedKeyLoad{"3600/hour", 2000, 20, 1, 500}}) {
    std::vector<double> here;
    std::vector<double> unevenness;
    std::vector<double> all;
    for (const bool known : {false, true}) {
      const Rule rule = shared_rule(of);
      Fleet fleet(of.gateways, {}, 3, of.sharers);
      SharedTraffic traffic(fleet, rule, of.gateways);
      for (std::size_t g = 0; g < of.gateways; ++g) {
        if (known) fleet.local(g).leases().reckon_with(static_cast<std::uint32_t>(of.gateways));
        traffic.drive(g, of.a_second / static_cast<double>(of.gateways), 0s, 20s);
      }
      fleet.run_until(20s);
      const auto tally = fleet.total();
      here.push_back(1 - static_cast<double>(tally.calls) / static_cast<double>(tally.asked));
      const auto [least, most] = std::ranges::minmax_element(traffic.admitted);
      unevenness.push_back(static_cast<double>(*most) / static_cast<double>(std::max<std::uint64_t>(*least, 1)));
      all.push_back(traffic.all());
    }
    std::cout << of.rate << ", burst " << of.burst << ", " << of.gateways << " gateways: decided here " << 100 * here[0]
              << " %, then " << 100 * here[1] << " %; most by least " << unevenness[0] << ", then " << unevenness[1]
              << "; admitted " << all[0] << ", then " << all[1] << '\n';
    EXPECT_LE(unevenness[1], unevenness[0]) << of.rate;
    EXPECT_GE(here[1], 0.8) << of.rate;
    EXPECT_GE(all[1], 0.99 * all[0]) << of.rate;
  }
}

/// A caller at each gateway, all of one key and in step.
TEST(SharedKey, IsFairToCallersThatPollInStep) {
  for (const auto pause : {20ms, 50ms})
    for (const std::size_t sharers : {1, 20}) {
      const SharedKeyLoad of{"10/second", 0, 20, sharers, 0};
      const Rule rule = shared_rule(of);
      Fleet fleet(of.gateways, {.lost = 0, .least_latency = 100us, .most_latency = 101us}, 3, of.sharers);
      SharedTraffic traffic(fleet, rule, of.gateways);
      for (Duration at = 0s; at < 20s; at += pause)
        for (std::size_t g = 0; g < of.gateways; ++g) fleet.at(at, [&traffic, g] { traffic.ask(g); });
      fleet.run_until(20s);
      for (const auto count : traffic.admitted) std::cout << count << ' ';
      std::cout << "at " << pause.count() << " ms, sharers " << sharers << ", calls " << fleet.total().calls << " of "
                << fleet.total().asked << '\n';
      EXPECT_GE(*std::ranges::min_element(traffic.admitted), 4U);
      EXPECT_LE(*std::ranges::max_element(traffic.admitted), 22U);
    }
}

/// The same, but each waits as it is told.
TEST(SharedKey, IsFairToCallersThatWaitAsToldInStep) {
  for (const std::size_t sharers : {1, 20}) {
    const SharedKeyLoad of{"10/second", 0, 20, sharers, 0};
    const Rule rule = shared_rule(of);
    Fleet fleet(of.gateways, {.lost = 0, .least_latency = 100us, .most_latency = 101us}, 3, of.sharers);
    SharedTraffic traffic(fleet, rule, of.gateways);
    std::vector<std::function<void()>> ask(of.gateways);
    std::vector<std::uint64_t> done(of.gateways);
    for (std::size_t g = 0; g < of.gateways; ++g) {
      ask[g] = [&, g] {
        fleet.request(
            g, {test::make_check(rule, "shared")},
            [&, g] {
              ++done[g];
              fleet.at(fleet.now() + 1ms, ask[g]);
            },
            [&, g](std::span<const Decision> decisions) {
              fleet.at(fleet.now() + std::chrono::ceil<std::chrono::milliseconds>(decisions[0].retry_after), ask[g]);
            });
      };
      fleet.at(0s, ask[g]);
    }
    fleet.run_until(80s);  // 40 for each; the moments that are told are random
    for (const auto count : done) std::cout << count << ' ';
    std::cout << "sharers " << sharers << ", calls " << fleet.total().calls << " of " << fleet.total().asked << '\n';
    EXPECT_GE(*std::ranges::min_element(done), 12U);
    EXPECT_LE(*std::ranges::max_element(done), 80U);
  }
}

}  // namespace
}  // namespace headgate::limit
