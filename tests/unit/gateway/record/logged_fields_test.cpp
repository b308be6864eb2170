// What the access log has of fields and queries, and what it never has.

#include "headgate/gateway/logged_fields.hpp"

#include "headgate/core/text_arena.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::gateway {
namespace {

std::string masked(const std::string& query, std::vector<std::string> names = usual_secrets()) {
  TextArena text;
  return std::string(masked_query(query, names, text));
}

TEST(MaskedQuery, HidesCredentialsByTheirNames) {
  EXPECT_EQ(masked("?a=1&token=abc&b=2"), "a=1&token=***&b=2");
  EXPECT_EQ(masked("?X-Amz-Signature=abc"), "X-Amz-Signature=***");
  EXPECT_EQ(masked("?email=a@b.example", {"email"}), "email=***");
  EXPECT_EQ(masked("?tokens=3&a&=&&"), "tokens=3&a&=&&");
  EXPECT_EQ(masked(""), "");
}

TEST(MaskedQuery, KnowsANameInEachSpelling) {
  for (const std::string name : {"TOKEN", "t%6Fken", "%74%6f%6b%65%6e", "%54oken"})
    EXPECT_EQ(masked("?" + name + "=abc"), name + "=***");
  for (const std::string name : {"token[]", "token[a]", "token%5B%5D", "+token", "token%00x"})
    EXPECT_EQ(masked("?" + name + "=abc"), name + "=***") << "PHP takes it for the same";
  EXPECT_EQ(masked("?a=1;token=abc"), "a=1;token=***") << "where a semicolon separates, too";
  EXPECT_EQ(masked("?token=ab;c&a=1"), "token=***&a=1") << "where it belongs to the value";
  EXPECT_EQ(masked("?token=ab;x=cd"), "token=***");
  for (const std::string name : {"user[token]", "user[a][token]", "api.key", "api%20key", "user%5Bpassword%5D"})
    EXPECT_EQ(masked("?" + name + "=abc"), name + "=***");
  EXPECT_EQ(masked("?%zz=abc"), "%zz=***") << "nobody knows what a server reads";
}

TEST(MaskedQuery, NeverShowsAMaskedValueWhateverSurroundsIt) {
  std::mt19937 random(7);
  const std::string others = "ab=&;%2+?#[]";
  for (int i = 0; i < 2'000; ++i) {
    std::string query = "?";
    for (int n = static_cast<int>(random() % 6); n > 0; --n) query += others[random() % others.size()];
    std::string name;
    for (const char c : std::string("token")) {
      const char* const kDigits = "0123456789abcdef";
      const char one = random() % 2 == 0 ? static_cast<char>(c - 32) : c;
      if (random() % 2 == 0)
        name += one;
      else
        name += std::string("%") + kDigits[static_cast<unsigned char>(one) / 16] + kDigits[one % 16];
    }
    query += "&" + name + "=SECRET";
    EXPECT_EQ(masked(query).find("SECRET"), std::string::npos) << query;
  }
}

TEST(MaskedQuery, IsCut) { EXPECT_LE(masked("?a=" + std::string(10'000, 'x')).size(), 1'600U); }

LoggedValues logged(const http::Fields& fields, const std::string& name, TextArena& text) {
  LoggedValues out;
  static std::vector<LoggedFields::Field> wanted;
  wanted = {{name, "header." + name}};
  append_logged(wanted, fields, text, out);
  return out;
}

TEST(LoggedFields, AreJoinedWhereThereAreSeveral) {
  TextArena text;
  const auto out = logged({{{}, "X-A", "1"}, {{}, "X-B", "no"}, {{}, "x-a", "2"}}, "x-a", text);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].first, "header.x-a");
  EXPECT_EQ(out[0].second, "1, 2");
  EXPECT_TRUE(logged({}, "x-a", text).empty());
}

TEST(LoggedFields, TellAddressesWithoutTheirQuery) {
  TextArena text;
  EXPECT_EQ(logged({{{}, "Referer", "https://a.example/b?code=1#x"}}, "referer", text)[0].second,
            "https://a.example/b");
}

TEST(LoggedFields, AreNeverCredentials) {
  for (const auto* const name : {"Cookie", "SET-COOKIE", "set_cookie", "Authorization", "X-Api_Key", "Appointment"})
    EXPECT_NE(why_not_logged(name), "") << name;
  EXPECT_EQ(why_not_logged("X-Cache"), "");
}

}  // namespace
}  // namespace headgate::gateway
