// The log of suspensions with one redis-server.
#include "ban_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"

#include <gmock/gmock.h>

namespace headgate::redis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kKey = "hg:v1:{bans}";

class BanLogTest : public WithBanLogs<RedisLimiter> {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!IsSkipped()) start();
  }
  std::string cli(const std::string& words) const { return test::redis_cli(redis.port(), words); }
  /// Appends an entry as another gateway would.
  std::string add(const std::string& id, const std::string& key, std::int64_t at) const {
    return add_text(id, std::to_string(at) + " 60000000 0 0 rejections 0 0 5 login" + key);
  }
  std::string add_text(const std::string& id, const std::string& text) const {
    return cli("XADD '" + std::string(kKey) + "' '" + id + "' ban '" + text + "'");
  }
  static std::int64_t micros(Instant time) { return time.time_since_epoch().count(); }
};

TEST_F(BanLogTest, GivesAnEntryToAnotherGatewayInItsNextRead) {
  BanLog one(loop, options);
  BanLog other(loop, options);
  limit::Ban ban = ban_of(std::string("203.0.113.7\0\r\n'", 15));
  ban.level = 3;
  ban.reason = limit::BanReason::statuses;
  ban.observed = true;
  std::string position;
  EXPECT_THAT(poll(other, position), IsEmpty());
  ASSERT_EQ(append(one, ban), error_code()) << log.str();
  const auto news = read(other, position);
  ASSERT_TRUE(news.has_value());
  ASSERT_EQ(news->bans.size(), 1u);
  const limit::Ban& got = news->bans[0];
  EXPECT_EQ(got.limit, ban.limit);
  EXPECT_EQ(got.key, ban.key);
  EXPECT_EQ(got.level, 3u);
  EXPECT_EQ(got.reason, limit::BanReason::statuses);
  EXPECT_TRUE(got.observed);
  EXPECT_FALSE(got.lifted);
  EXPECT_GT(got.version, 0u);
  EXPECT_FALSE(news->more);
  EXPECT_LT(std::chrono::abs(got.until - ban.until), 1s) << "only the two calls lie between";
  EXPECT_LT(std::chrono::abs(got.since - ban.since), 1s);
  position = news->position;
  EXPECT_THAT(poll(other, position), IsEmpty()) << "each comes once";
  EXPECT_EQ(other.unreadable(), 0u);
  one.stop();
  other.stop();
  expect_empty_loop();
}

TEST_F(BanLogTest, GivesAllEntriesInTheirOrderPageByPage) {
  BanLog bans(loop, options);
  std::vector<std::string> appended;
  for (std::size_t i = 0; i < BanLog::kPage; ++i) {
    appended.push_back("caller-" + std::to_string(i));
    ASSERT_EQ(append(bans, ban_of(appended.back())), error_code());
  }
  auto page = read(bans, "");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(keys_of(*page), appended);
  EXPECT_FALSE(page->more) << "exactly one page";
  for (int i = 0; i < 3; ++i) {
    appended.push_back("late-" + std::to_string(i));
    ASSERT_EQ(append(bans, ban_of(appended.back())), error_code());
  }
  page = read(bans, "");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->bans.size(), BanLog::kPage);
  EXPECT_TRUE(page->more);
  const auto rest = read(bans, page->position);
  ASSERT_TRUE(rest.has_value());
  EXPECT_THAT(keys_of(*rest), ElementsAre("late-0", "late-1", "late-2"));
  EXPECT_FALSE(rest->more);
  for (std::size_t i = 1; i < page->bans.size(); ++i) EXPECT_GT(page->bans[i].version, page->bans[i - 1].version);
  EXPECT_GT(rest->bans[0].version, page->bans.back().version);
  bans.stop();
}

TEST_F(BanLogTest, AsksOneSmallCommandWhereThereIsNoNews) {
  BanLog bans(loop, options);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(append(bans, ban_of("caller-" + std::to_string(i))), error_code());
  std::string position;
  EXPECT_EQ(poll(bans, position).size(), 50u);
  ASSERT_EQ(cli("CONFIG RESETSTAT"), "OK");
  for (int i = 0; i < 20; ++i) EXPECT_THAT(poll(bans, position), IsEmpty());
  const std::string stats = cli("INFO commandstats");
  EXPECT_THAT(stats, HasSubstr("cmdstat_evalsha:calls=20,"));
  EXPECT_THAT(stats, HasSubstr("cmdstat_xrange:calls=20,"));
  const std::string all = cli("INFO stats");
  const auto sent = all.find("total_net_output_bytes:");
  ASSERT_NE(sent, std::string::npos);
  // Also what the two commands above were answered.
  EXPECT_LT(std::stoul(all.substr(sent + 23)), 20 * 64 + stats.size() + 500);
  bans.stop();
}

