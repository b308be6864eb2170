// What the limiter does when Redis hangs, dies, comes back, changes its role, or refuses.
#include "redis_fixture.hpp"

#include <algorithm>

namespace headgate::redis {
namespace {

using RedisOutage = RedisLimiter;

TEST_F(RedisOutage, PaysOneDeadlineForAHungServerThenFailsAtOnceAndRecoversByItself) {
  start();
  SharedLimiter limiter(loop, options);
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
    spawn(check(limiter, rule, "caller", 1, answer), "test");
    EXPECT_EQ(answer.error(), Errc::unavailable) << "without one turn of the loop";
  }
  EXPECT_LT(Clock::now() - hung_at, 4 * options.timeout);
  EXPECT_NE(limiter.health(), RedisHealth::up);
  EXPECT_EQ(logged(" redis_lost"), 1) << log.str();
  EXPECT_EQ(logged("reason=\"it did not answer within 200ms\""), 1) << log.str();
  run_for(300ms);
  redis.resume();
  EXPECT_TRUE(decide_until(
      limiter, [](const Answer& answer) { return answer.result->has_value(); }, 3s));
  EXPECT_EQ(limiter.health(), RedisHealth::up);
  EXPECT_EQ(limiter.counters().connects, 1u) << "on the same connection";
  EXPECT_EQ(logged(" redis_found"), 2) << log.str();
  limiter.stop();
}

TEST_F(RedisOutage, ConnectsAgainIfAServerWasSilentForLong) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  redis.pause();
  EXPECT_EQ(decide(limiter).error(), Errc::timed_out);
  run_for(3s);  // the old connection is dropped after 1 s, the handshake of the next one after another second
  EXPECT_EQ(logged("it did not answer at all for 1s"), 1) << log.str();
  redis.resume();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.result->has_value(); }));
  EXPECT_EQ(limiter.counters().connects, 2u);
  limiter.stop();
}

TEST_F(RedisOutage, FailsAtOnceWhenTheServerDiesAndFindsItsSuccessorOnTheSamePort) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  redis.pause();
  auto answers = ask_many(limiter, 5);
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  for (const auto& answer : answers) EXPECT_EQ(answer.error(), Errc::unavailable);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(limiter.health(), RedisHealth::down);
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  EXPECT_EQ(limiter.counters().connects, 2u);
  limiter.stop();
}

TEST_F(RedisOutage, WaitsForAServerThatStartsLater) {
  start();
  redis.stop();
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(logged(" redis_lost"), 1) << log.str();
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

TEST_F(RedisOutage, DoesNotNoticeThatTheScriptCacheWasFlushed) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter, 2).allowed());
  EXPECT_EQ(command({"SCRIPT", "FLUSH"}), "+OK");
  const auto answers = ask_many(limiter, 20);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 8);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.rejected(); }), 12);
  EXPECT_EQ(limiter.counters().refused, 0u);
  limiter.stop();
}

TEST_F(RedisOutage, LeavesAServerThatBecameAReplicaUntilItIsPromoted) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"REPLICAOF", "127.0.0.1", "1"}), "+OK");
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  ASSERT_TRUE(run_until([&] { return logged("it is a replica, which accepts no writes") == 1; })) << log.str();
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(command({"REPLICAOF", "NO", "ONE"}), "+OK");
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

TEST_F(RedisOutage, KeepsTheConnectionToAServerOutOfMemoryAndSeesByItselfWhenThereIsRoomAgain) {
  start({"--maxmemory-policy", "noeviction"});
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"CONFIG", "SET", "maxmemory", "1"}), "+OK");
  EXPECT_EQ(decide(limiter).error(), Errc::refused_by_server);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable) << "the breaker is open";
  EXPECT_EQ(logged("reason=\"it answered OOM"), 1) << log.str();
  const auto asked = limiter.counters().sent;
  run_for(700ms);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable) << "nobody has to try";
  EXPECT_EQ(limiter.counters().sent, asked);
  EXPECT_EQ(command({"CONFIG", "SET", "maxmemory", "0"}), "+OK");
  ASSERT_TRUE(run_until_up(limiter)) << "it is looked at in the background";
  EXPECT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(limiter.health(), RedisHealth::up);
  EXPECT_EQ(limiter.counters().connects, 1u);
  limiter.stop();
}

