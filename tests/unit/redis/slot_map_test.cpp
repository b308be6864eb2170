#include "../../../src/redis/servers/slot_map.hpp"

#include "../../../src/redis/servers/redirect.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::redis {
namespace {

TEST(Slot, IsTheChecksumOfTheKeyOrOfItsTag) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3) << "the check value of CRC-16/XMODEM, below 16384 already";
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("hg:v1:{foo}:limit"), slot_of("foo"));
  EXPECT_EQ(slot_of("{foo}{bar}"), slot_of("foo"));
  EXPECT_EQ(slot_of("x{{foo}}y"), slot_of("{foo"));
  EXPECT_NE(slot_of("{}foo"), slot_of("")) << "an empty tag is none";
  EXPECT_EQ(slot_of(""), 0);
}

TEST(Slot, OfAKeyIsThatOfTheKeysTheScriptIsCalledWith) {
  limit::Rule rule;
  rule.rate = {10, std::chrono::seconds(1)};
  rule.burst = 10;
  rule.algorithm = limit::find_algorithm("token_bucket");
  rule.suffix = ":plan";
  std::string scratch;
  std::vector<std::string> arguments;
  for (const std::string prefix : {"hg:", "", "{app}:", "a{b", "a}b"})
    for (const std::string key : {"", "caller", "a}b", "{a", "}", "%", "100%7D", "a{b}c", "::1"}) {
      const limit::Check check{&rule, key, {}, 1, limit::How::take};
      limit::script_arguments({&check, 1}, prefix, Instant{}, arguments);
      ASSERT_GE(arguments.size(), 2u);
      EXPECT_EQ(slot_of_key(prefix, key, scratch), slot_of(arguments[1])) << prefix << " " << key;
    }
}

class SlotMapTest : public testing::Test {
 protected:
  std::optional<std::vector<SlotRange>> read(std::string_view bytes) {
    ReplyReader reader(ReplyReader::Keep::everything);
    reader.feed(bytes);
    Reply reply;
    EXPECT_EQ(reader.next(reply), ReplyReader::Next::reply) << reader.error();
    return read_slots(reply.elements, {"10.0.0.9", 6379});
  }
};

TEST_F(SlotMapTest, ReadsWhatEveryVersionAnswers) {
  const auto old = read(
      "*2\r\n*3\r\n:0\r\n:5460\r\n*2\r\n$8\r\n10.0.0.1\r\n:7000\r\n"
      "*4\r\n:5461\r\n:16383\r\n*3\r\n$8\r\n10.0.0.2\r\n:7000\r\n$1\r\nx\r\n*3\r\n$8\r\n10.0.0.3\r\n:7001\r\n$"
      "1\r\ny\r\n");
  ASSERT_TRUE(old);
  EXPECT_EQ(*old, (std::vector<SlotRange>{{0, 5460, {"10.0.0.1", 7000}, {}},
                                          {5461, 16383, {"10.0.0.2", 7000}, {{"10.0.0.3", 7001}}}}));
  const auto with_metadata =
      read("*1\r\n*3\r\n:7\r\n:7\r\n*4\r\n$9\r\nredis.lan\r\n:7000\r\n$1\r\nx\r\n*2\r\n$2\r\nip\r\n$8\r\n10.0.0.1\r\n");
  ASSERT_TRUE(with_metadata);
  EXPECT_EQ(*with_metadata, (std::vector<SlotRange>{{7, 7, {"redis.lan", 7000}, {}}}));
}

TEST_F(SlotMapTest, TakesTheNodeAskedForOneWithoutAName) {
  for (const char* host : {"$0\r\n\r\n", "$-1\r\n", "$1\r\n?\r\n"}) {
    const auto map = read("*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n" + std::string(host) + ":7000\r\n");
    ASSERT_TRUE(map) << host;
    EXPECT_EQ((*map)[0].master, (RedisNode{"10.0.0.9", 7000})) << host;
  }
}

TEST_F(SlotMapTest, RefusesWhatIsNoMap) {
  for (const char* bytes :
       {"+OK\r\n", ":1\r\n", "*1\r\n:1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nx\r\n:1\r\n", "*1\r\n*3\r\n:5\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nx\r\n:70000\r\n", "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\nx\r\n"})
    EXPECT_FALSE(read(bytes)) << bytes;
}

TEST(Redirect, TellsWhereACallBelongs) {
  const auto moved = read_redirect("MOVED 3999 127.0.0.1:6381");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->kind, Redirect::Kind::moved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->node, (RedisNode{"127.0.0.1", 6381}));
  const auto check = read_redirect("ASK 0 ::1:6381");
  ASSERT_TRUE(check);
  EXPECT_EQ(check->kind, Redirect::Kind::check);
  EXPECT_EQ(check->node, (RedisNode{"::1", 6381}));
  ASSERT_TRUE(read_redirect("MOVED 1 :6381"));
  EXPECT_EQ(read_redirect("MOVED 1 :6381")->node.host, "");
  EXPECT_EQ(read_redirect("MOVED 1 ?:6381")->node.host, "");
  EXPECT_EQ(read_redirect("TRYAGAIN Multiple keys request during rehashing of slot")->kind, Redirect::Kind::try_again);
}

TEST(Redirect, IsNothingElse) {
  for (const char* text :
       {"", "MOVED", "MOVED 1", "MOVED x 127.0.0.1:1", "MOVED 16384 127.0.0.1:1", "MOVED 1 127.0.0.1",
        "MOVED 1 127.0.0.1:0", "MOVED 1 127.0.0.1:65536", "ASK 1 a:b", "ASKING", "CLUSTERDOWN x"})
    EXPECT_FALSE(read_redirect(text)) << text;
}

}  // namespace
}  // namespace headgate::redis