TEST_F(BanLogTest, KeepsTheLogOverARestartOfRedisAndOfAGateway) {
  redis.stop();
  start({"--appendonly", "yes", "--appendfsync", "always"});
  std::string position;
  BanLog bans(loop, options);
  ASSERT_EQ(append(bans, ban_of("first")), error_code()) << log.str();
  EXPECT_THAT(poll(bans, position), ElementsAre("first"));
  ASSERT_TRUE(redis.restart()) << redis.error();
  ASSERT_TRUE(append_at_last(bans, ban_of("second")));
  EXPECT_THAT(poll(bans, position), ElementsAre("second")) << "the position is still good";
  BanLog later(loop, options);
  std::string of_later;
  EXPECT_THAT(poll(later, of_later), ElementsAre("first", "second"));
  bans.stop();
  later.stop();
}

TEST_F(BanLogTest, ReadsFromTheBeginningWhereTheLogLostWhatWasReadLast) {
  BanLog bans(loop, options);
  std::string position;
  ASSERT_EQ(append(bans, ban_of("kept")), error_code());
  ASSERT_EQ(append(bans, ban_of("lost")), error_code());
  EXPECT_THAT(poll(bans, position), ElementsAre("kept", "lost"));
  // What a failover does to the last entry. The new master's clock is behind.
  ASSERT_EQ(cli("DEL '" + std::string(kKey) + "'"), "1");
  EXPECT_THAT(poll(bans, position), IsEmpty());
  EXPECT_EQ(position, "") << "nothing is left to stand behind";
  add("5000-1", "kept", micros(headgate::now()));
  EXPECT_THAT(poll(bans, position), ElementsAre("kept"));
  ASSERT_EQ(cli("DEL '" + std::string(kKey) + "'"), "1");
  add("4000-0", "new", micros(headgate::now()));
  add("5000-1", "other", micros(headgate::now()));
  EXPECT_THAT(poll(bans, position), ElementsAre("new", "other")) << "the same id is not the same entry";
  EXPECT_THAT(poll(bans, position), IsEmpty());
  bans.stop();
}

TEST_F(BanLogTest, GivesItsOwnEntriesHigherVersionsThanAllThatItHasRead) {
  BanLog bans(loop, options);
  const auto ahead = std::to_string(micros(headgate::now() + 1h) / 1000);
  add(ahead + "-7", "caller", micros(headgate::now()));
  const auto before = read(bans, "");
  ASSERT_TRUE(before.has_value());
  ASSERT_EQ(before->bans.size(), 1u);
  ASSERT_EQ(cli("DEL '" + std::string(kKey) + "'"), "1");
  ASSERT_EQ(append(bans, ban_of("caller")), error_code());
  const auto after = read(bans, "");
  ASSERT_TRUE(after.has_value());
  ASSERT_EQ(after->bans.size(), 1u);
  EXPECT_EQ(after->bans[0].version, before->bans[0].version + 1);
  // The log may be further than this gateway has read.
  add(ahead + "-9000", "caller", micros(headgate::now()));
  EXPECT_EQ(append(bans, ban_of("last")), error_code());
  const auto last = read(bans, "");
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(keys_of(*last), ElementsAre("caller", "caller", "last"));
  bans.stop();
}

TEST_F(BanLogTest, MakesNoSuspensionLongerWhereTheClockOfRedisWasSetBack) {
  BanLog bans(loop, options);
  add("1-1", "caller", micros(headgate::now() + 1h));
  const auto news = read(bans, "");
  ASSERT_TRUE(news.has_value());
  ASSERT_EQ(news->bans.size(), 1u);
  EXPECT_LE(news->bans[0].until, headgate::now() + 60s);
  EXPECT_GT(news->bans[0].until, headgate::now() + 50s);
  bans.stop();
}

TEST_F(BanLogTest, DropsWhatEndedLongAgoButNoLiftBeforeItsSuspension) {
  BanLog bans(loop, options, 0s);
  std::string position;
  ASSERT_EQ(append(bans, ban_of("ended", -1ms)), error_code());
  ASSERT_EQ(append(bans, ban_of("lasting")), error_code());
  EXPECT_THAT(poll(bans, position), ElementsAre("lasting"));
  limit::Ban lift = ban_of("lasting", -1ms);
  lift.lifted = true;
  ASSERT_EQ(append(bans, lift), error_code());
  ASSERT_EQ(append(bans, ban_of("next")), error_code());
  position.clear();
  EXPECT_THAT(poll(bans, position), ElementsAre("lasting", "lasting", "next"));
  BanLog keeps(loop, options, 1h);
  ASSERT_EQ(append(keeps, ban_of("short", -1ms)), error_code());
  ASSERT_EQ(append(keeps, ban_of("next")), error_code());
  position.clear();
  EXPECT_EQ(poll(keeps, position).size(), 5u);
  bans.stop();
  keeps.stop();
}

