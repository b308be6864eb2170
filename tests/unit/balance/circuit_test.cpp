// The circuit breaker on a virtual clock.

#include "headgate/balance/circuit.hpp"

#include "headgate/balance/circuit_gate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::balance {
namespace {

using namespace std::chrono_literals;
using State = CircuitState;

class CircuitTest : public testing::Test {
 protected:
  bool step(const CircuitNews& news) { return circuit.step(now += 250ms, news); }
  void open() {
    while (circuit.state() != State::open) step({.bad = 10});
  }
  void half_open() {
    open();
    while (circuit.state() != State::half_open) step({});
  }

  Circuit circuit{CircuitOptions{}};
  Circuit::Steady now{1h};
};

TEST_F(CircuitTest, OpensAtHalfOfEnoughRequests) {
  EXPECT_FALSE(step({.good = 0, .bad = 19})) << "too few";
  EXPECT_TRUE(step({.good = 0, .bad = 1}));
  EXPECT_EQ(circuit.state(), State::open);
}

TEST_F(CircuitTest, StaysClosedBelowHalf) {
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(step({.good = 51, .bad = 49}));
}

TEST_F(CircuitTest, ForgetsFailuresOfLongAgo) {
  step({.bad = 15});
  for (int i = 0; i < 44; ++i) step({});
  EXPECT_FALSE(step({.bad = 15}));
}

TEST_F(CircuitTest, TriesAgainAfterItsTime) {
  open();
  const auto opened = now;
  while (circuit.state() == State::open) step({.bad = 5});
  EXPECT_EQ(now - opened, 5s) << "what ends meanwhile does not count";
  EXPECT_EQ(circuit.state(), State::half_open);
  EXPECT_EQ(circuit.probes(), CircuitOptions().trials);
}

TEST_F(CircuitTest, FiveAnswersCloseItAndOneFailureOpensIt) {
  half_open();
  EXPECT_FALSE(step({.probes_passed = 4}));
  EXPECT_TRUE(step({.probes_passed = 1}));
  EXPECT_EQ(circuit.state(), State::closed);
  half_open();
  EXPECT_TRUE(step({.probes_passed = 4, .probes_failed = 1}));
  EXPECT_EQ(circuit.state(), State::open);
}

TEST(Circuit, ClosesAfterAsManyAnswersAsItHasTrials) {
  Circuit circuit({.at_least = 1, .trials = 2});
  Circuit::Steady now{};
  circuit.step(now, {.bad = 1});
  circuit.step(now += 5s, {});
  ASSERT_EQ(circuit.state(), State::half_open);
  EXPECT_EQ(circuit.probes(), 2U);
  EXPECT_FALSE(circuit.step(now, {.probes_passed = 1}));
  EXPECT_TRUE(circuit.step(now, {.probes_passed = 1}));
  EXPECT_EQ(circuit.state(), State::closed);
}

TEST_F(CircuitTest, AProbeWhoseClientLeftIsRepeated) {
  half_open();
  step({.probes_passed = 4, .probes_left = 1});
  EXPECT_EQ(circuit.probes(), CircuitOptions().trials + 1);
}

TEST(CircuitDoor, LetsFewPassWhileItIsHalfOpen) {
  CircuitGate gate;
  CircuitDoor door(gate);
  EXPECT_EQ(door.enter(), CircuitPass::normal);
  gate.state = State::open;
  gate.until = 3'500'000'000;
  EXPECT_TRUE(door.refuses());
  EXPECT_EQ(door.enter(), CircuitPass::none);
  EXPECT_EQ(door.retry_after(Circuit::Steady(1s)), 3U) << "rounded up";
  EXPECT_EQ(door.retry_after(Circuit::Steady(9s)), 1U) << "not in the past";
  gate.state = State::half_open;
  gate.probes = 2;
  EXPECT_FALSE(door.refuses());
  EXPECT_EQ(door.enter(), CircuitPass::probe);
  EXPECT_EQ(door.enter(), CircuitPass::probe);
  EXPECT_TRUE(door.refuses());
  EXPECT_EQ(door.enter(), CircuitPass::none);
  door.ended(CircuitPass::probe, CircuitDoor::End::good);
  EXPECT_EQ(gate.passed, 1U);
  EXPECT_EQ(door.good, 0U) << "probes are counted apart";
}

// Whatever happens, it closes again once what passes is answered.
TEST(Circuit, AlwaysClosesAgain) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](unsigned most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
    Circuit circuit{CircuitOptions{}};
    Circuit::Steady now{1h};
    for (int i = 0; i < 200; ++i) {
      const bool probing = circuit.state() == State::half_open;
      circuit.step(now += 250ms, {.good = pick(20),
                                  .bad = pick(20),
                                  .probes_passed = probing ? pick(2) : 0,
                                  .probes_failed = probing && pick(9) == 0 ? 1U : 0U,
                                  .probes_left = probing ? pick(1) : 0});
    }
    for (int i = 0; i < 60 && circuit.state() != State::closed; ++i)
      circuit.step(now += 250ms, {.probes_passed = circuit.state() == State::half_open ? 1U : 0U});
    ASSERT_EQ(circuit.state(), State::closed) << "seed " << seed;
  }
}

}  // namespace
}  // namespace headgate::balance
