#include "headgate/redis/handshake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace headgate::redis {
namespace {

using Step = Handshake::Step;
using testing::HasSubstr;
using testing::Not;

class HandshakeTest : public testing::Test {
 protected:
  void greet() { handshake.emplace(options, "return 1", "e0e1", out); }
  Step answer(Reply::Kind kind, std::string_view text) {
    Reply reply;
    reply.kind = kind;
    reply.text = text;
    return handshake->take(reply);
  }
  Step ok() { return answer(Reply::Kind::status, "OK"); }
  Step error(std::string_view text) { return answer(Reply::Kind::error, text); }
  Step role(std::string_view name) { return answer(Reply::Kind::array, name); }

  RedisOptions options;
  std::string out;
  std::optional<Handshake> handshake;
};

TEST_F(HandshakeTest, SaysOnlyWhatTheOptionsNeed) {
  greet();
  EXPECT_EQ(out, "*1\r\n$4\r\nROLE\r\n*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$8\r\nreturn 1\r\n");
  EXPECT_EQ(role("master"), Step::more);
  EXPECT_EQ(answer(Reply::Kind::text, "e0e1"), Step::done);
}

TEST_F(HandshakeTest, SaysPasswordAndDatabaseFirst) {
  options.password = "secret";
  options.database = 7;
  greet();
  EXPECT_TRUE(
      out.starts_with("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n*1\r\n$4\r\nROLE\r\n"));
  EXPECT_EQ(ok(), Step::more);
  EXPECT_EQ(ok(), Step::more);
  EXPECT_EQ(role("master"), Step::more);
  EXPECT_EQ(answer(Reply::Kind::text, "e0e1"), Step::done);
}

TEST_F(HandshakeTest, SaysWhatToInstallWhereTheServerHasNoLua) {
  greet();
  EXPECT_EQ(role("master"), Step::more);
  EXPECT_EQ(error("ERR Could not find scripting engine 'lua'"), Step::failed);
  EXPECT_THAT(handshake->reason(), HasSubstr("install its Lua engine (the package valkey-lua"));
}

TEST_F(HandshakeTest, NamesTheUserIfThereIsOne) {
  options.username = "gate";
  options.password = "secret";
  greet();
  EXPECT_TRUE(out.starts_with("*3\r\n$4\r\nAUTH\r\n$4\r\ngate\r\n$6\r\nsecret\r\n"));
}

TEST_F(HandshakeTest, NeverRepeatsThePasswordThatAServerEchoes) {
  options.password = "secret";
  greet();
  EXPECT_EQ(error("ERR unknown command `AUTH`, with args beginning with: `secret`, "), Step::failed);
  EXPECT_THAT(handshake->reason(), HasSubstr("refused AUTH (ERR)"));
  EXPECT_THAT(handshake->reason(), Not(HasSubstr("secret")));
}

TEST_F(HandshakeTest, TellsWrongCredentialsFromNoneNeededAndNoneGiven) {
  options.password = "secret";
  greet();
  EXPECT_EQ(error("WRONGPASS invalid username-password pair or user is disabled."), Step::failed);
  EXPECT_EQ(handshake->reason(), "Redis refused the username or password");
  greet();
  EXPECT_EQ(error("ERR AUTH <password> called without any password configured for the default user."), Step::failed);
  EXPECT_EQ(handshake->reason(), "Redis has no password, but the configuration has one");
  options.password.clear();
  greet();
  EXPECT_EQ(error("NOAUTH Authentication required."), Step::failed);
  EXPECT_EQ(handshake->reason(), "Redis requires a password, but the configuration has none");
}

TEST_F(HandshakeTest, RefusesReplicasAndSentinels) {
  greet();
  EXPECT_EQ(role("slave"), Step::failed);
  EXPECT_THAT(handshake->reason(), HasSubstr("replica"));
  greet();
  EXPECT_EQ(role("sentinel"), Step::failed);
  EXPECT_THAT(handshake->reason(), HasSubstr("Sentinel"));
}

TEST_F(HandshakeTest, GoesOnWhereTheServerOnlyWithholdsRoleOrScript) {
  greet();
  EXPECT_EQ(error("NOPERM this user has no permissions to run the 'role' command"), Step::more);
  EXPECT_EQ(error("NOPERM this user has no permissions to run the 'script|load' command"), Step::done);
}

TEST_F(HandshakeTest, FailsWhileTheServerIsLoadingOrIsNoRedisAtAll) {
  greet();
  EXPECT_EQ(error("LOADING Redis is loading the dataset in memory"), Step::failed);
  EXPECT_THAT(handshake->reason(), HasSubstr("LOADING"));
  greet();
  EXPECT_EQ(role("master"), Step::more);
  EXPECT_EQ(answer(Reply::Kind::text, "another sha"), Step::failed);
  options.database = 99;
  greet();
  EXPECT_EQ(error("ERR DB index is out of range"), Step::failed);
  EXPECT_THAT(handshake->reason(), HasSubstr("database 99"));
}

}  // namespace
}  // namespace headgate::redis