TEST_F(BanLogTest, IsBoundedInLengthAndInTime) {
  BanLog bans(loop, options);
  ASSERT_EQ(cli("EVAL \"for i = 1, 70000 do redis.call('XADD', KEYS[1], '*', 'limit', 'x') end return 1\" 1 '" +
                std::string(kKey) + "'"),
            "1");
  ASSERT_EQ(append(bans, ban_of("caller")), error_code());
  EXPECT_LE(std::stoul(cli("XLEN '" + std::string(kKey) + "'")), BanLog::kMaxEntries + 200);
  const auto left = [&] { return std::chrono::milliseconds(std::stoll(cli("PTTL '" + std::string(kKey) + "'"))); };
  EXPECT_GT(left(), std::chrono::hours(31 * 24 - 1));
  EXPECT_LE(left(), std::chrono::hours(31 * 24));
  ASSERT_EQ(append(bans, ban_of("long", std::chrono::hours(40 * 24))), error_code());
  EXPECT_GT(left(), std::chrono::hours(40 * 24)) << "also what ended is kept for a day";
  ASSERT_EQ(append(bans, ban_of("short")), error_code());
  EXPECT_GT(left(), std::chrono::hours(40 * 24)) << "a shorter one does not shorten it";
  limit::Ban ever = ban_of("ever");
  ever.until = Instant::max();
  ever.since = Instant::min();
  ASSERT_EQ(append(bans, ever), error_code());
  EXPECT_LE(left(), BanLog::kLongest + std::chrono::hours(25));
  bans.stop();
}

TEST_F(BanLogTest, ReportsAValueOfAnotherTypeOnceAndLeavesIt) {
  ASSERT_EQ(cli("SET '" + std::string(kKey) + "' mine"), "OK");
  BanLog bans(loop, options);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(read(bans, "").error(), Errc::refused_by_server);
    EXPECT_EQ(append(bans, ban_of("caller")), Errc::refused_by_server);
  }
  EXPECT_EQ(cli("GET '" + std::string(kKey) + "'"), "mine");
  EXPECT_EQ(logged(" ban_log_error"), 2) << log.str();
  EXPECT_THAT(log.str(), HasSubstr("WRONGTYPE"));
  EXPECT_EQ(logged("redis_error"), 0) << log.str();
  EXPECT_EQ(bans.health(), RedisHealth::up) << "Redis is well";
  ASSERT_EQ(cli("DEL '" + std::string(kKey) + "'"), "1");
  EXPECT_EQ(append(bans, ban_of("caller")), error_code());
  std::string position;
  EXPECT_THAT(poll(bans, position), ElementsAre("caller"));
  EXPECT_EQ(logged(" ban_log_works"), 2) << log.str();
  bans.stop();
}

TEST_F(BanLogTest, SkipsEntriesThatNoGatewayWrote) {
  const std::string key(kKey);
  cli("XADD '" + key + "' '*' foo bar");
  cli("EVAL \"return redis.call('XADD', KEYS[1], '*', 'ban', string.rep('m', 100000), 'key', 'x')\" 1 '" + key + "'");
  const std::string at = std::to_string(micros(headgate::now()));
  for (const std::string& text :
       {std::string(" "), at, at + " 1000", std::string("-5 9 0 0 rejections 0 0 1 xkey"),
        at + " 9223372036854775807 0 0 rejections 0 0 1 xkey", at + " 9 0 -1 rejections 0 0 1 xkey",
        at + " 9 0 4294967296 rejections 0 0 1 xkey", at + " 9 0 0 whim 0 0 1 xkey",
        at + " 9 0 0 rejections yes 0 1 xkey", at + " 9 0 0 rejections 0 0 0 key", at + " 9 0 0 rejections 0 0 5 key",
        at + " 9 0 0 rejections 0 0 1 x" + std::string(257, 'k')})
    add_text("*", text);
  cli("XADD '" + key + "' '*' ban '" + at + " 9000000 0 0 rejections 0 0 1 xlater' added_by_a_later_version 1");
  BanLog bans(loop, options);
  ASSERT_EQ(append(bans, ban_of("ours")), error_code()) << log.str();
  std::string position;
  EXPECT_THAT(poll(bans, position), ElementsAre("later", "ours"));
  EXPECT_EQ(bans.unreadable(), 14u);
  EXPECT_EQ(logged(" ban_log_entry_skipped"), 1) << log.str();
  EXPECT_THAT(poll(bans, position), IsEmpty());
  // Also a foreign entry is a place to read on from.
  cli("XADD '" + key + "' '*' ban " + std::string(3000, 'm'));
  EXPECT_THAT(poll(bans, position), IsEmpty());
  ASSERT_EQ(append(bans, ban_of("next")), error_code());
  EXPECT_THAT(poll(bans, position), ElementsAre("next"));
  EXPECT_EQ(bans.unreadable(), 15u);
  EXPECT_EQ(logged(" ban_log_entry_skipped"), 1);
  bans.stop();
}

