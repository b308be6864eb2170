#include "headgate/http/named_values.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::http {
namespace {

Fields cookies(const std::vector<std::string_view>& values) {
  Fields out;
  for (const auto value : values) out.push_back({Known::cookie, "Cookie", value});
  return out;
}

std::string found(const NamedValue& value) { return value.twice ? "twice" : std::string(value.value); }

TEST(NamedField, IsFoundWhateverItsCase) {
  const Fields fields = {{Known::unknown, "X-Other", "1"}, {Known::unknown, "x-key", "k"}};
  EXPECT_EQ(found(field_of(fields, "X-Key")), "k");
  EXPECT_EQ(found(field_of(fields, "X-Ke")), "");
  EXPECT_EQ(found(field_of({}, "X-Key")), "");
}

TEST(NamedField, ThatOccursTwiceInAnySpellingIsNotTrusted) {
  const auto both = [](std::string_view first, std::string_view second) {
    return found(field_of({{Known::unknown, first, "1"}, {Known::unknown, second, "2"}}, "X-Key"));
  };
  EXPECT_EQ(both("X-Key", "X-Key"), "twice");
  EXPECT_EQ(both("X-Key", "x_key"), "twice") << "servers that turn fields into variables read both";
  EXPECT_EQ(both("X_Key", "X-Key"), "twice");
}

TEST(NamedField, IsNotAFieldOfAnotherSpelling) {
  EXPECT_EQ(found(field_of({{Known::unknown, "X_Key", "1"}}, "X-Key")), "");
}

TEST(Cookie, IsFoundByItsWholeNameAndWithItsCase) {
  EXPECT_EQ(found(cookie_of(cookies({"a=1; key=k; b=2"}), "key")), "k");
  EXPECT_EQ(found(cookie_of(cookies({"a=1", "key=\"k\""}), "key")), "k") << "quotes are not the value";
  EXPECT_EQ(found(cookie_of(cookies({"xkey=1; keyx=2; KEY=3; a=key=4; b=a key; c=/key=5"}), "key")), "");
  EXPECT_EQ(found(cookie_of(cookies({";; key = k ;"}), "key")), "k");
  EXPECT_EQ(found(cookie_of(cookies({}), "key")), "");
}

TEST(Cookie, ThatOccursTwiceWithOneValueCountsOnce) {
  EXPECT_EQ(found(cookie_of(cookies({"key=1; key=1"}), "key")), "1");
  EXPECT_EQ(found(cookie_of(cookies({"key=1; a=2", "key=\"1\""}), "key")), "1");
  EXPECT_EQ(found(cookie_of(cookies({"key=; key="}), "key")), "");
}

TEST(Cookie, ThatOtherServersReadInAnotherWayIsNotTrusted) {
  for (const auto* sent : {"a=1 key=2", "a=1,key=2", "a=1\tkey = 2", "a key=2", "a=\"1\"key=2", "key=1; a=1 key=1",
                           "key=1 2", "key=1,2", "key=\"\\061\"", "key=1\"2"})
    EXPECT_EQ(found(cookie_of(cookies({sent}), "key")), "twice") << sent;
}

TEST(Cookie, ThatOccursTwiceIsNotTrusted) {
  EXPECT_EQ(found(cookie_of(cookies({"key=1; key=2"}), "key")), "twice");
  EXPECT_EQ(found(cookie_of(cookies({"key=1", "key="}), "key")), "twice");
  EXPECT_EQ(found(cookie_of(cookies({"key=; key=2"}), "key")), "twice");
}

TEST(Cookie, IsRemovedCompletely) {
  EXPECT_EQ(without_cookie("a=1; key=k; b=2", "key"), "a=1; b=2");
  EXPECT_EQ(without_cookie("key=k", "key"), "");
  EXPECT_EQ(without_cookie("key=1; key=2;a=1", "key"), "a=1");
  EXPECT_EQ(without_cookie("keys=1", "key"), "keys=1");
}

TEST(QueryParameter, IsFoundInEverySpelling) {
  for (const char* query : {"?a=1&key=k&b=2", "key=k", "?%6bey=k", "?&&key=k&", "?ke%79=k"})
    EXPECT_EQ(found(query_parameter(query, "key")), "k") << query;
  for (const char* query : {"", "?", "?keys=k", "?KEY=k", "?a=key=k", "?%2=k", "?%zzkey=k"})
    EXPECT_EQ(found(query_parameter(query, "key")), "") << query;
  EXPECT_EQ(found(query_parameter("?key=1&%6Bey=2", "key")), "twice");
}

TEST(QueryParameter, IsRemovedInEverySpelling) {
  EXPECT_EQ(without_parameter("?a=1&key=k&b=2", "key"), "?a=1&b=2");
  EXPECT_EQ(without_parameter("?%6bey=k&key=2", "key"), "");
  EXPECT_EQ(without_parameter("?a=1", "key"), "?a=1");
}

TEST(QueryParameter, IsDecodedWholeOrNotAtAll) {
  std::string out;
  EXPECT_TRUE(decode_parameter("a%2Bb+c%20d", out));
  EXPECT_EQ(out, "a+b c d");
  for (const char* broken : {"%", "%2", "a%2", "%g0", "%0g"}) EXPECT_FALSE(decode_parameter(broken, out)) << broken;
}

}  // namespace
}  // namespace headgate::http
