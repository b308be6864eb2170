// How much servers with a fixed number of places answer in an overload of mixed priorities, against what they would
// without priorities (the loss formula), on a virtual clock: what docs/shedding.md promises.

#include "support/loss_simulation.hpp"

#include "headgate/shed/overload.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace headgate::test {
namespace {

using shed::Layer;
using shed::Priority;

/// Places of which the gateway knows how many are free, as those at servers, or not, as those of a fleet that refused.
enum class Free : std::uint8_t { known, unknown };

LossRun through_overload(const LossScenario& scenario, Free known) {
  shed::Overload overload;
  const auto layer = known == Free::known ? Layer::servers : Layer::fleet;
  const auto most = scenario.places;
  const LossGate gate{.admit =
                          [&](Priority priority, std::uint32_t taken, LossGate::Steady now) {
                            const auto ceiling = overload.ceiling(layer, priority, most, most);
                            if (taken < ceiling) {
                              overload.admitted(layer, priority, most - taken - 1, now);
                              return true;
                            }
                            const auto free = known == Free::known ? most - taken : most - ceiling;
                            overload.refused(layer, priority, priority == Priority::critical ? 0 : free, most, now);
                            return false;
                          },
                      .ended = [&](Priority, Duration held, LossGate::Steady) { overload.ended(layer, held); }};
  return LossSimulation(scenario, gate).run();
}

/// Everybody is admitted while there is a place.
LossRun without_priorities(const LossScenario& scenario) {
  const LossGate gate{.admit = [&](Priority, std::uint32_t taken, LossGate::Steady) { return taken < scenario.places; },
                      .ended = [](Priority, Duration, LossGate::Steady) {}};
  return LossSimulation(scenario, gate).run();
}

/// What is asked for: critical, normal and low requests.
using Mix = std::array<double, shed::kPriorities>;
constexpr Mix kMixes[] = {{50, 60, 0},     {1, 1, 0}, {0.1, 0.9, 0}, {0.9, 0.1, 0},
                          {0.02, 0.98, 0}, {0, 1, 1}, {1, 1, 1},     {0.2, 0.3, 0.5}};
constexpr double kLoads[] = {0.8, 1.1, 1.5, 3};

std::string text_of(const LossScenario& scenario, const LossRun& run) {
  std::string out = std::to_string(scenario.places) + " places, load " + std::to_string(scenario.load);
  for (const auto part : scenario.parts) out += " " + std::to_string(part);
  out += ", refused";
  for (const auto priority : {Priority::critical, Priority::normal, Priority::low})
    out += " " + std::to_string(run.refused_share(priority));
  return out;
}

/// A difference between two shares that chance makes: three standard errors.
double chance(const LossRun& run, Priority a, Priority b) {
  double variance = 0;
  for (const auto each : {a, b}) {
    const auto share = run.refused_share(each);
    variance += share * (1 - share) / run.offered[static_cast<std::size_t>(each)];
  }
  return 3 * std::sqrt(variance);
}

void expect_order(const LossRun& run, const std::string& what) {
  constexpr std::pair<Priority, Priority> kPairs[] = {{Priority::critical, Priority::normal},
                                                      {Priority::normal, Priority::low}};
  for (const auto& [higher, lower] : kPairs) {
    if (run.offered[static_cast<std::size_t>(higher)] == 0 || run.offered[static_cast<std::size_t>(lower)] == 0)
      continue;
    EXPECT_LE(run.refused_share(higher), run.refused_share(lower) + chance(run, higher, lower)) << what;
  }
}

struct Places {
  unsigned count;
  bool random;
};
class Goodput : public testing::TestWithParam<Places> {
 protected:
  void each(Free free) const {
    const auto [places, random] = GetParam();
    for (const auto load : kLoads) {
      const LossScenario plain{.places = places, .load = load, .parts = {0, 1, 0}, .random = random};
      // The same requests, so that chance is nearly the same. The formula says how many are served on average.
      const auto without = without_priorities(plain).in_use;
      ASSERT_NEAR(without / (load * places), 1 - loss_formula(places, load * places), 0.01);
      for (const auto& mix : kMixes) {
        auto scenario = plain;
        scenario.parts = mix;
        const auto run = through_overload(scenario, free);
        const auto what = text_of(scenario, run);
        EXPECT_GE(run.in_use / without, 0.95) << what;
        expect_order(run, what);
      }
    }
  }
};

TEST_P(Goodput, IsNearlyThatWithoutPrioritiesAtServers) { each(Free::known); }
TEST_P(Goodput, IsNearlyThatWithoutPrioritiesInAFleet) { each(Free::unknown); }

INSTANTIATE_TEST_SUITE_P(Places, Goodput,
                         testing::Values(Places{1, true}, Places{1, false}, Places{2, true}, Places{4, false},
                                         Places{8, true}, Places{8, false}, Places{16, true}, Places{64, true},
                                         Places{64, false}));

// Ten percent too much is no outage for anybody.
TEST(LightOverload, LeavesNormalRequestsMostOfWhatTheyHadWithoutPriorities) {
  const LossScenario scenario{.places = 8, .load = 1.1, .parts = {50, 60, 0}};
  const auto run = through_overload(scenario, Free::known);
  const double without = loss_formula(8, 8.8);
  EXPECT_LE(run.refused_share(Priority::critical), 0.85 * without);
  EXPECT_LE(run.refused_share(Priority::normal), 1.5 * without);
}

TEST(HeavyOverload, HardlyTouchesCriticalRequestsThatAreFewOfMany) {
  const LossScenario scenario{.places = 64, .load = 3, .parts = {0.1, 0.9, 0}};
  const auto run = through_overload(scenario, Free::known);
  EXPECT_LE(run.refused_share(Priority::critical), 0.1);
  EXPECT_GE(loss_formula(64, 192), 0.6) << "what it was without priorities";
}

}  // namespace
}  // namespace headgate::test
