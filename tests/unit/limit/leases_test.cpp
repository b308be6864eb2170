#include "fleet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace headgate::limit {
namespace {

using test::make_rule;

Rule leased_rule(std::string_view rate, std::uint64_t burst = 0, std::string name = "plan",
                 std::string_view algorithm = "token_bucket") {
  Rule rule = make_rule(rate, burst, std::move(name), algorithm);
  rule.leases = true;
  return rule;
}

Check ask_for(const Rule& rule, std::string_view key, std::int64_t cost = 1) {
  return {.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .cost = cost};
}

/// Counts what was allowed for one key, and fails if it was ever too much.
class Witness {
 public:
  Witness(const Fleet& fleet, const Rule& rule) : fleet_(fleet), rule_(rule), level_(most()) {}

  void admitted(std::int64_t cost) {
    total_ += static_cast<double>(cost);
    const double at = std::chrono::duration<double>(fleet_.now()).count();
    EXPECT_LE(total_, static_cast<double>(rule_.burst) + a_second() * at + 1e-6) << "at " << at << " s";
    // And over every interval: at most what a bucket holds that is larger by the refill of a second and a call.
    level_ = std::min(most(), level_ + a_second() * (at - seen_));
    seen_ = at;
    level_ -= static_cast<double>(cost);
    EXPECT_GE(level_, -1e-6) << "at " << at << " s";
  }
  double total() const noexcept { return total_; }

 private:
  double a_second() const {
    return static_cast<double>(rule_.rate.count) / std::chrono::duration<double>(rule_.rate.period).count();
  }
  double most() const { return static_cast<double>(rule_.burst) + a_second() * 1.05; }

