// The limiter against a real redis-server.
#include "headgate/redis/limiter.hpp"

#include "fixture.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace headgate::redis {
namespace {

class RedisLimiter : public LoopTest {
 protected:
  void SetUp() override {
    if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log, true)));
  }
  void TearDown() override { spdlog::set_default_logger(usual_logger); }

  void start(std::vector<std::string> arguments = {}) {
    ASSERT_TRUE(redis.start(std::move(arguments))) << redis.error();
    options.port = redis.port();
    options.timeout = 200ms;  // tests share two slow cores; how long a deadline is changes nothing
  }
  /// What an operator would type.
  std::string command(std::vector<std::string> words) {
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    boost::asio::ip::tcp::iostream stream;
    stream.connect(boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), redis.port()));
    stream << bytes << std::flush;
    std::string line;
    std::getline(stream, line, '\r');
    if (line.starts_with("$") && line != "$-1") {
      stream.ignore();  // the line feed
      std::getline(stream, line, '\r');
    }
    return line;
  }
  int logged(std::string_view what) const {
    const std::string text = log.str();
    int count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  }

  test::RedisServer redis;
  Options options;
  std::ostringstream log;
  std::shared_ptr<spdlog::logger> usual_logger = spdlog::default_logger();
};

TEST_F(RedisLimiter, AllowsUntilTheBurstIsSpentThenRefusesAndTellsWhenItIsOver) {
  start();
  Limiter limiter(loop, options);
  for (std::uint64_t left = 10; left-- > 0;) {
    const Answer answer = decide(limiter);
    EXPECT_TRUE(answer.allowed()) << answer.error().message();
    EXPECT_EQ(answer.verdict.remaining, left);
    EXPECT_EQ(answer.verdict.limit, 10u);
  }
  const Answer answer = decide(limiter);
  EXPECT_TRUE(answer.refused());
  EXPECT_GT(answer.verdict.retry_after, 5min);
  EXPECT_LE(answer.verdict.retry_after, 6min);
  EXPECT_TRUE(decide(limiter, 1, "somebody else").allowed());
  limiter.stop();
}

TEST_F(RedisLimiter, GivesBackWhatALaterStepRefused) {
  start();
  Limiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter, 10).allowed());
  EXPECT_TRUE(decide(limiter).refused());
  EXPECT_TRUE(decide(limiter, -3).allowed());
  EXPECT_TRUE(decide(limiter, 3).allowed());
  EXPECT_TRUE(decide(limiter).refused());
  limiter.stop();
}

TEST_F(RedisLimiter, TakesFromAllRulesOrFromNone) {
  start();
  Limiter limiter(loop, options);
  const auto wide = rule_of(100, 1h, "wide");
  std::array<limit::Ask, 2> asks{limit::Ask{&wide, "caller", {}, 1}, limit::Ask{&rule, "caller", {}, 20}};
  std::array<limit::Verdict, 2> verdicts;
  std::optional<Result<bool>> result;
  const auto both = [&]() -> Task<void> {
    auto task = limiter.decide(asks, verdicts);
    result = co_await task;
  };
  spawn(both(), "test");
  ASSERT_TRUE(run_until([&] { return result.has_value(); }));
  ASSERT_TRUE(result->has_value()) << result->error().message();
  EXPECT_FALSE(**result);
  EXPECT_TRUE(verdicts[0].allowed);
  EXPECT_FALSE(verdicts[1].allowed);
  EXPECT_EQ(verdicts[0].remaining, 100u);
  limiter.stop();
}

TEST_F(RedisLimiter, CarriesManyConcurrentDecisionsInFewWrites) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto before = limiter.counters();
  const auto answers = ask_many(limiter, 500);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  const auto after = limiter.counters();
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 10);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.refused(); }), 490);
  EXPECT_EQ(after.asked - before.asked, 500u);
  EXPECT_LE(after.writes - before.writes, 3u);
  EXPECT_EQ(after.connects, 1u);
  limiter.stop();
}

TEST_F(RedisLimiter, TurnsCallsAwayAtOnceBeyondTheCapInFlight) {
  start();
  options.max_in_flight = 20;
  Limiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto answers = ask_many(limiter, 50);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.error() == Errc::overloaded; }),
            30)
      << "before the loop ran at all";
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(limiter.counters().decided, 20u);
  EXPECT_TRUE(decide(limiter).refused());
  limiter.stop();
}

