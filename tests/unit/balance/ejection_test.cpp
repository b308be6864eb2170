// Ejection on a virtual clock: single rules, and what holds for every history.

#include "headgate/balance/ejection.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::balance {
namespace {

using namespace std::chrono_literals;
using What = EjectChange::What;
using Steady = Ejection::Steady;

constexpr auto kPace = 250ms;

ServerResults answers(std::uint32_t count, Duration took = 10ms) {
  ServerResults out;
  out.asked = out.settled = count;
  out.ended[static_cast<std::size_t>(AttemptOutcome::answered)] = count;
  if (count > 0) out.latencies.add(latency_bucket(took), count);
  return out;
}
ServerResults failures(std::uint32_t count, AttemptOutcome outcome = AttemptOutcome::server_error) {
  ServerResults out;
  out.asked = out.settled = count;
  out.ended[static_cast<std::size_t>(outcome)] = count;
  return out;
}
ServerResults hanging(std::uint32_t count) {
  ServerResults out;
  out.asked = count;
  return out;
}

class Machine {
 public:
  explicit Machine(std::size_t servers, const EjectOptions& options = {})
      : ejection(options, servers), servers_(servers) {}
  /// One step. The server that is to be tried gets a request, which ends as `trial` says.
  std::vector<EjectChange> step(std::vector<ServerResults> happened, std::optional<bool> trial = std::nullopt) {
    happened.resize(servers_);
    now += kPace;
    std::vector<EjectChange> changes;
    bool taken = false;
    if (const auto at = ejection.trial(); at && trial) {
      taken = true;
      (*trial ? happened[*at].trials_passed : happened[*at].trials_failed) = 1;
      happened[*at].trial_took = 10ms;
    }
    ejection.step(now, happened, taken, changes);
    all.insert(all.end(), changes.begin(), changes.end());
    return changes;
  }
  /// Steps for so long; every time the same happens.
  void during(Duration time, const std::vector<ServerResults>& happened, std::optional<bool> trial = std::nullopt) {
    for (const auto until = now + time; now < until;) step(happened, trial);
  }
  std::size_t out() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < servers_; ++i) count += ejection.ejected(i) ? 1 : 0;
    return count;
  }

  Ejection ejection;
  Steady now{1h};
  std::vector<EjectChange> all;

 private:
  std::size_t servers_;
};

TEST(Ejection, TakesThreeFailuresInARowWhileAPeerIsBetter) {
  Machine two(2);
  two.step({answers(1), failures(2)});
  EXPECT_EQ(two.out(), 0U);
  two.step({answers(1), failures(1)});
  EXPECT_TRUE(two.ejection.ejected(1));
  EXPECT_EQ(two.ejection.reason(1), EjectReason::failing);
  EXPECT_EQ(two.all.front().time, Duration(5s));
}

TEST(Ejection, AnAnswerBetweenTwoFailuresEndsTheRow) {
  Machine two(2);
  for (int i = 0; i < 9; ++i) two.step({answers(9), i % 2 == 0 ? failures(2) : answers(9)});
  EXPECT_EQ(two.out(), 0U);
}

TEST(Ejection, TakesAShareOfFailuresOfEnoughOutcomes) {
  Machine two(2);
  auto half = answers(2);
  half.ended[static_cast<std::size_t>(AttemptOutcome::server_error)] = 2;
  two.during(1s, {answers(4), half});
  EXPECT_EQ(two.out(), 0U) << "16 outcomes are too few";
  two.step({answers(4), half});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::errors);
}

TEST(Ejection, CountsAnAnswerThatBreaksOffAsAFailure) {
  Machine two(2);
  auto breaks = answers(2);
  breaks.late = 2;
  two.during(2s, {answers(2), breaks});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::errors);
}

TEST(Ejection, SaysWhenNothingCouldBeConnectedTo) {
  Machine two(2);
  two.step({answers(5), failures(3, AttemptOutcome::no_connection)});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::unreachable);
}

TEST(Ejection, IsSilentWhoOwesAnswersWhileItsPeerGivesThem) {
  Machine two(2);
  two.during(2s, {answers(5), answers(5)});
  const auto begun = two.now;
  while (two.out() == 0 && two.now - begun < 10s) two.step({answers(5), hanging(5)});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::silent);
  EXPECT_LE(two.now - begun, 4s);
}

TEST(Ejection, OneRequestThatHangsIsEnoughIfAllCallersWaitForIt) {
  Machine two(2);
  for (int i = 0; i < 20; ++i) two.step({answers(i % 2 == 0), answers(i % 2 != 0)});
  const auto begun = two.now;
  two.step({hanging(0), hanging(1)});
  while (two.out() == 0 && two.now - begun < 20s) two.step({});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::silent);
  EXPECT_LE(two.now - begun, 7s);
}

