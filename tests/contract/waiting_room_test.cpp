// A room in Redis behaves like a room in memory: the same answers at the same times.

#include "redis_client.hpp"
#include "support/redis_server.hpp"

#include "headgate/room/line.hpp"
#include "headgate/room/script.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using room::Ask;
using room::Question;

/// The script with the test's clock: TIME is the last two arguments, and nothing expires.
class RoomInRedis {
 public:
  explicit RoomInRedis(std::uint16_t port) : client(port) {
    std::string script(room::waiting_room_script());
    const std::string line = "local call, pcall, format = redis.call, redis.pcall, string.format\n";
    const auto at = script.find(line);
    if (at == std::string::npos) throw std::logic_error("the script no longer has the line that names redis.call");
    script.replace(at, line.size(), R"(
local pcall, format = redis.pcall, string.format
local call = function(command, ...)
  if command == 'TIME' then return {ARGV[#ARGV - 1] + 0, ARGV[#ARGV] + 0} end
  if command == 'PEXPIRE' then return 1 end
  return redis.call(command, ...)
end
)");
    sha_ = client.text({"SCRIPT", "LOAD", script});
  }

  std::optional<room::Answer> ask(const room::RoomRule& rule, const Question& question, Instant now) {
    room::script_arguments(rule, question, "hg:", arguments_);
    std::vector<std::string> words = {"EVALSHA", sha_};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    const auto microseconds = now.time_since_epoch().count();
    words.push_back(std::to_string(microseconds / 1'000'000));
    words.push_back(std::to_string(microseconds % 1'000'000));
    std::string error;
    const auto reply = client.integers(words, error);
    EXPECT_TRUE(reply) << error;
    return reply ? room::read_script_reply(*reply, question) : std::nullopt;
  }

  RedisClient client;

 private:
  std::string sha_;
  std::vector<std::string> arguments_;
};

const Instant kRoomStart{std::chrono::seconds(1'760'000'000)};

class RoomContract : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(server.start()) << server.error();
  }
  RedisServer server;
};

TEST_F(RoomContract, RandomHistoriesHaveTheSameAnswers) {
  RoomInRedis redis(server.port());
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random() % bound); };
  for (int history = 0; history < 40; ++history) {
    room::RoomRule rule{.name = "h" + std::to_string(history), .burst = 1 + below(20), .grace = 7s * (1 + below(20))};
    if (history % 3 != 1) {
      rule.count = static_cast<std::uint64_t>(1 + below(97));
      rule.period = Duration(std::vector<Duration>{1s, 1min, 7s, 1h}[static_cast<std::size_t>(below(4))]);
    }
    if (history % 3 != 0) rule.visitors = static_cast<std::uint64_t>(1 + below(300));
    rule.stay = 30s * (1 + below(20));
    if (history % 2 == 0) rule.at_most = static_cast<std::uint64_t>(1 + below(5));
    room::LineState memory;
    auto now = kRoomStart;
    for (int i = 0; i < 400; ++i) {
      now += Duration(below(8) == 0 ? below(60'000'000) : below(2'000'000));
      if (below(60) == 0) now -= Duration(below(30'000'000));
      if (below(80) == 0) rule.stay = 30s * (1 + below(20));
      if (below(80) == 0) rule.grace = 7s * (1 + below(20));
      Question question{.ask = static_cast<Ask>(below(5)), .stride = below(6) == 0 ? 3 : 1};
      if (question.ask == Ask::present || question.ask == Ask::remain)
        question.number = 1 + below(static_cast<std::uint64_t>(memory.next + 3));
      if (below(4) > 0) question.owner = "client_ip:" + std::to_string(below(6));
      if (below(10) == 0) {
        question.serving = memory.serving + below(3);
        question.next = std::max(memory.next, question.serving) + below(3);
      }
      const auto here = room::step(memory, rule, question, now);
      const auto there = redis.ask(rule, question, now);
      ASSERT_TRUE(there) << history << " " << i;
      ASSERT_EQ(*there, here) << history << " " << i << " number " << here.number << "/" << there->number << " next "
                              << here.next << "/" << there->next << " serving " << here.serving << "/" << there->serving
                              << " taken " << here.taken << "/" << there->taken;
    }
  }
}

TEST_F(RoomContract, ARoomIsOneKeyOfBoundedSizeThatExpires) {
  RedisClient client(server.port());
  client.text({"SCRIPT", "LOAD", std::string(room::waiting_room_script())});
  for (const std::uint64_t visitors : {0UL, 2000UL}) {
    const room::RoomRule rule{
        .name = "size", .count = 100, .period = 1s, .burst = 5'000, .visitors = visitors, .grace = 60s, .stay = 600s};
    std::vector<std::string> arguments;
    for (int i = 0; i < 3'000; ++i) {
      room::script_arguments(rule, {.ask = Ask::arrive}, "hg:", arguments);
      std::vector<std::string> words = {"EVALSHA", std::string(room::waiting_room_script_sha())};
      words.insert(words.end(), arguments.begin(), arguments.end());
      std::string error;
      ASSERT_TRUE(client.integers(words, error)) << error;
    }
    EXPECT_EQ(client.text({"DBSIZE"}), "1");
    EXPECT_LE(std::stoul(client.text({"STRLEN", room::room_key("hg:", "size")})), visitors > 0 ? 33'280U : 512U);
    EXPECT_GT(std::stol(client.text({"PTTL", room::room_key("hg:", "size")})), 80'000'000);
  }
}

TEST_F(RoomContract, TheNumbersOfAnOwnerAreAKeyOfTheSameSlotThatExpires) {
  RoomInRedis redis(server.port());
  const room::RoomRule rule{
      .name = "own", .count = 1, .period = 1s, .burst = 1, .grace = 60s, .stay = 60s, .at_most = 2};
  const auto key = room::room_key("hg:", "own") + ":192.0.2.1";
  const Question newcomer{.ask = Ask::arrive, .owner = "192.0.2.1"};
  redis.ask(rule, newcomer, kRoomStart);
  EXPECT_EQ(redis.client.text({"GET", key}), "1");
  const auto called = std::stol(redis.client.text({"PTTL", key}));
  EXPECT_GT(called, 60'000);
  EXPECT_LT(called, 90'000) << "no longer than the grace is known";
  for (int i = 0; i < 10; ++i) redis.ask(rule, newcomer, kRoomStart);
  EXPECT_EQ(redis.client.text({"GET", key}), "1 2");
  EXPECT_GT(std::stol(redis.client.text({"PTTL", key})), 80'000'000) << "who waits is remembered as long as the line";
  redis.client.text({"DEL", key});
  redis.client.text({"LPUSH", key, "a"});
  EXPECT_EQ(redis.ask(rule, newcomer, kRoomStart)->number, 3) << "another program's value is no number";
}

TEST_F(RoomContract, AnotherProgramsValueIsNoRoom) {
  RoomInRedis redis(server.port());
  const room::RoomRule rule{
      .name = "x", .count = 1, .period = 1s, .burst = 1, .visitors = 5, .grace = 60s, .stay = 60s};
  const auto key = room::room_key("hg:", "x");
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"LPUSH", key, "a"}, {"SET", key, "nonsense"}, {"SET", key, "1 2 3"}}) {
    redis.client.text({"DEL", key});
    redis.client.text(other);
    room::LineState fresh;
    const auto answer = redis.ask(rule, {.ask = Ask::arrive}, kRoomStart);
    ASSERT_TRUE(answer);
    EXPECT_EQ(*answer, room::step(fresh, rule, {.ask = Ask::arrive}, kRoomStart));
  }
}

}  // namespace
}  // namespace headgate::test