TEST_F(RedisLimiter, PaysOneDeadlineForAHungServerThenFailsAtOnceAndRecoversByItself) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  redis.pause();
  const auto hung_at = Clock::now();
  const auto answers = ask_many(limiter, 50);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) {
    EXPECT_EQ(answer.error(), Errc::timed_out);
    EXPECT_GE(answer.took, options.timeout);
    EXPECT_LT(answer.took, options.timeout + 150ms);
  }
  for (int i = 0; i < 1000; ++i) {
    Answer answer;
    spawn(ask(limiter, rule, "caller", 1, answer), "test");
    EXPECT_EQ(answer.error(), Errc::unavailable) << "without one turn of the loop";
  }
  EXPECT_LT(Clock::now() - hung_at, 4 * options.timeout);
  EXPECT_NE(limiter.health(), Health::up);
  EXPECT_EQ(logged("event=redis_lost"), 1) << log.str();
  EXPECT_EQ(logged("reason=\"no answer within 200ms\""), 1) << log.str();
  run_for(300ms);
  redis.resume();
  EXPECT_TRUE(decide_until(
      limiter, [](const Answer& answer) { return answer.result->has_value(); }, 3s));
  EXPECT_EQ(limiter.health(), Health::up);
  EXPECT_EQ(limiter.counters().connects, 1u) << "on the same connection";
  EXPECT_EQ(logged("event=redis_found"), 2) << log.str();
  limiter.stop();
}

TEST_F(RedisLimiter, ConnectsAgainWhereAServerWasSilentForLong) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  redis.pause();
  EXPECT_EQ(decide(limiter).error(), Errc::timed_out);
  run_for(3s);  // the old connection is given up after 1 s, the handshake of the next one after another
  EXPECT_EQ(logged("no answer at all for 1s"), 1) << log.str();
  redis.resume();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.result->has_value(); }));
  EXPECT_EQ(limiter.counters().connects, 2u);
  limiter.stop();
}

TEST_F(RedisLimiter, FailsAtOnceWhenTheServerDiesAndFindsItsSuccessorOnTheSamePort) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  redis.pause();
  auto answers = ask_many(limiter, 5);
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) EXPECT_EQ(answer.error(), Errc::unavailable);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(limiter.health(), Health::down);
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  EXPECT_EQ(limiter.counters().connects, 2u);
  limiter.stop();
}

TEST_F(RedisLimiter, WaitsForAServerThatStartsLater) {
  start();
  redis.stop();
  Limiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(logged("event=redis_lost"), 1) << log.str();
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

TEST_F(RedisLimiter, LetsTheFirstCallsWaitForTheFirstConnection) {
  start();
  Limiter limiter(loop, options);
  EXPECT_EQ(limiter.health(), Health::trying);
  const auto answers = ask_many(limiter, 12);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 10);
  limiter.stop();
}

TEST_F(RedisLimiter, DoesNotNoticeThatTheScriptCacheWasFlushed) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter, 2).allowed());
  EXPECT_EQ(command({"SCRIPT", "FLUSH"}), "+OK");
  const auto answers = ask_many(limiter, 20);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 8);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.refused(); }), 12);
  EXPECT_EQ(limiter.counters().refused, 0u);
  limiter.stop();
}

TEST_F(RedisLimiter, LeavesAServerThatBecameAReplicaUntilItIsPromoted) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"REPLICAOF", "127.0.0.1", "1"}), "+OK");
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  ASSERT_TRUE(run_until([&] { return logged("it is a replica, which takes no writes") == 1; })) << log.str();
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(command({"REPLICAOF", "NO", "ONE"}), "+OK");
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

TEST_F(RedisLimiter, KeepsTheConnectionToAServerOutOfMemoryAndTriesOneCallAtATime) {
  start({"--maxmemory-policy", "noeviction"});
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"CONFIG", "SET", "maxmemory", "1"}), "+OK");
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable) << "the breaker is open";
  EXPECT_EQ(logged("reason=\"it answered OOM"), 1) << log.str();
  const auto asked = limiter.counters().asked;
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.error() == Errc::refused_by_server; }));
  EXPECT_EQ(limiter.counters().asked - asked, 1u);
  EXPECT_EQ(command({"CONFIG", "SET", "maxmemory", "0"}), "+OK");
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  EXPECT_EQ(limiter.health(), Health::up);
  EXPECT_EQ(limiter.counters().connects, 1u);
  limiter.stop();
}

