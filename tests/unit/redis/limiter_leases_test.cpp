// Leases with a real Redis: several gateways lease permits of one counter, and every allowed request is counted.
#include "redis_fixture.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace headgate::redis {
namespace {

struct Tally {
  std::uint64_t admitted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t sent_to_redis = 0;
  LocalCounters local;

  std::uint64_t decided() const { return admitted + rejected + failed; }
  Tally& operator+=(const Tally& other) {
    admitted += other.admitted;
    rejected += other.rejected;
    failed += other.failed;
    sent_to_redis += other.sent_to_redis;
    local.leased += other.local.leased;
    local.rejected += other.local.rejected;
    local.refunded += other.local.refunded;
    return *this;
  }
};

/// Runs the loop as a worker does between two requests.
struct Turn {
  boost::asio::io_context& loop;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) const {
    boost::asio::post(loop, [task] { task.resume(); });
  }
  void await_resume() const noexcept {}
};

Task<void> hammer(boost::asio::io_context& loop, SharedLimiter& limiter, const limit::Rule& rule,
                  const std::atomic<bool>& over, Tally& tally, int& running) {
  std::array<limit::Check, 1> checks{check_of(rule, "everybody")};
  std::array<limit::Decision, 1> decisions;
  while (!over) {
    auto task = limiter.decide(checks, decisions);
    const auto result = co_await task;
    ++(result.has_error() ? tally.failed : *result ? tally.admitted : tally.rejected);
    Turn turn{loop};
    co_await turn;
  }
  --running;
}

Tally gateway(const RedisOptions& options, const limit::Rule& rule, const std::atomic<bool>& over) {
  boost::asio::io_context loop{1};
  SharedLimiter limiter(loop, options);
  Tally tally;
  int running = 16;
  for (int i = 0; i < 16; ++i) spawn(hammer(loop, limiter, rule, over, tally, running), "test");
  while (running > 0) loop.run_one();
  limiter.stop();
  loop.run();
  tally.sent_to_redis = limiter.counters().sent;
  tally.local = limiter.local();
  return tally;
}

class LimiterLeases : public RedisLimiter {
 protected:
  LimiterLeases() { rule.leases = true; }

  Tally gateways(std::size_t count, Clock::duration time) {
    options.instances = static_cast<std::uint32_t>(count);
    options.timeout = 2s;
    std::atomic<bool> over = false;
    std::vector<Tally> tallies(count);
    {
      std::vector<std::jthread> threads;
      for (auto& tally : tallies) threads.emplace_back([&] { tally = gateway(options, rule, over); });
      std::this_thread::sleep_for(time);
      over = true;
    }
    Tally sum;
    for (const auto& tally : tallies) sum += tally;
    return sum;
  }
  /// What Redis says is left.
  std::uint64_t left() {
    SharedLimiter limiter(loop, options);
    const auto answer = decide(limiter, 0, "everybody");
    EXPECT_TRUE(answer.allowed()) << answer.error().message();
    limiter.stop();
    run_for(50ms);
    return answer.decision.remaining;
  }
};

TEST_F(LimiterLeases, OfABudgetForADayAreUsedToTheLastRequestAndNotOneMore) {
  start();
  rule = rule_of(5000, 24h);
  rule.leases = true;
  const auto sum = gateways(3, 1500ms);
  EXPECT_EQ(sum.failed, 0U);
  EXPECT_GT(sum.local.leased, 1000U);
  EXPECT_GT(sum.rejected, 0U);
  // What one gateway held when another was rejected is given back within a second, and then used.
  EXPECT_EQ(sum.admitted, 5000U - left());
  EXPECT_GE(sum.admitted, 4990U);
}

TEST_F(LimiterLeases, DecideNineteenOfTwentyAndNeverOneTooMany) {
  start();
  rule = rule_of(2000, 1s);
  rule.leases = true;
  const auto begin = Clock::now();
  const auto sum = gateways(2, 2s);
  const std::chrono::duration<double> took = Clock::now() - begin;
  EXPECT_EQ(sum.failed, 0U);
  EXPECT_LE(sum.admitted, 2000 + 2000 * took.count());
  EXPECT_GE(sum.admitted, 2000 + 2000 * 1.8);
  EXPECT_LE(sum.sent_to_redis, sum.decided() / 20) << sum.sent_to_redis << " of " << sum.decided();
}

TEST_F(LimiterLeases, AreGivenBackWhenStopped) {
  start();
  rule.rate = {30'000, 24h};  // one comes back in three seconds
  rule.burst = 1'000'000'000;
  const auto sum = gateways(2, 500ms);
  const auto counted = rule.burst - left();
  EXPECT_GT(sum.local.refunded, 0U);
  EXPECT_LE(counted, sum.admitted) << "Redis knows of no request more than were let through";
  EXPECT_GE(counted + 3, sum.admitted) << "nor of less";
  EXPECT_LE(sum.sent_to_redis, sum.decided() / 20) << sum.sent_to_redis << " of " << sum.decided();
}

// The stop gives back what is held while more of the same key is on its way.
TEST_F(LimiterLeases, AreGivenBackWhenStoppedAlsoIfARefillComesLater) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  options.timeout = 2s;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  std::uint64_t admitted = 0;
  for (int i = 0; i < 200; ++i, ++admitted) EXPECT_TRUE(decide(limiter, 1, "everybody").allowed());
  redis.pause();
  const auto sent = limiter.counters().sent;
  while (limiter.counters().sent == sent && admitted < 10'000) {
    ASSERT_TRUE(decide(limiter, 1, "everybody").allowed());
    ++admitted;
  }
  limiter.stop();
  redis.resume();
  keeps_running.reset();
  loop.run();  // until all is said
  loop.restart();
  EXPECT_EQ(rule.burst - left(), admitted);
}

