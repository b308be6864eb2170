#include "../../../../src/net/tls/server_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::net {
namespace {

using testing::ElementsAre;

const ServerNames kNames({{"a.example", "www.a.example"}, {"*.a.example"}, {"a.example", "b.example"}, {}});

TEST(ServerNames, FindsTheExactNameBeforeAWildcard) {
  EXPECT_THAT(kNames.find("www.a.example"), ElementsAre(0));
  EXPECT_THAT(kNames.find("api.a.example"), ElementsAre(1));
}

TEST(ServerNames, LetsAWildcardStandForOneLabel) {
  EXPECT_THAT(kNames.find("x.y.a.example"), ElementsAre(0, 2)) << "none has it, so the first";
  EXPECT_THAT(kNames.find(".a.example"), ElementsAre(0, 2));
  EXPECT_THAT(kNames.find("*.a.example"), ElementsAre(1));
}

TEST(ServerNames, GivesAllThatHaveTheName) { EXPECT_THAT(kNames.find("a.example"), ElementsAre(0, 2)); }

TEST(ServerNames, GivesTheFirstToClientsThatNameNoServer) {
  EXPECT_THAT(kNames.find(""), ElementsAre(0, 2)) << "and whoever shares its first name";
  EXPECT_THAT(kNames.find("unknown.example"), ElementsAre(0, 2));
  EXPECT_THAT(kNames.find("b"), ElementsAre(0, 2));
  EXPECT_THAT(ServerNames(std::vector<std::vector<std::string>>{{}}).find("a.example"), ElementsAre(0))
      << "also without any name";
}

TEST(ServerNames, AreComparedWithoutCaseAndFinalDot) {
  EXPECT_EQ(normal_name("WWW.A.Example."), "www.a.example");
  EXPECT_EQ(normal_name("."), "");
  EXPECT_EQ(normal_name(std::string(300, 'a')), "") << "longer than a name can be";
}

}  // namespace
}  // namespace headgate::net
