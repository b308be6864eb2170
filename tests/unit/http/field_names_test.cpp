#include "headgate/http/field_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::http {
namespace {

TEST(FieldNames, AreComparedAsServersDoThatReadFieldsAsVariables) {
  const std::vector<std::string> names = {"X-Original-URL", "Proxy"};
  const FieldNames set(names);
  for (const std::string_view name :
       {"X-Original-URL", "x-original-url", "X_ORIGINAL_URL", "X-Original_Url", "X|Original!URL", "pROXY"})
    EXPECT_TRUE(set.contains(name)) << name;
  for (const std::string_view name :
       {"X-Original-URI", "X-Original-UR", "X-Original-URLs", "XOriginalURL", "Proxy-", ""})
    EXPECT_FALSE(set.contains(name)) << name;
}

TEST(FieldNames, MayEndInAStar) {
  const std::vector<std::string> names = {"X-Forwarded-*"};
  const FieldNames set(names);
  for (const std::string_view name : {"X-Forwarded-Port", "x_forwarded_port", "X-Forwarded-A"})
    EXPECT_TRUE(set.contains(name)) << name;
  for (const std::string_view name : {"X-Forwarded", "X-Forwarded-", "X-Forward-Port", "XX-Forwarded-Port", ""})
    EXPECT_FALSE(set.contains(name)) << name;
}

TEST(FieldNames, MayBeginWithAnyCharacterBeforeAStar) {
  const std::vector<std::string> names = {"_a*", "9-*", "ssl-*"};
  const FieldNames set(names);
  for (const std::string_view name : {"_ab", "-ab", "!AB", "9-a", "9_a", "SSL_a", "ssl-a"})
    EXPECT_TRUE(set.contains(name)) << name;
  for (const std::string_view name : {"ab", "a_ab", "8-a", "y-a", "tsl-a", "ssla"})
    EXPECT_FALSE(set.contains(name)) << name;
}

TEST(FieldNames, AreAllWithAStarAlone) {
  const std::vector<std::string> names = {"*"};
  EXPECT_TRUE(FieldNames(names).contains("Host"));
}

TEST(FieldNames, AreNoneInAnEmptySet) { EXPECT_FALSE(FieldNames().contains("Proxy")); }

TEST(FieldNames, MayBeLong) {
  const std::vector<std::string> names = {std::string(100, 'a')};
  const FieldNames set(names);
  EXPECT_TRUE(set.contains(std::string(100, 'A')));
  EXPECT_FALSE(set.contains(std::string(36, 'a'))) << "64 fewer";
}

}  // namespace
}  // namespace headgate::http