TEST_F(RedisOutage, CostsOneDeadlineIfTheServerHoldsWritesBackAndEndsWhenItStops) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"CLIENT", "PAUSE", "60000", "WRITE"}), "+OK");
  EXPECT_EQ(decide(limiter).error(), Errc::timed_out);
  while (limiter.counters().connects < 3) {  // each connection answers, but none of them decides
    EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
    run_for(20ms);
  }
  EXPECT_EQ(limiter.counters().timed_out, 1u);
  EXPECT_NE(limiter.health(), RedisHealth::up);
  EXPECT_EQ(command({"CLIENT", "UNPAUSE"}), "+OK");
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
}

TEST_F(RedisOutage, LeavesNothingOfItsProbesBehind) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(run_until([&] { return command({"DBSIZE"}) == ":0"; }));
  limiter.stop();
}

TEST_F(RedisOutage, ChargesOnceForOneTokenHoweverOftenItIsSent) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  const auto charge = [&](std::int64_t cost, std::string token) {
    std::optional<error_code> why;
    const auto task = [&]() -> Task<void> {
      const auto owed = check_of(rule, "caller", cost, limit::How::debt);
      auto charging = limiter.charge(owed, token);
      why = co_await charging;
    };
    spawn(task(), "test");
    EXPECT_TRUE(run_until([&] { return why.has_value(); }));
    return why.value_or(Errc::stopped);
  };
  EXPECT_FALSE(charge(3, "one"));
  EXPECT_FALSE(charge(3, "one"));
  EXPECT_FALSE(charge(2, "one"));
  EXPECT_FALSE(charge(2, "two"));
  EXPECT_EQ(decide(limiter, 0).decision.remaining, 10u - 1 - 3 - 2);
  EXPECT_EQ(limiter.local().charged, 5u);
  redis.kill9();
  EXPECT_TRUE(charge(1, "three"));
  limiter.stop();
}

TEST_F(RedisOutage, TellsHowLongOthersMayStillRecover) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_LT(limiter.recovering_until(), Clock::now()) << "to find Redis at first is no way back";
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return limiter.health() == RedisHealth::down; }));
  const auto down = Clock::now();
  run_for(300ms);
  ASSERT_TRUE(redis.restart()) << redis.error();
  ASSERT_TRUE(run_until_up(limiter));
  const auto lasted = Clock::now() - down;
  EXPECT_GT(limiter.recovering_until(), Clock::now());
  EXPECT_LE(limiter.recovering_until(), Clock::now() + std::min<Clock::duration>(lasted + 50ms, 2s));
  limiter.stop();
}

TEST_F(RedisOutage, GivesThePasswordAndNeverLogsIt) {
  start({"--requirepass", "open sesame"});
  options.password = "open sesame";
  options.database = 3;
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
  options.password = "wrong horse";
  SharedLimiter wrong(loop, options);
  EXPECT_EQ(decide(wrong).error(), Errc::unavailable);
  EXPECT_EQ(logged("reason=\"Redis refused the username or password\""), 1) << log.str();
  wrong.stop();
  options.password.clear();
  SharedLimiter without(loop, options);
  EXPECT_EQ(decide(without).error(), Errc::unavailable);
  EXPECT_EQ(logged("Redis requires a password, but the configuration has none"), 1) << log.str();
  without.stop();
  EXPECT_EQ(logged("sesame") + logged("horse"), 0) << log.str();
}

TEST_F(RedisOutage, NeedsNoMoreOfAnAclUserThanTheScriptAndItsKeys) {
  start();
  EXPECT_EQ(command({"ACL", "SETUSER", "gate", "on", ">secret", "~hg:*", "+eval", "+evalsha", "+get", "+set", "+del",
                     "+time"}),
            "+OK");
  options.username = "gate";
  options.password = "secret";
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
  options.key_prefix = "other:";
  SharedLimiter elsewhere(loop, options);
  EXPECT_EQ(decide(elsewhere).error(), Errc::refused_by_server);
  EXPECT_EQ(logged("reason=\"it answered NOPERM"), 1) << log.str();
  EXPECT_EQ(decide(elsewhere).error(), Errc::unavailable) << "the breaker is open";
  elsewhere.stop();
}

TEST_F(RedisOutage, SurvivesANameThatCannotBeResolved) {
  start();
  options.nodes[0].host = "no-such-host.invalid";
  SharedLimiter limiter(loop, options);
  const Answer answer = decide(limiter);
  EXPECT_TRUE(answer.error() == Errc::unavailable || answer.error() == Errc::timed_out) << answer.error().message();
  EXPECT_TRUE(run_until([&] { return logged("the name cannot be resolved") == 1; })) << log.str();
  limiter.stop();
}

TEST_F(RedisOutage, ResolvesNames) {
  start();
  options.nodes[0].host = "localhost";
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide_until(limiter, [](const Answer& answer) { return answer.allowed(); }));
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
