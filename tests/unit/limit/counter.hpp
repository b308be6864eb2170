#pragma once
// One counter on a clock that is an argument, for tests of one algorithm.

#include "headgate/limit/algorithm.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace headgate::test {

class Counter {
 public:
  explicit Counter(limit::Rule rule) : rule_(std::move(rule)) {}

  limit::Decision take(std::int64_t cost, Instant now) { return decide(cost, now, limit::CommitMode::none); }

  /// A charge: takes what is left, even if the cost does not fit.
  limit::Decision charge(std::int64_t cost, Instant now) { return decide(cost, now, limit::CommitMode::take); }

  /// A debt: takes all of it, also below zero.
  limit::Decision owe(std::int64_t cost, Instant now) { return decide(cost, now, limit::CommitMode::debt); }

  const limit::Rule& rule() const { return rule_; }

 private:
  limit::Decision decide(std::int64_t cost, Instant now, limit::CommitMode though_rejected) {
    const limit::Algorithm& algorithm = *rule_.algorithm;
    const limit::Outcome outcome = algorithm.peek(state_, rule_, cost, now);
    using limit::CommitMode;
    const CommitMode taken =
        outcome.allowed && though_rejected == CommitMode::none ? CommitMode::take : though_rejected;
    if ((taken != CommitMode::none && cost != 0) || outcome.stale)
      algorithm.commit(state_, rule_, cost, taken, now, outcome);
    const auto decision = algorithm.decision(rule_, cost, taken, {outcome.words.data(), algorithm.words});
    EXPECT_TRUE(decision.has_value());
    EXPECT_EQ(decision->allowed, outcome.allowed);
    return *decision;
  }

  limit::Rule rule_;
  limit::State state_;
};

}  // namespace headgate::test