TEST_F(BanLogTest, RefusesANameOrAKeyThatIsTooLong) {
  BanLog bans(loop, options);
  EXPECT_EQ(append(bans, ban_of(std::string(256, 'k'))), error_code());
  EXPECT_EQ(append(bans, ban_of(std::string(257, 'k'))), boost::system::errc::invalid_argument);
  limit::Ban nameless = ban_of("caller");
  nameless.limit.clear();
  EXPECT_EQ(append(bans, nameless), boost::system::errc::invalid_argument);
  std::string position = "nonsense";
  EXPECT_EQ(poll(bans, position), std::vector{std::string(256, 'k')}) << "no position is the beginning";
  bans.stop();
}

TEST_F(BanLogTest, SurvivesThatTheScriptIsForgotten) {
  BanLog bans(loop, options);
  ASSERT_EQ(append(bans, ban_of("first")), error_code());
  ASSERT_EQ(cli("SCRIPT FLUSH"), "OK");
  ASSERT_EQ(append(bans, ban_of("second")), error_code());
  std::string position;
  EXPECT_THAT(poll(bans, position), ElementsAre("first", "second"));
  bans.stop();
}

TEST_F(BanLogTest, FailsWithinItsDeadlineIfRedisHangs) {
  BanLog bans(loop, options);
  ASSERT_EQ(append(bans, ban_of("caller")), error_code());
  redis.pause();
  const auto start = Clock::now();
  EXPECT_EQ(read(bans, "").error(), Errc::timed_out);
  EXPECT_LT(Clock::now() - start, 2s);
  EXPECT_EQ(append(bans, ban_of("next")), Errc::unavailable) << "the breaker is open";
  redis.resume();
  EXPECT_TRUE(append_at_last(bans, ban_of("last")));
  bans.stop();
}

TEST_F(BanLogTest, EndsACallThatIsUnderWayWhenItIsStopped) {
  BanLog bans(loop, options);
  ASSERT_EQ(append(bans, ban_of("caller")), error_code());
  redis.pause();
  const auto entry = limit::entry_of(ban_of("next"));
  std::optional<Result<std::uint64_t>> appended;
  std::optional<Result<limit::SharedLog::News>> got;
  spawn(keep_result(bans.append(entry), appended), "test");
  spawn(keep_result(bans.read(""), got), "test");
  run_for(50ms);
  EXPECT_FALSE(appended.has_value());
  bans.stop();
  ASSERT_TRUE(appended.has_value() && got.has_value());
  EXPECT_EQ(appended->error(), Errc::stopped);
  EXPECT_EQ(got->error(), Errc::stopped);
  EXPECT_EQ(read(bans, "").error(), Errc::stopped);
  expect_empty_loop();
  redis.resume();
}

TEST_F(BanLogTest, MayBeDestroyedDuringACall) {
  redis.pause();
  std::optional<Result<limit::SharedLog::News>> got;
  {
    BanLog bans(loop, options);
    spawn(keep_result(bans.read(""), got), "test");
    run_for(50ms);
  }
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->error(), Errc::stopped);
  expect_empty_loop();
  redis.resume();
}

TEST_F(BanLogTest, SaysOnceThatARightIsMissingAndGoesOnWithTheOthers) {
  ASSERT_EQ(cli("ACL SETUSER gate on '>secret' '~hg:*' +@all -xadd"), "OK");
  options.username = "gate";
  options.password = "secret";
  BanLog bans(loop, options);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(append(bans, ban_of("caller")), Errc::refused_by_server);
    EXPECT_TRUE(read(bans, "").has_value());
  }
  EXPECT_EQ(logged(" ban_log_error"), 1) << log.str();
  EXPECT_EQ(logged(" redis_lost"), 0) << log.str();
  bans.stop();
}

}  // namespace
}  // namespace headgate::redis