TEST(Ejection, AnswersThatTakeLongAreWaitedForLonger) {
  Machine two(2);
  two.during(10s, {answers(1, 2s), answers(1, 2s)});
  two.during(6s, {answers(1, 2s), hanging(1)});
  EXPECT_EQ(two.out(), 0U);
  two.during(6s, {answers(1, 2s), hanging(1)});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::silent);
}

TEST(Ejection, AServerWithoutRequestsIsNotSilent) {
  Machine two(2);
  two.during(60s, {answers(5), {}});
  EXPECT_EQ(two.out(), 0U);
}

TEST(Ejection, CallersThatDoNotWaitAreAnswersOwedAsWell) {
  Machine two(2);
  ServerResults left;
  left.asked = left.settled = left.abandoned = 1;
  two.during(5s, {answers(1), left});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::silent);
}

TEST(Ejection, WhoAnswersOnlyAFewIsSilentToo) {
  Machine two(2);
  auto some = answers(2);
  some.asked = 8;
  two.during(7s, {answers(8), some});
  EXPECT_EQ(two.ejection.reason(1), EjectReason::silent);
}

TEST(Ejection, SlowIsThreeTimesTheLatencyOfItsPeersInThreeWindows) {
  Machine three(3);
  three.during(3s, {answers(15), answers(15), answers(15)});
  three.during(2s, {answers(15), answers(15), answers(15, 200ms)});
  EXPECT_EQ(three.out(), 0U);
  three.during(3s, {answers(15), answers(15), answers(15, 200ms)});
  EXPECT_EQ(three.ejection.reason(2), EjectReason::slow);
}

TEST(Ejection, TwiceTheLatencyIsNotSlowAndNeitherIsAFewMilliseconds) {
  Machine three(3);
  three.during(60s, {answers(15, 40ms), answers(15, 40ms), answers(15, 80ms)});
  EXPECT_EQ(three.out(), 0U);
  Machine fast(3);
  fast.during(60s, {answers(15, 1ms), answers(15, 1ms), answers(15, 15ms)});
  EXPECT_EQ(fast.out(), 0U);
}

TEST(Ejection, ComesBackAfterThreeTrialsThatPass) {
  Machine two(2);
  two.step({answers(50), failures(3)});
  ASSERT_TRUE(two.ejection.ejected(1));
  EXPECT_FALSE(two.ejection.trial());
  two.during(4500ms, {answers(5), {}});
  EXPECT_FALSE(two.ejection.trial()) << "its time is not over";
  two.during(1s, {answers(5), {}});
  EXPECT_EQ(two.ejection.trial(), 1U);
  two.step({answers(5), {}}, true);
  two.step({answers(5), {}}, true);
  EXPECT_TRUE(two.ejection.ejected(1));
  two.step({answers(5), {}}, true);
  EXPECT_FALSE(two.ejection.ejected(1));
  EXPECT_EQ(two.all.back().what, What::returned);
}

TEST(Ejection, ATrialWithoutAnAnswerFailsWithinSeconds) {
  Machine two(2);
  two.step({answers(50), failures(3)});
  two.during(6s, {answers(5), {}});
  ASSERT_EQ(two.ejection.trial(), 1U);
  std::vector<EjectChange> changes;
  std::vector<ServerResults> happened{answers(5), {}};
  two.now += kPace;
  two.ejection.step(two.now, happened, true, changes);
  EXPECT_FALSE(two.ejection.trial()) << "one at a time";
  two.during(3s, happened);
  EXPECT_EQ(two.all.back().what, What::trial_failed);
  EXPECT_EQ(two.all.back().time, Duration(10s)) << "twice as long as before";
}

TEST(Ejection, OneTrialFailsInFortyRequests) {
  Machine two(2);
  two.step({answers(50), failures(3)});
  two.during(5500ms, {});
  EXPECT_FALSE(two.ejection.trial()) << "none were answered meanwhile";
  two.step({answers(39), {}});
  EXPECT_FALSE(two.ejection.trial());
  two.step({answers(1), {}});
  EXPECT_EQ(two.ejection.trial(), 1U);
}

TEST(Ejection, WithHardlyAnyRequestsItIsTriedAllTheSame) {
  Machine two(2);
  two.step({answers(50), failures(3)});
  two.during(36s, {});
  EXPECT_EQ(two.ejection.trial(), 1U);
}

TEST(Ejection, ForgetsEjectionsOfAServerThatBehaves) {
  Machine two(2);
  const auto eject = [&] {
    while (!two.ejection.ejected(1)) two.step({answers(50), failures(3)});
    return two.all.back().time;
  };
  EXPECT_EQ(eject(), Duration(5s));
  while (two.ejection.ejected(1)) two.step({answers(50), {}}, true);
  EXPECT_EQ(eject(), Duration(10s));
  while (two.ejection.ejected(1)) two.step({answers(50), {}}, true);
  two.during(120s, {answers(50), answers(50)});
  EXPECT_EQ(eject(), Duration(5s));
}

