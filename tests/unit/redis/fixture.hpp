#pragma once
// What the tests of the Redis limiter share: a loop that runs until something holds, and callers that ask and note the
// outcome.

#include "headgate/core/task.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/redis/errors.hpp"
#include "headgate/redis/limiter.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <iostream>
#include <list>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace headgate::redis {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Made before any thread logs: ThreadSanitizer does not see how libspdlog guards the first use of its log.
inline const bool kLogIsMade = spdlog::default_logger_raw() != nullptr;

/// One question and what came of it.
struct Answer {
  bool done = false;
  std::optional<Result<bool>> result;
  limit::Decision decision;
  Clock::duration took{};

  bool allowed() const { return done && result->has_value() && **result; }
  bool rejected() const { return done && result->has_value() && !**result; }
  error_code error() const { return done && result->has_error() ? result->error() : error_code(); }
};

inline limit::Rule rule_of(std::uint64_t count, Duration period, std::string name = "test") {
  limit::Rule rule;
  rule.limit = name;
  rule.rate = {count, period};
  rule.burst = count;
  rule.algorithm = limit::find_algorithm("token_bucket");
  rule.suffix = ":" + name + ":";
  rule.seed = stable_hash(rule.suffix);
  return rule;
}

/// `key` must outlive the ask.
inline limit::Check check_of(const limit::Rule& rule, std::string_view key, std::int64_t cost = 1,
                             limit::How how = limit::How::take) {
  return {&rule, key, keyed_hash(key, rule.seed), cost, how};
}

/// Asks one rule; everything it needs lives in its own frame, as a request's does.
inline Task<void> check(SharedLimiter& limiter, const limit::Rule& rule, std::string key, std::int64_t cost,
                        Answer& answer) {
  std::array<limit::Check, 1> checks{check_of(rule, key, cost)};
  std::array<limit::Decision, 1> decisions;
  const auto start = Clock::now();
  auto task = limiter.decide(checks, decisions);
  answer.result = co_await task;
  answer.took = Clock::now() - start;
  answer.decision = decisions[0];
  answer.done = true;
}

/// A loop on the test's own thread, and what was written to the log meanwhile.
class LoopTest : public testing::Test {
 protected:
  LoopTest() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log, true);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", std::move(sink)));
  }
  ~LoopTest() override {
    if (HasFailure()) std::cerr << log.str();
    spdlog::set_default_logger(usual_logger);
  }

  int logged(std::string_view what) const {
    const std::string text = log.str();
    int count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  }

  /// Runs the loop until `holds()`; false where it never did.
  template <class Condition>
  bool run_until(Condition holds, Clock::duration limit = 8s) {
    const auto end = Clock::now() + limit;
    while (!holds()) {
      if (Clock::now() >= end) return false;
      loop.run_one_for(10ms);
    }
    return true;
  }
  bool run_until_up(SharedLimiter& limiter) {
    return run_until([&] { return limiter.health() == RedisHealth::up; });
  }
  void run_for(Clock::duration time) { loop.run_for(time); }

  Answer decide(SharedLimiter& limiter, std::int64_t cost = 1, std::string key = "caller") {
    Answer answer;
    spawn(check(limiter, rule, std::move(key), cost, answer), "test");
    EXPECT_TRUE(run_until([&] { return answer.done; })) << "a decision never ended";
    return answer;
  }
  /// Asks once in a while until the answer pleases: for what heals by itself.
  template <class Condition>
  bool decide_until(SharedLimiter& limiter, Condition pleases, Clock::duration limit = 8s) {
    const auto end = Clock::now() + limit;
    while (!pleases(decide(limiter))) {
      if (Clock::now() >= end) return false;
      run_for(10ms);
    }
    return true;
  }
  /// Starts `count` checks at once; they outlive the call.
  std::list<Answer> ask_many(SharedLimiter& limiter, int count) {
    std::list<Answer> answers(static_cast<std::size_t>(count));
    for (auto& answer : answers) spawn(check(limiter, rule, "caller", 1, answer), "test");
    return answers;  // moved: the nodes stay where they are
  }
  static bool all_done(const std::list<Answer>& answers) {
    for (const auto& answer : answers)
      if (!answer.done) return false;
    return true;
  }

  std::ostringstream log;
  std::shared_ptr<spdlog::logger> usual_logger = spdlog::default_logger();
  limit::Rule rule = rule_of(10, 1h);
  boost::asio::io_context loop{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> keeps_running{loop.get_executor()};
};

}  // namespace headgate::redis
