// API keys that gateways issue and revoke, shared through Redis.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/limits/comes.hpp"
#include "blackbox/limits/issued_keys.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace headgate::test {
namespace {

using std::chrono::seconds;

class SharedKeys : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json shared(const TemporaryFile& file) const {
    return issuing(file.path(),
                   {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}}});
  }
  static bool written(const TemporaryFile& file, const std::string& what) {
    return comes(seconds(20), [&] { return has(text_of_file(file.path()), what); });
  }
  static constexpr const char* kNone = "{\"keys\": []}";

  RedisServer redis;
  const TemporaryFile first{kNone, "keys.json"};
  const TemporaryFile second{kNone, "keys.json"};
};

TEST_F(SharedKeys, AreGoodAndEndOnEveryGatewayWithinASecond) {
  Proxy one(shared(first));
  Proxy two(shared(second));
  const Operator here(one.gateway.process());
  const Operator there(two.gateway.process());
  const auto key = issue(here, {{"owner", "acme"}, {"tier", "pro"}, {"tags", {"batch"}}});
  EXPECT_EQ(key.answer.at("store"), "redis");
  EXPECT_TRUE(key.answer.at("gateways").at("written").get<bool>()) << key.answer;
  EXPECT_TRUE(comes(kPatience, [&] { return asked_with(two, key.key) == 200; }));
  EXPECT_EQ(there.get(kKeysPath + '/' + key.id).at("tier"), "pro");
  EXPECT_TRUE(written(second, key.id)) << "its file is a record, too";
  EXPECT_EQ(text_of_file(first.path()).find(key.key), std::string::npos);
  EXPECT_FALSE(has(redis_cli(redis.port(), "XRANGE headgate:v1:{keys} - +"), key.key)) << "Redis has its digest alone";
  const auto told = revoke(there, key.id);
  EXPECT_TRUE(told.at("gateways").at("written").get<bool>()) << told;
  EXPECT_EQ(asked_with(two, key.key), 401);
  EXPECT_TRUE(comes(kPatience, [&] { return asked_with(one, key.key) == 401; }));
  EXPECT_TRUE(written(first, "\"revoked\""));
}

TEST_F(SharedKeys, WhoseEndAGatewayMissedDoNotComeBackFromItsFile) {
  Proxy one(shared(first));
  const Operator here(one.gateway.process());
  IssuedKey key;
  {
    Proxy two(shared(second));
    key = issue(here);
    ASSERT_TRUE(written(second, key.id));
  }
  revoke(here, key.id);
  Proxy two(shared(second));
  EXPECT_EQ(asked_with(two, key.key), 401) << "from its first request";
  EXPECT_TRUE(written(second, "\"revoked\""));
  EXPECT_EQ(asked_with(one, key.key), 401);
}

TEST_F(SharedKeys, StayEndedAlsoIfRedisForgetsThat) {
  Proxy one(shared(first));
  const Operator here(one.gateway.process());
  IssuedKey key;
  IssuedKey stays;
  {
    Proxy two(shared(second));
    key = issue(here);
    stays = issue(here);
    ASSERT_TRUE(written(second, key.id));
    ASSERT_TRUE(written(second, stays.id));
  }
  revoke(here, key.id);
  redis_cli(redis.port(), "FLUSHALL");
  Proxy two(shared(second));
  EXPECT_TRUE(comes(seconds(20), [&] { return asked_with(two, key.key) == 401; }));
  EXPECT_EQ(asked_with(two, stays.key), 200);
  EXPECT_EQ(asked_with(one, key.key), 401);
  EXPECT_EQ(asked_with(one, stays.key), 200);
  // A gateway that has never heard of them learns both from what the others wrote again.
  const TemporaryFile third(kNone, "keys.json");
  Proxy three(shared(third));
  EXPECT_TRUE(comes(seconds(20), [&] { return asked_with(three, stays.key) == 200; }));
  EXPECT_TRUE(written(third, "\"revoked\""));
  EXPECT_EQ(asked_with(three, key.key), 401);
}

TEST_F(SharedKeys, AreIssuedAndEndHereWhileRedisIsDownAndThereWhenItIsBackAlsoAfterARestart) {
  Proxy two(shared(second));
  std::optional<Proxy> one(std::in_place, shared(first));
  const auto before = issue(Operator(one->gateway.process()));
  ASSERT_TRUE(comes(kPatience, [&] { return asked_with(two, before.key) == 200; }));
  redis.stop();
  const Operator here(one->gateway.process());
  const auto during = issue(here);
  EXPECT_EQ(during.answer.at("gateways"), (Json{{"written", false}})) << during.answer;
  EXPECT_EQ(revoke(here, before.id).at("gateways"), (Json{{"written", false}}));
  EXPECT_EQ(asked_with(*one, during.key), 200);
  EXPECT_EQ(asked_with(*one, before.key), 401);
  EXPECT_EQ(asked_with(two, during.key), 401);
  one.emplace(shared(first));
  EXPECT_EQ(asked_with(*one, during.key), 200) << "the file is the record";
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(comes(seconds(20), [&] { return asked_with(two, during.key) == 200; }));
  EXPECT_TRUE(comes(seconds(20), [&] { return asked_with(two, before.key) == 401; }));
}

TEST_F(SharedKeys, HoldWhereTheFileCannotBeWritten) {
  Proxy one(shared(first));
  Proxy two(shared(second));
  const Operator here(one.gateway.process());
  const auto stays = issue(here);
  ASSERT_TRUE(written(second, stays.id));
  write_file(second.path(), "no key file");
  const auto key = issue(here);
  EXPECT_TRUE(comes(kPatience, [&] { return asked_with(two, key.key) == 200; }));
  revoke(here, key.id);
  EXPECT_TRUE(comes(kPatience, [&] { return asked_with(two, key.key) == 401; }));
  EXPECT_EQ(asked_with(two, stays.key), 200);
  EXPECT_EQ(text_of_file(second.path()), "no key file");
  write_file(second.path(), kNone);
  EXPECT_TRUE(written(second, "\"revoked\""));
}

TEST_F(SharedKeys, OfAFileThatNoGatewayMayChangeStayThere) {
  auto config = shared(second);
  config["identity"]["api_key"].erase("issue");
  Proxy one(shared(first));
  Proxy two(config);
  const auto key = issue(Operator(one.gateway.process()));
  EXPECT_EQ(key.answer.at("gateways").at("of"), 1) << key.answer;
  EXPECT_EQ(asked_with(two, key.key), 401);
  EXPECT_EQ(text_of_file(second.path()), kNone);
}

}  // namespace
}  // namespace headgate::test
