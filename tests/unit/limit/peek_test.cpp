// A peek answers what the next decision would, and changes nothing: in memory, and through leases and known rejections.

#include "support/rules.hpp"

#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/local.hpp"
#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::kStart;
using test::make_check;
using test::make_rule;

std::string said(bool all, std::span<const Decision> decisions) {
  std::string text = all ? "all agree:" : "rejected:";
  for (const Decision& d : decisions)
    text += " (" + std::to_string(d.allowed) + ' ' + std::to_string(d.limit) + ' ' + std::to_string(d.remaining) + ' ' +
            std::to_string(d.retry_after.count()) + ' ' + std::to_string(d.reset_after.count()) + ' ' +
            std::to_string(d.delay.count()) + ')';
  return text;
}

std::vector<Check> peek_of(std::vector<Check> checks) {
  for (auto& check : checks) check.peek = true;
  return checks;
}

Rule flights(std::uint64_t most) {
  Rule rule;
  rule.limit = "flights";
  rule.algorithm = &in_flight;
  rule.burst = most;
  rule.rate = {most, kFlightLease};
  name_rule(rule, false, PeriodInKey::no);
  return rule;
}

class Peek : public testing::Test {
 protected:
  /// Rules of every algorithm; some limits have two, as before and after a reload.
  static std::vector<Rule> every_rule() {
    std::vector<Rule> rules{flights(2), make_rule("3/second", 3, "waits", "leaky_bucket", 2s)};
    for (const auto* algorithm : algorithms()) {
      const std::string name(algorithm->name);
      rules.push_back(make_rule("5/second", 5, "small " + name, name));
      rules.push_back(make_rule("7/3s", 7, "odd " + name, name));
      rules.push_back(make_rule("4/second", 4, "changed", name));
    }
    return rules;
  }
  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  std::vector<Check> any_call(const std::vector<Rule>& rules, const std::vector<std::string>& keys) {
    static const std::vector<std::int64_t> costs{1, 1, 1, 1, 2, 3, 0, -1, 9};
    static const std::vector<How> hows{How::take, How::take, How::take, How::observe, How::charge, How::debt};
    std::vector<Check> checks;
    for (auto count = 1 + random_() % 3; count > 0; --count)
      checks.push_back(make_check(any_of(rules), any_of(keys), any_of(costs), any_of(hows)));
    return checks;
  }
  static std::string ask(MemoryStore& store, std::span<const Check> checks, Instant now) {
    std::vector<Decision> decisions(checks.size());
    const bool all = store.decide(checks, now, decisions);
    return said(all, decisions);
  }

  std::mt19937_64 random_{20261123};
};

