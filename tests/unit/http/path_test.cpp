#include "headgate/http/path.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {
namespace {

std::string normal(std::string_view raw) {
  std::string out = "left from before";
  return normalise_path(raw, out) ? out : "refused";
}

TEST(NormalisePath, GivesEverySpellingOfOnePathTheSameForm) {
  const std::vector<std::string_view> spellings = {
      "/api/users",        "//api/users",          "/api//users",         "/api///users",      "/./api/users",
      "/api/./users",      "/api/././users",       "/x/../api/users",     "/../api/users",     "/../../api/users",
      "/api/x/../users",   "/api/x/y/../../users", "/%61pi/users",        "/%61%70%69/users",  "/api/%75sers",
      "/api/%2e/users",    "/api/%2E/users",       "/api/x/%2e%2E/users", "/api/x/.%2e/users", "/api/x/%2E./users",
      "/%2e%2e/api/users", "/x/..//api/users",     "//x//..//api/users",  "/api/x//../users"};
  for (const auto spelling : spellings) EXPECT_EQ(normal(spelling), "/api/users") << spelling;
}

TEST(NormalisePath, WritesTheNormalFormOfEachSpelling) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      {"/", "/"},
      {"//", "/"},
      {"/.", "/"},
      {"/..", "/"},
      {"/../..", "/"},
      {"/a/", "/a/"},
      {"/a/.", "/a/"},
      {"/a/./", "/a/"},
      {"/a/b/..", "/a/"},
      {"/a/b/../", "/a/"},
      {"/a/..", "/"},
      {"/a/../../b", "/b"},
      {"/...", "/..."},
      {"/.a", "/.a"},
      {"/..a", "/..a"},
      {"/a.", "/a."},
      {"/a..", "/a.."},
      {"/a/.../b", "/a/.../b"},
      {"/%2D%2E%5F%7E%41%7a%30", "/-._~Az0"},
      {"/a%2fb", "/a%2Fb"},
      {"/a%2Fb", "/a%2Fb"},
      {"/a/%2f../b", "/a/%2F../b"},
      {"/a/..%2fb", "/a/..%2Fb"},
      {"/a%5cb", "/a%5Cb"},
      {"/%c3%a9", "/%C3%A9"},
      {"/%252e%252e/a", "/%252e%252e/a"},
      {"/a%20b", "/a%20b"},
      {"/a%3Bb", "/a%3Bb"},
      {"/a;v=1/b", "/a;v=1/b"},
      {"/a:b@c!$&'()*+,;=", "/a:b@c!$&'()*+,;="},
      {"/A/b", "/A/b"},
  };
  for (const auto& [raw, form] : table) EXPECT_EQ(normal(raw), form) << raw;
}

TEST(NormalisePath, RefusesWhatHasNoPlaceInAPath) {
  const std::vector<std::string_view> refused = {
      "",       "a",      "a/b",       "*",     "/%",    "/%4",   "/a%",  "/%zz", "/%4g",    "/%g4", "/%%41",
      "/%00",   "/a%00b", "/a b",      "/a\tb", "/a\\b", "/a\"b", "/a<b", "/a>b", "/a^b",    "/a`b", "/a#b",
      "/a\x7f", "/\x80",  "/\xc3\xa9", "/a\nb", "/a\rb", "/%-1",  "/%+1", "/% 1", "/a/../%", "/a%2"};
  for (const auto raw : refused) EXPECT_EQ(normal(raw), "refused") << raw;
  EXPECT_EQ(normal(std::string_view("/a\0b", 4)), "refused");
}

TEST(NormalisePath, IsItsOwnNormalForm) {
  std::mt19937 random(1);
  const std::vector<std::string_view> pieces = {"/",   "/",   "/",     ".", "..", "%2e", "%2F", "%5c",
                                                "%41", "%25", "%252e", "a", "b",  ";",   "~",   "%c3"};
  std::uniform_int_distribution<std::size_t> pick(0, pieces.size() - 1), length(0, 14);
  std::size_t accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string raw = "/";
    for (std::size_t n = length(random); n > 0; --n) raw += pieces[pick(random)];
    const auto once = normal(raw);
    if (once == "refused") {
      ASSERT_NE(raw.find(';'), std::string::npos) << raw;
      continue;
    }
    ++accepted;
    ASSERT_EQ((once + "/").find("/.;"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ((once + "/").find("/..;"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ(normal(once), once) << raw;
    // What a server could resolve otherwise is not in it any more.
    ASSERT_EQ(once.find("//"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ((once + "/").find("/./"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ((once + "/").find("/../"), std::string::npos) << raw << " became " << once;
  }
  EXPECT_GT(accepted, 15'000U);
}

TEST(NormalisePath, RefusesDotSegmentsThatHideBehindAParameter) {
  for (const std::string_view raw :
       {"/x/..;/a", "/x/..;v=1/a", "/..;", "/.;/a", "/x/.;v", "/x/%2e%2e;/a", "/x/.%2E;a/b", "/%2e;"}) {
    EXPECT_EQ(normal(raw), "refused") << raw << ": servers that strip parameters first go up here";
  }
  EXPECT_EQ(normal("/a..;v/b"), "/a..;v/b");
  EXPECT_EQ(normal("/...;v"), "/...;v");
}

TEST(NormalisePath, RefusesSegmentsThatAreNothingButParameters) {
  for (const std::string_view raw : {"/a/b/;v", "/;v/a/b", "/a/;v/b", "/;v/..", "/;"}) {
    EXPECT_EQ(normal(raw), "refused") << raw << ": servers that strip parameters and merge slashes see another path";
  }
}

TEST(NormalisePath, SurvivesAnyBytes) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> byte(0, 255), length(0, 12);
  std::size_t accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string raw = "/";
    for (int n = length(random); n > 0; --n) raw += static_cast<char>(byte(random));
    std::string out;
    if (!normalise_path(raw, out)) continue;
    ++accepted;
    for (const char c : out) ASSERT_TRUE(c > 0x20 && c < 0x7f) << raw;
    ASSERT_EQ(out.front(), '/');
  }
  EXPECT_GT(accepted, 0U);
}

TEST(SoundQuery, TakesVisibleAsciiAsSent) {
  EXPECT_TRUE(sound_query(""));
  EXPECT_TRUE(sound_query("?"));
  EXPECT_TRUE(sound_query("?a=b&c=%zz&d=/../?x"));
  EXPECT_TRUE(sound_query("?x={1}|[2]"));
}

TEST(SoundQuery, RefusesWhatMustBeEncoded) {
  for (const std::string_view query :
       {"?a b", "?a#b", "?a\\b", "?a\"b", "?<", "?>", "?^", "?`", "?\x7f", "?\xff", "?\t"}) {
    EXPECT_FALSE(sound_query(query)) << query;
  }
}

}  // namespace
}  // namespace headgate::http