TEST_F(RedisLimiter, GivesThePasswordAndNeverLogsIt) {
  start({"--requirepass", "open sesame"});
  options.password = "open sesame";
  options.database = 3;
  Limiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
  options.password = "wrong horse";
  Limiter wrong(loop, options);
  EXPECT_EQ(decide(wrong).error(), Errc::unavailable);
  EXPECT_EQ(logged("reason=\"Redis refused the username or password\""), 1) << log.str();
  wrong.stop();
  options.password.clear();
  Limiter without(loop, options);
  EXPECT_EQ(decide(without).error(), Errc::unavailable);
  EXPECT_EQ(logged("Redis wants a password and the configuration gives none"), 1) << log.str();
  without.stop();
  EXPECT_EQ(logged("sesame") + logged("horse"), 0) << log.str();
}

TEST_F(RedisLimiter, NeedsNoMoreOfAnAclUserThanTheScriptAndItsKeys) {
  start();
  EXPECT_EQ(command({"ACL", "SETUSER", "gate", "on", ">secret", "~hg:*", "+eval", "+evalsha", "+ping", "+get", "+set",
                     "+del", "+time"}),
            "+OK");
  options.username = "gate";
  options.password = "secret";
  Limiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
  options.key_prefix = "other:";
  Limiter elsewhere(loop, options);
  EXPECT_EQ(decide(elsewhere).error(), Errc::refused_by_server);
  EXPECT_EQ(logged("reason=\"it answered NOPERM"), 1) << log.str();
  EXPECT_EQ(decide(elsewhere).error(), Errc::unavailable) << "the breaker is open";
  elsewhere.stop();
}

TEST_F(RedisLimiter, KeepsItsKeysUnderThePrefixInTheDatabase) {
  start();
  options.database = 5;
  options.key_prefix = "shop:";
  Limiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"EVAL", "redis.call('SELECT', 5); return redis.call('KEYS', '*')[1]", "0"}),
            "shop:v1:{caller}:test:");
  limiter.stop();
}

TEST_F(RedisLimiter, FailsWhatIsWaitingWhenStoppedAndLeavesTheLoopDry) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  redis.pause();
  const auto answers = ask_many(limiter, 20);
  limiter.stop();
  ASSERT_TRUE(all_done(answers)) << "at once";
  for (const auto& answer : answers) EXPECT_EQ(answer.error(), Errc::stopped);
  EXPECT_EQ(decide(limiter).error(), Errc::stopped);
  keeps_running.reset();
  loop.run_for(2s);
  EXPECT_TRUE(loop.stopped()) << "handlers are left";
}

TEST_F(RedisLimiter, MayBeStoppedAndDestroyedByACallerThatItResumes) {
  start();
  for (const bool by_answer : {true, false}) {
    auto limiter = std::make_unique<Limiter>(loop, options);
    ASSERT_TRUE(run_until_up(*limiter));
    if (!by_answer) redis.pause();
    bool done = false;
    const auto destroyer = [&]() -> Task<void> {
      Answer answer;
      auto task = ask(*limiter, rule, "caller", 1, answer);
      co_await task;
      limiter.reset();
      done = true;
    };
    spawn(destroyer(), "test");
    const auto others = ask_many(*limiter, 20);
    ASSERT_TRUE(run_until([&] { return done && all_done(others); }));
    for (const auto& answer : others) EXPECT_EQ(answer.error(), Errc::stopped);
  }
}

TEST_F(RedisLimiter, ForgetsACallerThatDiesBeforeTheAnswer) {
  start();
  Limiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  {
    std::string subject = "caller";
    std::array<limit::Ask, 1> asks{limit::Ask{&rule, subject, {}, 4}};
    std::array<limit::Verdict, 1> verdicts;
    auto task = limiter.decide(asks, verdicts);
    task.await_suspend(std::noop_coroutine()).resume();
  }
  const Answer next = decide(limiter);
  EXPECT_TRUE(next.allowed());
  EXPECT_EQ(next.verdict.remaining, 5u) << "what was sent was counted, and answers still find their callers";
  EXPECT_EQ(limiter.counters().decided, 1u);
  limiter.stop();
}

TEST_F(RedisLimiter, SurvivesANameThatCannotBeResolved) {
  start();
  options.host = "no-such-host.invalid";
  Limiter limiter(loop, options);
  const Answer answer = decide(limiter);
  EXPECT_TRUE(answer.error() == Errc::unavailable || answer.error() == Errc::timed_out) << answer.error().message();
  EXPECT_TRUE(run_until([&] { return logged("the name cannot be resolved") == 1; })) << log.str();
  limiter.stop();
}

TEST_F(RedisLimiter, ResolvesNames) {
  start();
  options.host = "localhost";
  Limiter limiter(loop, options);
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
