// What the limiter does when Redis hangs, dies, comes back, changes its role, or refuses.
#include "redis_fixture.hpp"

#include <algorithm>

namespace headgate::redis {
namespace {

using RedisOutage = RedisLimiter;

TEST_F(RedisOutage, PaysOneDeadlineForAHungServerThenFailsAtOnceAndRecoversByItself) {
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

TEST_F(RedisOutage, ConnectsAgainWhereAServerWasSilentForLong) {
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

TEST_F(RedisOutage, FailsAtOnceWhenTheServerDiesAndFindsItsSuccessorOnTheSamePort) {
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

TEST_F(RedisOutage, WaitsForAServerThatStartsLater) {
  start();
  redis.stop();
  Limiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(logged("event=redis_lost"), 1) << log.str();
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

TEST_F(RedisOutage, DoesNotNoticeThatTheScriptCacheWasFlushed) {
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

TEST_F(RedisOutage, LeavesAServerThatBecameAReplicaUntilItIsPromoted) {
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

TEST_F(RedisOutage, KeepsTheConnectionToAServerOutOfMemoryAndTriesOneCallAtATime) {
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

TEST_F(RedisOutage, GivesThePasswordAndNeverLogsIt) {
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

TEST_F(RedisOutage, NeedsNoMoreOfAnAclUserThanTheScriptAndItsKeys) {
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

TEST_F(RedisOutage, SurvivesANameThatCannotBeResolved) {
  start();
  options.nodes[0].host = "no-such-host.invalid";
  Limiter limiter(loop, options);
  const Answer answer = decide(limiter);
  EXPECT_TRUE(answer.error() == Errc::unavailable || answer.error() == Errc::timed_out) << answer.error().message();
  EXPECT_TRUE(run_until([&] { return logged("the name cannot be resolved") == 1; })) << log.str();
  limiter.stop();
}

TEST_F(RedisOutage, ResolvesNames) {
  start();
  options.nodes[0].host = "localhost";
  Limiter limiter(loop, options);
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