TEST_F(LimiterLeases, AreGivenBackASecondAfterTheLastRequest) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(decide(limiter, 1, "everybody").allowed());
  EXPECT_GT(limiter.local().leased, 100U);
  EXPECT_EQ(limiter.local().refunded, 0U);
  EXPECT_TRUE(run_until([&] { return limiter.local().refunded > 0; }, 2s));
  EXPECT_EQ(decide(limiter, 0, "everybody").decision.remaining, 1'000'000U - 200U);
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterLeases, MayBeUsedWhileRedisIsDown) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(decide(limiter, 1, "everybody").allowed());
  redis.kill9();
  int allowed = 0;
  Answer answer;
  while ((answer = decide(limiter, 1, "everybody")).allowed() && allowed < 1000) ++allowed;
  EXPECT_GT(allowed, 0);
  EXPECT_LT(allowed, 200) << "and no more than was taken";
  EXPECT_TRUE(answer.error()) << answer.error().message();
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterLeases, AreNotTakenByACallThatTimesOut) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  options.timeout = 20ms;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(decide(limiter, 1, "everybody").allowed());
  redis.pause();
  auto answers = ask_many(limiter, 30);  // "caller": no known rejection, no lease
  EXPECT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) {
    EXPECT_FALSE(answer.allowed());
    EXPECT_LT(answer.took, 1s);
  }
  redis.resume();
  EXPECT_TRUE(run_until_up(limiter));
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterLeases, LetTheOthersWaitForTheOneThatFetches) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(decide(limiter).allowed());
  const auto before = limiter.counters().sent;
  auto answers = ask_many(limiter, 500);
  EXPECT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) EXPECT_TRUE(answer.allowed());
  EXPECT_LT(limiter.counters().sent - before, 25U);
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterLeases, AreNotWaitedForIfTheFetchingRequestEnds) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  // Until the next request fetches a lease: one is destroyed on its way to Redis.
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(decide(limiter).allowed());
  const limit::Check big = check_of(rule, "caller", 500);
  std::array<limit::Check, 1> checks{big};
  std::array<limit::Decision, 1> decisions;
  {
    auto dropped = limiter.decide(checks, decisions);
    static_cast<void>(dropped.await_suspend(std::noop_coroutine()));
  }
  auto answers = ask_many(limiter, 50);
  EXPECT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) EXPECT_TRUE(answer.allowed());
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterLeases, FailWaitingRequestsWhenStopped) {
  start();
  rule.rate = {1000, 24h};
  rule.burst = 1'000'000;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(decide(limiter).allowed());
  redis.pause();
  auto answers = ask_many(limiter, 200);
  limiter.stop();
  EXPECT_TRUE(run_until([&] { return all_done(answers); }, 2s));
  int stopped = 0;
  for (const auto& answer : answers) stopped += answer.error() == Errc::stopped ? 1 : 0;
  EXPECT_GT(stopped, 100);
  EXPECT_EQ(decide(limiter).error(), Errc::stopped);
  redis.resume();
  keeps_running.reset();
  loop.run();  // and nothing keeps it
}

Task<void> decide_all(SharedLimiter& limiter, std::vector<limit::Check> checks, Answer& answer) {
  std::vector<limit::Decision> decisions(checks.size());
  auto task = limiter.decide(checks, decisions);
  answer.result = co_await task;
  answer.decision = decisions[0];
  answer.done = true;
}

TEST_F(LimiterLeases, AndKnownRejectionsAreReadByAPeekButNotChanged) {
  start();
  rule.rate = {200, 24h};  // nothing comes back in the time of the test
  rule.burst = 200;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto ask = [&](bool peek) {
    auto check = check_of(rule, "everybody");
    check.peek = peek;
    Answer answer;
    spawn(decide_all(limiter, {check}, answer), "test");
    EXPECT_TRUE(run_until([&] { return answer.done; }));
    return answer;
  };
  std::uint64_t admitted = 0;
  for (int i = 0; i < 300; ++i) {
    const auto peeked = ask(true);
    const auto local = limiter.local();
    const auto told = ask(false);
    ASSERT_EQ(peeked.allowed(), told.allowed()) << i;
    ASSERT_EQ(peeked.decision.remaining, told.decision.remaining) << i;
    admitted += told.allowed() ? 1 : 0;
    const auto again = ask(true);
    EXPECT_TRUE(again.result->has_value());
    EXPECT_LE(limiter.local().leased, local.leased + 1) << "only the request itself";
    EXPECT_LE(limiter.local().rejected, local.rejected + 1);
  }
  EXPECT_EQ(admitted, 200U);
  EXPECT_GT(limiter.local().leased, 50U);
  EXPECT_GT(limiter.local().rejected, 50U);
  limiter.stop();
  run_for(50ms);
}

}  // namespace
}  // namespace headgate::redis