TEST(Ejection, HalfOfTheServersMayBeOutButNeverAll) {
  for (const std::size_t servers : {2U, 3U, 4U, 7U}) {
    Machine machine(servers);
    std::vector<ServerResults> happened(servers, failures(5));
    happened[0] = answers(5);
    machine.during(20s, happened);
    EXPECT_EQ(machine.out(), servers == 2 ? 1U : (servers + 1) / 2) << servers;
    EXPECT_FALSE(machine.ejection.ejected(0));
  }
}

TEST(Ejection, EjectedServersComeBackInAPanic) {
  Machine four(4);
  four.during(1s, {answers(5), answers(5), failures(5), failures(5)});
  ASSERT_EQ(four.out(), 2U);
  ServerResults unhealthy;
  unhealthy.unhealthy = true;
  four.step({unhealthy, answers(5), {}, {}});
  EXPECT_EQ(four.out(), 1U);
  EXPECT_TRUE(four.all.back().panic);
}

TEST(Ejection, AnotherListOfServersKeepsWhatIsKnown) {
  Machine two(2);
  two.step({answers(50), failures(3)});
  Ejection next(EjectOptions{}, 3);
  next.inherit(2, two.ejection, 1);
  EXPECT_TRUE(next.ejected(2));
  EXPECT_FALSE(next.ejected(0));
  EXPECT_EQ(next.reason(2), EjectReason::failing);
}

// Whatever happens: at least one server is in, no more are out than may be, and once all is well all of them come back.
TEST(Ejection, KeepsItsPromisesOverRandomHistories) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned most) { return static_cast<unsigned>(random() % (most + 1)); };
    const std::size_t servers = 1 + pick(6);
    EjectOptions options;
    options.most = 100'000 * (1 + pick(8));
    Machine machine(servers, options);
    std::vector<unsigned> mood(servers, 0);
    for (int i = 0; i < 200; ++i) {
      if (pick(10) == 0) mood[pick(static_cast<unsigned>(servers) - 1)] = pick(5);
      std::vector<ServerResults> happened(servers);
      std::size_t healthy = 0;
      for (std::size_t at = 0; at < servers; ++at) {
        const auto count = pick(20);
        auto& each = happened[at];
        if (!machine.ejection.ejected(at))
          each = mood[at] == 1   ? failures(count)
                 : mood[at] == 2 ? failures(count, AttemptOutcome::no_connection)
                 : mood[at] == 3 ? hanging(count)
                 : mood[at] == 4 ? answers(count, 900ms)
                                 : answers(count);
        each.unhealthy = mood[at] == 5 && pick(1) == 0;
        healthy += each.unhealthy ? 0 : 1;
      }
      const auto before = machine.out();
      machine.step(happened, pick(1) == 0);
      std::size_t in = 0;
      for (std::size_t at = 0; at < servers; ++at) in += !machine.ejection.ejected(at) && !happened[at].unhealthy;
      if (healthy > 0) {
        ASSERT_GE(in, 1U) << "seed " << seed << " step " << i;
      }
      const auto most = (servers * options.most + 999'999) / 1'000'000;
      ASSERT_LE(machine.out(), std::max(before, most)) << "seed " << seed << " step " << i;
      ASSERT_TRUE(servers > 1 || machine.out() == 0);
    }
    machine.during(std::chrono::minutes(6), std::vector<ServerResults>(servers, answers(20)), true);
    ASSERT_EQ(machine.out(), 0U) << "seed " << seed;
  }
}

// Servers that are slow in the same way are healthy, however their latency changes.
TEST(Ejection, NeverTakesOneOfServersThatAreEquallySlow) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const std::size_t servers = 2 + random() % 4;
    Machine machine(servers);
    Duration latency = 10ms;
    for (int i = 0; i < 600; ++i) {
      if (random() % 40 == 0) latency = Duration(1'000 << (random() % 11));
      std::vector<ServerResults> happened(servers);
      for (auto& each : happened) {
        const auto count = static_cast<std::uint32_t>(random() % 40);
        each.asked = each.settled = count;
        each.ended[0] = count;
        for (std::uint32_t request = 0; request < count; ++request)  // one in ten takes ten times as long
          each.latencies.add(latency_bucket(random() % 10 == 0 ? latency * 10 : latency), 1);
      }
      machine.step(happened);
      ASSERT_EQ(machine.out(), 0U) << "seed " << seed << " step " << i;
    }
  }
}

}  // namespace
}  // namespace headgate::balance