TEST_F(Peek, InMemoryAnswersWhatTheNextDecisionDoesAndLeavesNoTrace) {
  const auto rules = every_rule();
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("caller-" + std::to_string(i));
  MemoryStore peeked({.max_keys = 200});  // fewer than there are keys of all rules: some are evicted
  MemoryStore plain({.max_keys = 200});
  Instant now = kStart;
  int rejected = 0;
  for (int step = 0; step < 10'000; ++step) {
    now += Duration(random_() % 40'000) - (step % 9 == 0 ? 20ms : 0ms);  // workers' clocks differ a little
    if (step % 2'000 == 1'999) now -= 11s;                               // and a clock is set back
    for (int i = 0; i < 2; ++i) ask(peeked, peek_of(any_call(rules, keys)), now + Duration(random_() % 5'000'000));
    const auto call = any_call(rules, keys);
    const auto told = ask(peeked, peek_of(call), now);
    ASSERT_EQ(told, ask(peeked, call, now)) << "step " << step;
    ASSERT_EQ(told, ask(plain, call, now)) << "step " << step;
    ASSERT_EQ(peeked.keys(), plain.keys());
    ASSERT_EQ(peeked.evicted_keys(), plain.evicted_keys());
    rejected += told.starts_with("rejected") ? 1 : 0;
  }
  EXPECT_GT(rejected, 1'000);
  EXPECT_GT(plain.evicted_keys(), 100U);
}

TEST_F(Peek, InMemoryCreatesNoKey) {
  MemoryStore store({.max_keys = 100});
  for (const auto& rule : every_rule()) ask(store, peek_of({make_check(rule, "caller")}), kStart);
  EXPECT_EQ(store.keys(), 0U);
}

TEST_F(Peek, OfACostOfNothingTellsWhatIsLeft) {
  MemoryStore store({.max_keys = 100});
  const auto rule = make_rule("10/minute");
  ask(store, std::array{make_check(rule, "caller", 4)}, kStart);
  const auto look = peek_of({make_check(rule, "caller", 0)});
  Decision decision;
  EXPECT_TRUE(store.decide(look, kStart, {&decision, 1}));
  EXPECT_EQ(decision.remaining, 6U);
  EXPECT_EQ(decision.reset_after, 24s);
}

/// One gateway with leases and known rejections over a store that answers at once.
struct OneGateway {
  Local local{{.sharers = 1}};
  MemoryStore store{{.max_keys = 1000}};
  std::uint64_t calls = 0;
  Moment now{1h};

  Instant wall() const { return kStart + std::chrono::duration_cast<Duration>(now.time_since_epoch()); }

  std::string ask(std::span<const Check> checks) {
    std::vector<Decision> decisions(checks.size());
    return said(decide(checks, decisions), decisions);
  }
  bool decide(std::span<const Check> checks, std::span<Decision> decisions) {
    if (const auto here = local.decide(checks, now, decisions)) return *here;
    PendingDecision pending(checks, decisions);
    auto step = local.begin(pending, now);
    if (step == Local::Step::check && local.leases().owes()) refunds_begin();
    while (step == Local::Step::check) {
      ++calls;
      refunds_end();
      const bool agreed = store.decide(pending.sent(), wall(), pending.told());
      step = local.end(pending, agreed ? Local::Answer::agreed : Local::Answer::rejected, now);
    }
    return step == Local::Step::allowed;
  }
  /// What happens in the background, between requests.
  void background() {
    Decision told;
    local.leases().sweep(now);
    give_back();
    while (const auto refill = local.leases().next_refill(now)) {
      const bool agreed = store.decide({&refill->check, 1}, wall(), {&told, 1});
      local.fetched(*refill, agreed ? Local::Answer::agreed : Local::Answer::rejected, told, now, now);
    }
  }
  void give_back() {
    refunds_begin();
    refunds_end();
  }
  /// Sends refunds. Their replies come with refunds_end(), or before that of the next call: a connection keeps the
  /// order.
  void refunds_begin() {
    while (const auto refund = local.leases().next_refund()) {
      Decision told;
      store.decide({&refund->check, 1}, wall(), {&told, 1});
      refunds_.emplace_back(*refund, told);
    }
  }
  void refunds_end() {
    for (const auto& [refund, told] : std::exchange(refunds_, {})) {
      local.given_back({&refund.check, 1});
      local.leases().refunded(refund.lease, &told);
    }
  }

 private:
  std::vector<std::pair<Leases::PendingRefill, Decision>> refunds_;
};

TEST_F(Peek, AnswersLikeTheNextDecisionThroughLeasesAndKnownRejectionsAndLeavesNoTrace) {
  auto leased = [](std::string_view rate, std::uint64_t burst, std::string limit, std::string_view algorithm) {
    auto rule = make_rule(rate, burst, std::move(limit), algorithm);
    rule.leases = true;
    return rule;
  };
  const std::vector<Rule> rules{
      leased("1000/second", 2000, "wide", "token_bucket"), leased("300/second", 100, "busy", "token_bucket"),
      leased("200/second", 50, "busy", "token_bucket"),  // after a reload
      leased("500/second", 500, "window", "fixed_window"), make_rule("50/second", 50, "log", "sliding_log")};
  OneGateway peeked;
  OneGateway plain;
  std::uint64_t peeks_sent = 0;
  std::size_t rejected = 0;
  for (int step = 0; step < 15'000; ++step) {
    const auto pause = Duration(random_() % 1'500);
    peeked.now = plain.now += pause;
    peeked.background();
    plain.background();
    static const std::vector<std::int64_t> costs{1, 1, 1, 2, 5, 0};
    std::vector<Check> call{
        make_check(rules[step / 5'000 == 1 && random_() % 3 == 1 ? 2 : random_() % 2], "busy one", any_of(costs))};
    if (random_() % 3 == 0) call.push_back(make_check(rules[3 + random_() % 2], "busy one", any_of(costs)));
    const auto sent = peeked.calls;
    const auto told = peeked.ask(peek_of(call));
    peeks_sent += peeked.calls - sent;
    const auto here = plain.ask(call);
    // A look at a cost of nothing also tells what is held here, which a decision does not.
    const bool looks = std::ranges::any_of(call, [](const Check& check) { return check.cost == 0; });
    ASSERT_EQ(peeked.ask(call), here) << "step " << step;
    ASSERT_EQ(looks ? told.substr(0, 9) : told, looks ? here.substr(0, 9) : here) << "step " << step;
    rejected += told.starts_with("rejected") ? 1U : 0U;
  }
  EXPECT_EQ(peeked.local.leased(), plain.local.leased());
  EXPECT_EQ(peeked.local.rejected(), plain.local.rejected());
  EXPECT_EQ(peeked.calls - peeks_sent, plain.calls);
  EXPECT_GT(plain.local.leased(), 2'000U);
  EXPECT_GT(plain.local.rejected(), 300U);
  EXPECT_GT(rejected, 1'000U);
}

TEST_F(Peek, CountsPermitsOfAnExpiredLeaseThatTheNextDecisionGivesBackFirst) {
  auto rule = make_rule("300/minute", 300, "busy");
  rule.leases = true;
  OneGateway gateway;
  auto swept = gateway.now;
  int compared = 0;
  for (int step = 0; step < 20'000; ++step) {
    // Busy for a while, then quiet for about the life of a lease.
    gateway.now += step % 150 < 140 ? Duration(random_() % 20'000) : Duration(random_() % 250'000);
    if (gateway.now - swept >= Leases::kSweep) {
      gateway.background();
      swept = gateway.now;
    }
    const std::vector<Check> call{make_check(rule, "busy one", 1 + static_cast<std::int64_t>(random_() % 3))};
    const auto told = gateway.ask(peek_of(call));
    const auto owed_then = gateway.local.leases().owes();
    EXPECT_FALSE(owed_then) << "a peek has given it back";
    ASSERT_EQ(told, gateway.ask(call)) << "step " << step;
    ++compared;
  }
  EXPECT_GT(gateway.local.leased(), 1'000U);
}

TEST_F(Peek, CountsPermitsThatGoBackBetweenItAndTheDecision) {
  auto rule = make_rule("3000/hour", 3000, "busy");
  rule.leases = true;
  OneGateway gateway;
  auto swept = gateway.now;
  int ends = 0;
  for (int step = 0; step < 60'000; ++step) {
    // Busy for a while, then quiet for about the life of a lease. The decision comes up to some milliseconds later.
    gateway.now += step % 150 < 140 ? Duration(random_() % 20'000) : Duration(random_() % 250'000);
    if (step % 1'000 == 999) gateway.now += 1h;
    if (gateway.now - swept >= Leases::kSweep) {
      gateway.background();
      swept = gateway.now;
    }
    const std::vector<Check> call{make_check(rule, "busy one")};
    Decision told;
    Decision next;
    gateway.decide(peek_of(call), {&told, 1});
    const auto held = gateway.local.leases().held(call[0].hash, gateway.now);
    gateway.now += Duration(random_() % 30'000);
    if (random_() % 3 == 0) {
      gateway.local.leases().sweep(gateway.now);
      gateway.refunds_begin();
      swept = gateway.now;
    }
    const auto still = gateway.local.leases().held(call[0].hash, gateway.now);
    gateway.decide(call, {&next, 1});
    ends += still > 0 && still < held ? 1 : 0;
    ASSERT_EQ(told.allowed, next.allowed) << "step " << step;
    ASSERT_GE(next.remaining, told.remaining)
        << "step " << step << ": of " << held << " held, " << still << " are left";
    ASSERT_LE(next.remaining, told.remaining + 1) << "step " << step << ": not quite one comes back in a second";
    gateway.refunds_end();
  }
  EXPECT_GT(ends, 20) << "the older of two batches ended between the two";
}

TEST_F(Peek, OfACostOfNothingAlsoCountsWhatALeaseHolds) {
  auto rule = make_rule("1000/second", 1000, "wide");
  rule.leases = true;
  OneGateway gateway;
  std::vector<Check> call{make_check(rule, "busy one")};
  Decision last;
  for (int i = 0; i < 500; ++i) {
    gateway.now += 1ms;
    gateway.background();
    gateway.decide(call, {&last, 1});
  }
  ASSERT_GT(gateway.local.leased(), 100U);
  const auto held = gateway.local.leases().held(call[0].hash, gateway.now);
  ASSERT_GT(held, 0);
  const auto look = peek_of({make_check(rule, "busy one", 0)});
  Decision now;
  gateway.decide(look, {&now, 1});
  Decision in_store;
  gateway.store.decide(look, gateway.wall(), {&in_store, 1});
  EXPECT_EQ(now.remaining, std::min<std::uint64_t>(1000, in_store.remaining + static_cast<std::uint64_t>(held)));
}

}  // namespace
}  // namespace headgate::limit
