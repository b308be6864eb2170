// The wait that a caller is told holds at every gateway: a caller that has its key to itself and asks again when it was
// told to is admitted, whichever gateway it comes back to. For every algorithm, with leases and known rejections, on a
// virtual clock.

#include "fleet.hpp"

#include "headgate/limit/algorithm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace headgate::limit {
namespace {

using test::make_rule;

enum class VisitOrder : std::uint8_t { in_turn, in_step, at_random };
enum class WaitUnit : std::uint8_t { exactly, in_milliseconds, in_seconds };

Duration rounded(Duration wait, WaitUnit told) {
  if (told == WaitUnit::in_milliseconds) return std::chrono::ceil<std::chrono::milliseconds>(wait);
  return told == WaitUnit::in_seconds ? std::chrono::ceil<std::chrono::seconds>(wait) : wait;
}

struct PromiseFigures {
  std::uint64_t admitted = 0;
  std::uint64_t kept = 0;
  std::uint64_t broken = 0;
};

/// How callers behave between two waits.
struct CallerManners {
  VisitOrder order = VisitOrder::in_turn;
  WaitUnit told = WaitUnit::in_milliseconds;
  int hasty = 0;  ///< of ten rejections, how many are answered by asking again at once
  std::int64_t cost = 1;
};

/// A caller with a key of its own: one request after the other, at one gateway after the other.
class ToldCaller {
 public:
  ToldCaller(Fleet& fleet, const Rule& rule, std::size_t gateways, const CallerManners& manners, unsigned number,
             PromiseFigures& figures)
      : fleet_(fleet),
        rule_(rule),
        gateways_(gateways),
        manners_(manners),
        figures_(figures),
        random_(number),
        key_("caller " + std::to_string(number)),
        gateway_(manners.order == VisitOrder::in_step ? 0 : number) {}

  void start(Duration at) {
    fleet_.at(at, [this] { ask(); });
  }

 private:
  void ask() {
    const auto gateway = manners_.order == VisitOrder::at_random ? random_() : gateway_++;
    fleet_.request(
        gateway % gateways_, {test::make_check(rule_, key_, manners_.cost)}, [this] { admitted(); },
        [this](std::span<const Decision> decisions) { rejected(decisions[0].retry_after); });
  }
  void admitted() {
    ++figures_.admitted;
    if (std::exchange(promised_, false)) ++figures_.kept;
    start(fleet_.now() + pause());
  }
  void rejected(Duration wait) {
    if (std::exchange(promised_, false)) ++figures_.broken;
    promised_ = static_cast<int>(random_() % 10) >= manners_.hasty;
    start(fleet_.now() + (promised_ ? rounded(wait, manners_.told) : pause()));
  }
  Duration pause() { return Duration(1'000 + random_() % 2'000); }  // of the way there and back

  Fleet& fleet_;
  const Rule& rule_;
  std::size_t gateways_;
  CallerManners manners_;
  PromiseFigures& figures_;
  std::mt19937 random_;
  std::string key_;
  std::size_t gateway_;
  bool promised_ = false;
};

PromiseFigures figures_of(const Rule& rule, std::size_t gateways, std::size_t sharers, const CallerManners& manners,
                          Duration length = 5s, std::size_t callers = 3) {
  Fleet fleet(gateways, {}, 7, sharers);
  PromiseFigures figures;
  std::vector<std::unique_ptr<ToldCaller>> all;
  for (unsigned number = 0; number < callers; ++number) {
    all.push_back(std::make_unique<ToldCaller>(fleet, rule, gateways, manners, number, figures));
    all.back()->start(manners.order == VisitOrder::in_step ? Duration(0) : Duration(number * 37'000));
  }
  fleet.run_until(length);
  return figures;
}

Rule rule_with_leases(std::string_view rate, std::uint64_t burst, std::string_view algorithm) {
  Rule rule = make_rule(rate, burst, "plan", algorithm);
  rule.leases = true;
  return rule;
}

/// An algorithm, whether its windows begin with the first request, and how many gateways there are.
struct ToldWaitCase {
  const Algorithm* algorithm;
  bool from_first_use;
  std::size_t gateways;
};

class ToldWait : public testing::TestWithParam<ToldWaitCase> {
 protected:
  static constexpr std::array<std::pair<const char*, std::uint64_t>, 5> kSizes{
      {{"10/second", 0}, {"10/second", 1}, {"7/second", 30}, {"50/second", 20}, {"100/second", 5}}};

  /// All orders, units and costs, each at several sizes.
  void play(int hasty) {
    const auto& [algorithm, from_first_use, gateways] = GetParam();
    std::uint64_t kept = 0;
    std::size_t at = 0;
    for (const auto order : {VisitOrder::in_turn, VisitOrder::in_step, VisitOrder::at_random})
      for (const auto told : {WaitUnit::exactly, WaitUnit::in_milliseconds, WaitUnit::in_seconds})
        for (const std::int64_t cost : {1, 3})
          for (const std::size_t sharers : {std::size_t{1}, gateways}) {
            const auto& [rate, burst] = kSizes[at++ % kSizes.size()];
            auto rule = rule_with_leases(rate, burst, algorithm->name);
            rule.from_first_use = from_first_use;
            if (cost > static_cast<std::int64_t>(rule.burst)) continue;
            const auto figures = figures_of(rule, gateways, sharers, {order, told, hasty, cost});
            kept += figures.kept;
            EXPECT_EQ(figures.broken, 0U)
                << "of " << figures.kept + figures.broken << " promises under " << rate << ", burst " << rule.burst
                << ", sharers " << sharers << ", order " << static_cast<int>(order) << ", told "
                << static_cast<int>(told) << ", cost " << cost;
          }
    EXPECT_GT(kept, 200U);
  }
};

TEST_P(ToldWait, HoldsForACallerThatWaitsEachTime) { play(0); }
TEST_P(ToldWait, HoldsForACallerThatWaitsNowAndThen) { play(8); }

std::string name_of(const testing::TestParamInfo<ToldWaitCase>& instance) {
  return std::string(instance.param.algorithm->name) + (instance.param.from_first_use ? "_from_first_use" : "") +
         "_at_" + std::to_string(instance.param.gateways);
}

std::vector<ToldWaitCase> told_wait_cases() {
  std::vector<ToldWaitCase> out;
  for (const auto* algorithm : algorithms())
    for (const std::size_t gateways : {2, 4, 8}) {
      out.push_back({algorithm, false, gateways});
      if (algorithm->by_calendar) out.push_back({algorithm, true, gateways});
    }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ToldWait, testing::ValuesIn(told_wait_cases()), name_of);

}  // namespace
}  // namespace headgate::limit