  const Fleet& fleet_;
  const Rule& rule_;
  double total_ = 0;
  double seen_ = 0;
  double level_;
};

/// `a_second` requests of `cost` of one key at one gateway, at random moments.
void drive(Fleet& fleet, std::size_t gateway, const Rule& rule, std::string_view key, double a_second, Duration from,
           Duration to, std::function<void()> admitted, unsigned seed, std::int64_t cost = 1) {
  auto random = std::make_shared<std::mt19937>(seed);
  auto next = std::make_shared<std::function<void()>>();
  const auto pause = [random, a_second] {
    return Duration(1 + static_cast<std::int64_t>(std::exponential_distribution<>(a_second)(*random) * 1e6));
  };
  *next = [&fleet, gateway, &rule, key, to, admitted, pause, cost, self = std::weak_ptr(next)] {
    if (fleet.now() >= to) return;
    fleet.request(gateway, {ask_for(rule, key, cost)}, admitted);
    if (const auto again = self.lock()) fleet.at(fleet.now() + pause(), [again] { (*again)(); });
  };
  fleet.at(from + pause(), [next] { (*next)(); });
}

double share_decided_here(const Tally& tally) {
  return 1 - static_cast<double>(tally.calls) / static_cast<double>(tally.asked);
}

TEST(Leases, DecideNineteenOfTwentyRequestsOfAHotKeyHere) {
  const Rule rule = leased_rule("10000/second");
  Fleet fleet(4, {});
  Witness witness(fleet, rule);
  for (unsigned g = 0; g < 4; ++g)
    drive(
        fleet, g, rule, "hot", 500, 0s, 10s, [&] { witness.admitted(1); }, g);
  fleet.run_until(10s);
  EXPECT_GE(share_decided_here(fleet.total()), 0.95);
  EXPECT_EQ(fleet.total().rejected, 0U);
  RecordProperty("decided_here", std::to_string(share_decided_here(fleet.total())));
}

TEST(Leases, DecideAsMuchOfALargeBudgetHere) {
  constexpr std::int64_t kCost = 1'000'000'000;
  const Rule rule = leased_rule("10000000000000/second");
  Fleet fleet(4, {});
  Witness witness(fleet, rule);
  for (unsigned g = 0; g < 4; ++g)
    drive(
        fleet, g, rule, "hot", 500, 0s, 10s, [&] { witness.admitted(kCost); }, g, kCost);
  fleet.run_until(10s);
  EXPECT_GE(share_decided_here(fleet.total()), 0.95);
  EXPECT_EQ(fleet.total().rejected, 0U);
}

TEST(Leases, DecideMostOfASpentHotKeyHere) {
  const Rule rule = leased_rule("1000/second", 100);
  Fleet fleet(4, {});
  Witness witness(fleet, rule);
  for (unsigned g = 0; g < 4; ++g)
    drive(
        fleet, g, rule, "hot", 5000, 0s, 10s, [&] { witness.admitted(1); }, g);
  fleet.run_until(10s);
  EXPECT_GE(share_decided_here(fleet.total()), 0.95);
  EXPECT_GE(witness.total(), 0.97 * 10'000) << "and withhold next to nothing";
}

TEST(Leases, SpareTheStoreIfALargeLimitIsSpent) {
  const Rule rule = leased_rule("20000/second", 20'000);
  Fleet fleet(1, {.lost = 0, .least_latency = 40us, .most_latency = 60us});
  Witness witness(fleet, rule);
  drive(
      fleet, 0, rule, "hot", 50'000, 0s, 4s, [&] { witness.admitted(1); }, 1);
  fleet.run_until(3s);
  const auto before = fleet.total().calls;
  fleet.run_until(4s);
  EXPECT_LE(fleet.total().calls - before, 400U) << "in a second, in which 50000 ask and 20000 come back";
  EXPECT_GE(witness.total(), 0.98 * 100'000);
}

TEST(Leases, WithholdAlmostNothingOfSteadyTraffic) {
  const Rule rule = leased_rule("2000/second", 2000);
  Fleet fleet(4, {});
  Witness witness(fleet, rule);
  const std::array<std::string, 3> keys{"one", "two", "three"};
  std::vector<std::unique_ptr<Witness>> witnesses;
  for (unsigned k = 0; k < keys.size(); ++k) {
    witnesses.push_back(std::make_unique<Witness>(fleet, rule));
    for (unsigned g = 0; g < 4; ++g)
      drive(
          fleet, g, rule, keys[k], 60 * (k + 1), 0s, 10s, [w = witnesses.back().get()] { w->admitted(1); }, g + 10 * k);
  }
  fleet.run_until(10s);
  const auto before = fleet.total();
  fleet.run_until(12s);
  const auto after = fleet.total();
  const double stranded = static_cast<double>(before.refunded) / static_cast<double>(before.taken);
  std::cout << "stranded under way: " << 100 * stranded << " %, decided here: " << 100 * share_decided_here(before)
            << " %\n";
  EXPECT_LE(stranded, 0.05);
  EXPECT_EQ(after.taken, after.refunded + after.admitted) << "and in the end all of it is given back";
}

TEST(Leases, NeverAdmitOneTooManyWhateverGetsLost) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const Rule rule = leased_rule("300/second", 100 * seed);
    Fleet fleet(3, {.lost = 0.02, .least_latency = 100us, .most_latency = 30ms}, seed);
    std::vector<std::unique_ptr<Witness>> witnesses;
    const std::array<std::string, 3> keys{"one", "two", "three"};
    for (unsigned k = 0; k < keys.size(); ++k) {
      witnesses.push_back(std::make_unique<Witness>(fleet, rule));
      for (unsigned g = 0; g < 3; ++g)
        for (unsigned burst = 0; burst < 4; ++burst)  // a second and a half of requests, a second of silence
          drive(
              fleet, g, rule, keys[k], 50 * std::pow(4, k), burst * 2500ms, burst * 2500ms + 1500ms,
              [w = witnesses.back().get()] { w->admitted(1); }, seed * 100 + g * 10 + k + burst * 1000);
    }
    fleet.run_until(12s);
    const auto total = fleet.total();
    EXPECT_GT(total.admitted, 1000U);
    EXPECT_GT(total.rejected, 100U);
    EXPECT_GT(total.unanswered, 0U);
    EXPECT_GT(total.refunded, 0U);
  }
}

TEST(Leases, CarryNothingOverTheEndOfAWindow) {
  for (const auto* rate : {"700/second", "2000/3s", "6000/10s"}) {
    const Rule rule = leased_rule(rate, 0, "plan", "fixed_window");
    Fleet fleet(3, {.lost = 0.01, .least_latency = 100us, .most_latency = 10ms});
    std::map<std::int64_t, std::uint64_t> admitted;  // by window
    const auto count = [&] { ++admitted[(test::kStart + fleet.now()).time_since_epoch() / rule.rate.period]; };
    for (unsigned g = 0; g < 3; ++g)
      for (int burst = 0; burst < 6; ++burst)  // with pauses in which leases are given back or dropped
        drive(fleet, g, rule, "hot", 500, burst * 2s, burst * 2s + 1600ms, count,
              g + 10U * static_cast<unsigned>(burst));
    fleet.run_until(15s);
    std::uint64_t most = 0;
    for (const auto& [window, requests] : admitted) {
      EXPECT_LE(requests, rule.rate.count) << rate;
      most = std::max(most, requests);
    }
    EXPECT_GE(most, rule.rate.count * 95 / 100) << rate << ": and next to nothing is withheld";
    EXPECT_GE(share_decided_here(fleet.total()), 0.9) << rate;
  }
}

TEST(Leases, AreNotTakenForAColdKey) {
  const Rule rule = leased_rule("10000/second");
  Fleet fleet(1, {});
  for (int i = 0; i < 300; ++i) fleet.at(i * 150ms, [&] { fleet.request(0, {ask_for(rule, "cold")}, {}); });
  fleet.run_until(50s);
  EXPECT_EQ(fleet.total().calls, 300U);
  EXPECT_EQ(fleet.total().taken, 300U);
}

TEST(Leases, AreNotTakenForARuleWithoutLeasesOrWithAWait) {
  Rule rule = make_rule("10000/second");
  Rule waits = leased_rule("10000/second", 0, "waits");
  waits.wait = 1s;
  Fleet fleet(1, {});
  for (int i = 0; i < 1000; ++i)
    fleet.at(i * 1ms, [&] {
      fleet.request(0, {ask_for(rule, "hot")}, {});
      fleet.request(0, {ask_for(waits, "hot")}, {});
    });
  fleet.run_until(2s);
  EXPECT_EQ(fleet.total().calls, 2000U);
}

TEST(Leases, RejectNobodyBecauseOfExtraPermits) {
  // Few permits are left and many requests come. Extra permits must never cause a rejection.
  const Rule rule = leased_rule("1/day", 1000);
  Fleet fleet(3, {});
  Witness witness(fleet, rule);
  for (unsigned g = 0; g < 3; ++g)
    drive(
        fleet, g, rule, "hot", 400, 0s, 4s, [&] { witness.admitted(1); }, g);
  fleet.run_until(8s);
  EXPECT_EQ(witness.total(), 1000);
}

TEST(Leases, GiveBackAllOfItAtTheEnd) {
  const Rule rule = leased_rule("1/day", 10'000);
  Fleet fleet(2, {});
  Witness witness(fleet, rule);
  for (unsigned g = 0; g < 2; ++g)
    drive(
        fleet, g, rule, "hot", 300, 0s, 3s, [&] { witness.admitted(1); }, g);
  fleet.run_until(2500ms);
  for (unsigned g = 0; g < 2; ++g) fleet.stop(g);
  fleet.run_until(6s);
  Decision decision;
  const Check look = ask_for(rule, "hot", 0);
  fleet.store().decide({&look, 1}, test::kStart + fleet.now(), {&decision, 1});
  EXPECT_EQ(decision.remaining, 10'000 - static_cast<std::uint64_t>(witness.total()));
}

TEST(Leases, ReportWhatIsLeftHereAndInTheStore) {
  const Rule rule = leased_rule("1/day", 10'000);
  Fleet fleet(1, {});
  for (int i = 0; i < 500; ++i) fleet.at(i * 2ms, [&] { fleet.request(0, {ask_for(rule, "hot")}, {}); });
  fleet.run_until(998ms + 1ms);
  auto& local = fleet.local(0);
  const Check check = ask_for(rule, "hot");
  Decision decision;
  const auto here = local.decide({&check, 1}, Moment(1h + fleet.now()), {&decision, 1});
  ASSERT_EQ(here, true);
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.limit, 10'000U);
  EXPECT_EQ(decision.remaining, 10'000U - 501U);
  EXPECT_GT(decision.reset_after, 24h);
}

TEST(Leases, PutBackPermitsIfAnotherRuleRejects) {
  const Rule rule = leased_rule("1/day", 10'000);
  const Rule other = make_rule("1/day", 50, "other");
  Fleet fleet(1, {});
  std::uint64_t both = 0;
  std::uint64_t one = 0;
  for (int i = 0; i < 400; ++i)
    fleet.at(i * 2ms, [&, i] {
      fleet.request(0, {ask_for(rule, "hot")}, [&] { ++one; });
      const std::string key = std::to_string(i % 2);
      if (i % 2 == 0) fleet.request(0, {ask_for(rule, "hot"), ask_for(other, "strict", 1 + i % 3)}, [&] { ++both; });
    });
  fleet.run_until(5s);
  EXPECT_GT(both, 20U);
  EXPECT_LT(both, 50U);
  Decision decision;
  const Check look = ask_for(rule, "hot", 0);
  fleet.store().decide({&look, 1}, test::kStart + fleet.now(), {&decision, 1});
  EXPECT_EQ(decision.remaining, 10'000U - one - both) << "all or nothing";
}

TEST(Leases, TakePermitsBackFromACallThatTookLongerThanTheyWereLeased) {
  const Rule rule = leased_rule("1/day", 10'000);
  Fleet fleet(1, {});
  constexpr int kRequests = 10;  // enough for a lease, and half a second later too few for the next one
  for (int i = 0; i < kRequests; ++i) fleet.at(i * 80ms, [&] { fleet.request(0, {ask_for(rule, "warm")}, {}); });
  fleet.run_until(1500ms);
  ASSERT_GT(fleet.local(0).leases().held(ask_for(rule, "warm").hash, Moment(1h + fleet.now())), 0);
  fleet.slow_down(1s);
  fleet.request(0, {ask_for(rule, "warm", 9'995)}, [] { ADD_FAILURE() << "there are fewer"; });
  fleet.run_until(10s);
  Decision decision;
  const Check look = ask_for(rule, "warm", 0);
  fleet.store().decide({&look, 1}, test::kStart + fleet.now(), {&decision, 1});
  EXPECT_EQ(decision.remaining, 10'000U - kRequests);
}

TEST(Leases, EndWithTheSizeOfTheirLimit) {
  const Rule before = leased_rule("1/day", 10'000);
  Rule after = before;
  after.burst = 20'000;
  Fleet fleet(1, {});
  std::uint64_t admitted = 0;
  for (int i = 0; i < 300; ++i)
    fleet.at(i * 2ms, [&] { fleet.request(0, {ask_for(before, "hot")}, [&] { ++admitted; }); });
  fleet.run_until(600ms);
  ASSERT_GT(fleet.local(0).leases().held(ask_for(before, "hot").hash, Moment(1h + fleet.now())), 0);
  fleet.request(0, {ask_for(after, "hot")}, {});
  fleet.run_until(800ms);
  EXPECT_EQ(fleet.local(0).leases().held(ask_for(before, "hot").hash, Moment(1h + fleet.now())), 0);
  EXPECT_EQ(fleet.total().taken, fleet.total().refunded + admitted + 1);
}

TEST(Leases, HoldNoMoreKeysThanTheyMay) {
  const Rule rule = leased_rule("1000/second");
  Leases leases({.sharers = 1, .max_keys = 64, .max_leases = 3});
  const Moment now(1h);
  int begun = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string key = std::to_string(i);
    const Check check = ask_for(rule, key);
    for (int times = 0; times < 100; ++times) leases.count(check, now);
    Decision decision{.allowed = true, .limit = 1000, .remaining = 1000};
    leases.told(check, decision);
    const auto look = leases.look(check, now);
    if (look.state != Leases::LeaseState::worth) continue;
    const auto id = leases.begin(check, now);
    if (id == Leases::kNone) continue;
    ++begun;
    leases.granted(id, look.ahead, decision, now);
    leases.ended(id);
  }
  EXPECT_EQ(begun, 3);
  leases.end_all(now);
  int refunds = 0;
  while (const auto refill = leases.next_refund()) {
    ++refunds;
    EXPECT_EQ(refill->check.cost, -50) << "half a second of a hundred";
    leases.refunded(refill->lease);
  }
  EXPECT_EQ(refunds, 3);
  leases.sweep(now);
  EXPECT_TRUE(leases.empty());
}

}  // namespace
}  // namespace headgate::limit
