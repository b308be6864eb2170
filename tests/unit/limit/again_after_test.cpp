// Decision::again_after: an allowed decision that leaves too little tells when the same cost is allowed again.

#include "support/rules.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

struct Told {
  bool allowed = false;
  Decision decision;
};

class AgainAfter : public testing::TestWithParam<const Algorithm*> {
 protected:
  Told ask(MemoryStore& store, const Rule& rule, std::int64_t cost, Instant now, bool peek = false) {
    auto check = test::make_check(rule, "a", cost);
    check.peek = peek;
    Told told;
    told.allowed = store.decide({&check, 1}, now, {&told.decision, 1});
    return told;
  }
};

TEST_P(AgainAfter, IsTheShortestWaitForTheSameCost) {
  std::mt19937 random(22);
  std::size_t spent = 0;
  for (int history = 0; history < 300; ++history) {
    const auto rule = test::make_rule(std::to_string(1 + random() % 9) + (random() % 2 ? "/7s" : "/minute"), 0, "l",
                                      GetParam()->name);
    MemoryStore store{{.max_keys = 10}};
    auto now = test::kStart + Duration(random() % 100'000'000);
    for (int i = 0; i < 8; ++i) {
      now += Duration(random() % 3'000'000);
      const auto cost = static_cast<std::int64_t>(1 + random() % 3);
      const auto told = ask(store, rule, cost, now);
      if (!told.allowed) continue;
      const auto again = told.decision.again_after;
      EXPECT_TRUE(ask(store, rule, cost, now + again, true).allowed) << to_text(rule.rate) << " cost " << cost;
      if (again == Duration(0)) continue;
      ++spent;
      EXPECT_FALSE(ask(store, rule, cost, now + again - 1us, true).allowed) << to_text(rule.rate) << " cost " << cost;
    }
  }
  EXPECT_GT(spent, 100U);
}

INSTANTIATE_TEST_SUITE_P(Of, AgainAfter, testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& each) { return std::string(each.param->name); });

}  // namespace
}  // namespace headgate::limit
