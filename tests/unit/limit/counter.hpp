#pragma once
// One counter asked by itself, on a clock that is an argument: for the tests of one algorithm.

#include "headgate/limit/algorithm.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace headgate::test {

class Counter {
 public:
  explicit Counter(limit::Rule rule) : rule_(std::move(rule)) {}

  limit::Verdict take(std::int64_t cost, Instant now) { return decide(cost, now, false); }

  /// What has been let through already: takes what there is, whether it fits or not.
  limit::Verdict charge(std::int64_t cost, Instant now) { return decide(cost, now, true); }

  const limit::Rule& rule() const { return rule_; }

 private:
  limit::Verdict decide(std::int64_t cost, Instant now, bool though_refused) {
    const limit::Algorithm& algorithm = *rule_.algorithm;
    const limit::Outcome outcome = algorithm.peek(state_, rule_, cost, now);
    const bool takes = outcome.allowed || though_refused;
    if ((takes && cost != 0) || outcome.stale) algorithm.commit(state_, rule_, takes ? cost : 0, now, outcome);
    const auto verdict = algorithm.verdict(rule_, cost, takes ? limit::Taken::yes : limit::Taken::no,
                                           {outcome.words.data(), algorithm.words});
    EXPECT_TRUE(verdict.has_value());
    EXPECT_EQ(verdict->allowed, outcome.allowed);
    return *verdict;
  }

  limit::Rule rule_;
  limit::State state_;
};

}  // namespace headgate::test
