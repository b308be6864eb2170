// What holds for every shared log: who has heard, and that logs do not touch each other.
#include "ban_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"

#include "headgate/limit/override.hpp"

#include <gmock/gmock.h>

namespace headgate::redis {
namespace {

using testing::ElementsAre;

class SharedLogTest : public WithBanLogs<RedisLimiter> {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (!IsSkipped()) start();
  }
  std::string cli(const std::string& words) const { return test::redis_cli(redis.port(), words); }
  limit::LogEntry entry(const std::string& key) { return limit::entry_of(ban_of(key)); }
  std::pair<std::size_t, std::size_t> hear(limit::SharedLog& of, const std::string& position, std::uint64_t version) {
    const auto told = wait(of.hear(position, version));
    EXPECT_TRUE(told.has_value()) << log.str();
    return told.has_value() ? std::pair(told->heard, told->of) : std::pair<std::size_t, std::size_t>();
  }
  using Counts = std::pair<std::size_t, std::size_t>;
};

TEST_F(SharedLogTest, CountsTheGatewaysThatHaveReadAnEntry) {
  BanLog one(loop, options);
  BanLog other(loop, options);
  EXPECT_EQ(hear(one, "", 0), Counts(1, 1));
  EXPECT_EQ(hear(other, "", 0), Counts(2, 2));
  const auto first = wait(one.append(entry("first")));
  ASSERT_TRUE(first.has_value()) << log.str();
  EXPECT_EQ(hear(one, "", *first), Counts(0, 2)) << "nobody has read it";
  std::string position;
  poll(one, position);
  EXPECT_EQ(hear(one, position, *first), Counts(1, 2));
  const auto second = wait(other.append(entry("second")));
  std::string of_other;
  poll(other, of_other);
  EXPECT_EQ(hear(other, of_other, *second), Counts(1, 2));
  EXPECT_EQ(hear(other, of_other, *first), Counts(2, 2)) << "who has read the second has read the first";
  poll(one, position);
  EXPECT_EQ(hear(one, position, *second), Counts(2, 2));
  EXPECT_EQ(cli("HLEN 'hg:v1:{bans}:gateways'"), "2") << "each has one field";
  EXPECT_GT(std::stol(cli("PTTL 'hg:v1:{bans}:gateways'")), 15'000);
  EXPECT_LE(std::stol(cli("PTTL 'hg:v1:{bans}:gateways'")), 60'000);
  one.stop();
  other.stop();
}

TEST_F(SharedLogTest, DoesNotCountAGatewayThatWasSilentForFifteenSeconds) {
  BanLog one(loop, options);
  const auto now = headgate::now().time_since_epoch().count();
  const auto add = [&](const std::string& name, std::int64_t at) {
    cli("HSET 'hg:v1:{bans}:gateways' " + name + " '" + std::to_string(at) + " 99999999999999 0'");
  };
  add("late", now - 16'000'000);
  add("ahead", now + 16'000'000);
  add("there", now - 14'000'000);
  cli("HSET 'hg:v1:{bans}:gateways' foreign nonsense");
  EXPECT_EQ(hear(one, "", 0), Counts(2, 2));
  EXPECT_EQ(cli("HLEN 'hg:v1:{bans}:gateways'"), "2") << "the others are removed";
  one.stop();
}

TEST_F(SharedLogTest, DoesNotCountAGatewayThatHasLeft) {
  BanLog one(loop, options);
  BanLog other(loop, options);
  hear(one, "", 0);
  EXPECT_EQ(hear(other, "", 0), Counts(2, 2));
  EXPECT_EQ(wait(one.leave()), error_code());
  EXPECT_EQ(hear(other, "", 0), Counts(1, 1));
  EXPECT_EQ(wait(one.leave()), error_code()) << "again";
  one.stop();
  other.stop();
}

TEST_F(SharedLogTest, KeepsTheEntriesOfOneLogFromTheOther) {
  BanLog bans(loop, options);
  RedisSharedLog overrides(loop, options, kOverrides, 0s);
  limit::Override one;
  one.limit = "plan";
  one.key = std::string(256, 'k');
  one.why = std::string(200, 'w');
  for (int period = 1; period <= 8; ++period)
    one.rates.push_back(*parse_rate("999999999/" + std::to_string(period) + "h"));
  one.since = headgate::now();
  one.until = one.since + 1h;
  ASSERT_TRUE(wait(overrides.append(limit::entry_of(one))).has_value()) << log.str();
  ASSERT_TRUE(wait(bans.append(entry("caller"))).has_value());
  const auto news = wait(overrides.read(""));
  ASSERT_TRUE(news.has_value());
  ASSERT_EQ(news->entries.size(), 1u);
  const auto read = limit::read_override(news->entries[0]);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key, one.key);
  EXPECT_EQ(read->rates, one.rates);
  EXPECT_EQ(read->why, one.why);
  EXPECT_LT(std::chrono::abs(read->until - one.until), 1s);
  std::string position;
  EXPECT_THAT(poll(bans, position), ElementsAre("caller"));
  EXPECT_EQ(wait(overrides.append(entry("caller"))).error(), boost::system::errc::invalid_argument)
      << "a suspension is no override";
  bans.stop();
  overrides.stop();
}

TEST_F(SharedLogTest, SaysOnceThatWhoHasHeardCannotBeAsked) {
  ASSERT_EQ(cli("ACL SETUSER gate on '>secret' '~hg:*' +@all -hset"), "OK");
  options.username = "gate";
  options.password = "secret";
  BanLog bans(loop, options);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(wait(bans.hear("", 0)).error(), Errc::refused_by_server);
    EXPECT_EQ(append(bans, ban_of("caller")), error_code()) << "all else works";
  }
  EXPECT_EQ(logged(" ban_log_error"), 1) << log.str();
  bans.stop();
}

}  // namespace
}  // namespace headgate::redis
