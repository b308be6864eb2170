#include "headgate/redis/errors.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headgate::redis {
namespace {

TEST(RedisErrors, AreSortedByTheirFirstWord) {
  EXPECT_EQ(classify("NOSCRIPT No matching script. Please use EVAL."), ErrorReply::no_script);
  EXPECT_EQ(classify("READONLY You can't write against a read only replica."), ErrorReply::not_master);
  EXPECT_EQ(classify("MASTERDOWN Link with MASTER is down"), ErrorReply::not_master);
  EXPECT_EQ(classify("NOAUTH Authentication required."), ErrorReply::rejected);
  EXPECT_EQ(classify("WRONGPASS invalid username-password pair or user is disabled."), ErrorReply::rejected);
  EXPECT_EQ(classify("NOPERM this user has no permissions to run the 'evalsha' command"), ErrorReply::rejected);
  for (const char* text :
       {"LOADING Redis is loading the dataset in memory", "BUSY Redis is busy running a script.",
        "OOM command not allowed when used memory > 'maxmemory'.", "MISCONF Redis is configured to save RDB",
        "NOREPLICAS Not enough good replicas to write.", "CLUSTERDOWN The cluster is down"})
    EXPECT_EQ(classify(text), ErrorReply::cannot_now) << text;
}

TEST(RedisErrors, OfAnyOtherKindAreUnexpected) {
  for (const char* text :
       {"", "ERR", "ERR unknown command", "WRONGTYPE Operation against a key", "oom", "OOMX", "ERR OOM -OOM x"})
    EXPECT_EQ(classify(text), ErrorReply::unexpected) << text;
}

TEST(RedisErrors, MetInsideAScriptOfAnOlderServerAreFoundInTheirWrapping) {
  EXPECT_EQ(
      classify("ERR Error running script (call to f_0123): @user_script:9: @user_script: 9: -OOM command not allowed "
               "when used memory > 'maxmemory'."),
      ErrorReply::cannot_now);
  EXPECT_EQ(
      classify("ERR Error running script (call to f_0123): @user_script:9: @user_script: 9: -READONLY You can't write"),
      ErrorReply::not_master);
  EXPECT_EQ(classify("ERR Error running script (call to f_0123): @user_script:9: attempt to index a nil value"),
            ErrorReply::unexpected);
}

TEST(RedisErrors, OfAServerWithoutScriptsSayWhatToInstall) {
  const auto engine = "ERR Could not find scripting engine 'lua'";  // Valkey from 9.1 on, without its module
  EXPECT_EQ(classify(engine), ErrorReply::rejected);
  EXPECT_NE(help_for_scripts(engine).find("valkey-lua"), std::string_view::npos);
  for (const char* unknown : {"ERR unknown command 'EVALSHA', with args beginning with: 'e0e1'",
                              "ERR unknown command `EVAL`, with args beginning with: "}) {
    EXPECT_EQ(classify(unknown), ErrorReply::rejected) << unknown;
    EXPECT_NE(help_for_scripts(unknown).find("rename-command"), std::string_view::npos) << unknown;
  }
  for (const char* other : {"ERR unknown command 'GET'", "ERR unknown command ", "ERR unknown command 'EV", "OOM", ""})
    EXPECT_EQ(help_for_scripts(other), "") << other;
}

TEST(RedisErrors, HaveAReadableMessageEach) {
  std::set<std::string> messages;
  for (const auto code : {Errc::unavailable, Errc::timed_out, Errc::overloaded, Errc::refused_by_server,
                          Errc::bad_reply, Errc::stopped}) {
    const error_code error = code;
    EXPECT_STREQ(error.category().name(), "headgate.redis");
    messages.insert(error.message());
  }
  EXPECT_EQ(messages.size(), 6u);
}

}  // namespace
}  // namespace headgate::redis
