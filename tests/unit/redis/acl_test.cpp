// The least that an operator must allow, as include/headgate/redis/options.hpp says it.
#include "../../../src/redis/shared/scripts.hpp"
#include "ban_fixture.hpp"
#include "cluster_fixture.hpp"
#include "ledger_fixture.hpp"
#include "redis_fixture.hpp"
#include "support/redis_cli.hpp"

#include "headgate/limit/script.hpp"
#include "headgate/redis/notice_marks.hpp"
#include "headgate/room/script.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace headgate::redis {
namespace {

/// "~hg:* +evalsha ...": what follows the password.
std::string documented_rule() {
  std::ifstream in(HEADGATE_SOURCE_DIR "/include/headgate/redis/options.hpp");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::smatch found;
  if (!std::regex_search(text, found, std::regex("ACL SETUSER gate on >secret ([^\n]*)\n///   ([^\n]*)\n"))) return {};
  return found[1].str() + " " + found[2].str();
}

/// What the header says of further rights; `pattern` has one group.
std::string documented(const std::string& pattern) {
  std::ifstream in(HEADGATE_SOURCE_DIR "/include/headgate/redis/options.hpp");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : std::string();
}

/// The same with what the shared logs need.
std::string documented_rule_with_logs() {
  return documented_rule() + " " + documented("For suspensions and overrides \\(RedisSharedLog\\) also ([^.]*)\\.");
}

/// The same with what RedisLedger needs.
std::string documented_rule_with_ledger() {
  auto words = documented("For billed use \\(RedisLedger\\) also ([^.]*)\\.");
  if (const auto at = words.find("\n/// "); at != std::string::npos) words.replace(at, 5, " ");
  return documented_rule() + " " + words;
}

void expect_names_all(const std::string& rule, const std::string& script, int least = 4) {
  const std::regex command("call\\('([A-Z]+)'");
  int commands = 0;
  for (std::sregex_iterator at(script.begin(), script.end(), command), end; at != end; ++at, ++commands) {
    std::string name = (*at)[1];
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_THAT(rule, testing::HasSubstr("+" + name + " "));
  }
  EXPECT_GE(commands, least);
}

std::string quoted(const std::string& words) {
  std::string out = "'" + words + "'";
  for (auto at = out.find(' '); at != std::string::npos; at = out.find(' ', at + 3)) out.replace(at, 1, "' '");
  return out;
}

TEST(Acl, NamesEveryCommandOfTheScripts) {
  expect_names_all(documented_rule() + " ", std::string(limit::decide_script()));
  expect_names_all(documented_rule() + " ", std::string(limit_fingerprints_script()));
  expect_names_all(documented_rule() + " " + documented("For SharedLimiter::forget also ([^.]*)\\.") + " ",
                   std::string(forget_limit_script()), 3);
  expect_names_all(documented_rule_with_logs() + " ", std::string(shared_log_script()));
  expect_names_all(documented_rule_with_ledger() + " ", std::string(ledger_script()));
  expect_names_all(documented_rule() + " " + documented("For waiting rooms also ([^.]*)\\.") + " ",
                   std::string(room::waiting_room_script()));
}

TEST(Acl, IsTheOneOfThePage) {
  std::ifstream in(HEADGATE_SOURCE_DIR "/docs/limits_in_redis.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  std::string rights = documented_rule_with_ledger() + " " + documented_rule_with_logs();
  for (const char* of : {"For SharedLimiter::forget also ([^.]*)\\.", "For waiting rooms also ([^.]*)\\."})
    rights += " " + documented(of);
  std::istringstream words(rights);
  int named = 0;
  for (std::string word; words >> word; ++named)
    EXPECT_THAT(page,
                testing::ContainsRegex("[ `\n]" + std::regex_replace(word, std::regex(R"([+*|])"), "[$&]") + "[ `\n]"));
  EXPECT_GT(named, 30);
}

TEST_F(RedisLimiter, NeedsNoMoreOfAUserThanIsWritten) {
  start();
  ASSERT_EQ(test::redis_cli(redis.port(), "ACL SETUSER gate on '>secret' " + quoted(documented_rule())), "OK");
  options.username = "gate";
  options.password = "secret";
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed()) << log.str();
  EXPECT_EQ(limiter.counters().refused, 0u);
  EXPECT_EQ(test::redis_cli(redis.port(), "ACL LOG").find("gate"), std::string::npos) << "nothing else was tried";
  limiter.stop();
  options.password = "guess";
  SharedLimiter wrong(loop, options);
  EXPECT_EQ(decide(wrong).error(), Errc::unavailable);
  EXPECT_EQ(logged("reason=\"Redis refused the username or password\""), 1) << log.str();
  wrong.stop();
}

using BanLogAcl = WithBanLogs<RedisLimiter>;

TEST_F(BanLogAcl, NeedsSevenCommandsMore) {
  start();
  ASSERT_EQ(test::redis_cli(redis.port(), "ACL SETUSER gate on '>secret' " + quoted(documented_rule_with_logs())),
            "OK");
  options.username = "gate";
  options.password = "secret";
  BanLog bans(loop, options, 0s);
  for (const char* key : {"ended", "lasting"}) EXPECT_EQ(append(bans, ban_of(key, 1ms)), error_code()) << log.str();
  std::string position;
  run_for(5ms);
  EXPECT_EQ(append(bans, ban_of("next")), error_code()) << log.str();
  EXPECT_EQ(poll(bans, position), std::vector<std::string>{"next"}) << log.str();
  EXPECT_TRUE(wait(bans.hear(position, 0)).has_value()) << log.str();
  EXPECT_EQ(test::redis_cli(redis.port(), "ACL LOG").find("gate"), std::string::npos);
  bans.stop();
}

using LedgerAcl = WithLedgers<RedisLimiter>;

TEST_F(LedgerAcl, NeedsFiveCommandsMore) {
  start();
  ASSERT_EQ(test::redis_cli(redis.port(), "ACL SETUSER gate on '>secret' " + quoted(documented_rule_with_ledger())),
            "OK");
  options.username = "gate";
  options.password = "secret";
  RedisLedger ledger(loop, options, "one");
  ASSERT_TRUE(add(ledger, batch_of(1, {{"plan acme", {5, 1}}})).has_value()) << log.str();
  EXPECT_EQ(all_of(ledger).size(), 1u) << log.str();
  EXPECT_EQ(test::redis_cli(redis.port(), "ACL LOG").find("gate"), std::string::npos);
  ledger.stop();
}

TEST_F(BanLogAcl, IsEnoughForMarksOfNoticesWithoutMore) {
  start();
  ASSERT_EQ(test::redis_cli(redis.port(), "ACL SETUSER gate on '>secret' " + quoted(documented_rule())), "OK");
  options.username = "gate";
  options.password = "secret";
  RedisNoticeMarks marks(loop, options);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(wait(marks.take("quota_a", 1h)).has_value()) << log.str();
  EXPECT_EQ(wait(marks.hold("quota_a", 1h)), error_code()) << log.str();
  EXPECT_EQ(wait(marks.told("quota_a", 1h)), error_code()) << log.str();
  EXPECT_EQ(test::redis_cli(redis.port(), "ACL LOG").find("gate"), std::string::npos);
  marks.stop();
}

class ClusterAcl : public ClusterFixture {
 protected:
  void SetUp() override { start(0); }
};

TEST_F(ClusterAcl, NeedsTwoCommandsMore) {
  for (const auto& node : cluster.nodes)
    ASSERT_EQ(test::redis_cli(node.port(),
                              "ACL SETUSER gate on '>secret' '+cluster|slots' +asking " + quoted(documented_rule())),
              "OK");
  options.username = "gate";
  options.password = "secret";
  const auto servers = Servers::make(loop, options);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(check(servers, {check_of(rule, "caller-" + std::to_string(i))}).allowed());
  EXPECT_TRUE(run_until_up(servers));
  for (const auto& node : cluster.nodes)
    EXPECT_EQ(test::redis_cli(node.port(), "ACL LOG").find("gate"), std::string::npos);
  servers->stop();
}

}  // namespace
}  // namespace headgate::redis
