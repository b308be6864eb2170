#include "headgate/redis/command.hpp"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <string>
#include <vector>

namespace headgate::redis {
namespace {

std::string by_hiredis(const std::vector<std::string_view>& words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const auto word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  sds made = nullptr;
  const auto length = redisFormatSdsCommandArgv(&made, static_cast<int>(words.size()), texts.data(), lengths.data());
  std::string bytes(made, static_cast<std::size_t>(length));
  redisFreeSdsCommand(made);
  return bytes;
}

TEST(Command, IsTheSameBytesAsHiredisMakes) {
  const std::string big(100'000, 'k');
  const std::string binary("\0\r\n$1\r\n\xff", 9);
  const std::vector<std::vector<std::string_view>> commands{
      {"PING"}, {"AUTH", ""}, {"EVALSHA", "0123", "1", "hg:v1:{a}:b:", "100"}, {big, "x", big}, {binary, binary}};
  for (const auto& words : commands) {
    std::string own;
    append_command(own, words);
    EXPECT_EQ(own, by_hiredis(words));
  }
}

TEST(Command, FollowsTheOneBefore) {
  const std::vector<std::string_view> ping{"PING"};
  std::string out;
  append_command(out, ping);
  append_command(out, ping);
  EXPECT_EQ(out, "*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n");
}

}  // namespace
}  // namespace headgate::redis
