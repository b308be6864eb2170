// The server that tests of Redis start is the one that they are run for.
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

namespace headgate::redis {
namespace {

/// "valkey-8.1" or "redis-7.0", as the server calls itself.
std::string name_of_store(std::uint16_t port) {
  const std::string info = "\n" + test::redis_cli(port, "INFO server");
  const auto value = [&](const std::string& key) {
    const auto at = info.find("\n" + key + ":");
    return at == std::string::npos ? std::string()
                                   : info.substr(at + key.size() + 2, info.find('\r', at) - at - key.size() - 2);
  };
  const std::string valkey = value("valkey_version");
  const std::string version = valkey.empty() ? value("redis_version") : valkey;
  return (valkey.empty() ? "redis-" : "valkey-") + version.substr(0, version.rfind('.'));
}

TEST(Store, IsTheOneThatTheTestsAreRunFor) {
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  test::RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const std::string name = name_of_store(redis.port());
  EXPECT_THAT(name, testing::MatchesRegex("(redis|valkey)-[0-9]+\\.[0-9]+"));
  const char* wanted = std::getenv("HEADGATE_STORE");
  if (wanted != nullptr) {
    EXPECT_EQ(name, wanted);
  }
}

}  // namespace
}  // namespace headgate::redis
