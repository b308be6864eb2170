#include "headgate/http/path.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::http {
namespace {

std::string normal(std::string_view raw) {
  std::string out = "left from before", sent = out;
  return normalise_path(raw, out, sent) == PathKind::refused ? "refused" : out;
}

std::string sent(std::string_view raw) {
  std::string matched, out = "left from before";
  if (normalise_path(raw, matched, out) == PathKind::refused) return "refused";
  return out.empty() ? matched : out;
}

PathKind kind(std::string_view raw) {
  std::string matched, out;
  return normalise_path(raw, matched, out);
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
      {"/a%5cb", "/a%5Cb"},
      {"/%c3%a9", "/%C3%A9"},
      {"/a%252fb", "/a%252fb"},
      {"/100%25", "/100%25"},
      {"/a%20b", "/a%20b"},
      {"/a%3Bb", "/a;b"},
      {"/a%3ab%40c%21%24%26%27%28%29%2a%2B%2c%3D", "/a:b@c!$&'()*+,="},
      {"/a%7cb%5b0%5D%7b%7D", "/a|b[0]{}"},
      {"/a%3fb%23c%22%3c%3e%5e%60", "/a%3Fb%23c%22%3C%3E%5E%60"},
      {"/a;v=1/b", "/a;v=1/b"},
      {"/a:b@c!$&'()*+,;=", "/a:b@c!$&'()*+,;="},
      {"/A/b", "/A/b"},
  };
  for (const auto& [raw, form] : table) EXPECT_EQ(normal(raw), form) << raw;
}

TEST(NormalisePath, RefusesCharactersThatNoPathMayContain) {
  const std::vector<std::string_view> refused = {
      "",       "a",      "a/b",       "*",     "/%",    "/%4",   "/a%",  "/%zz", "/%4g",    "/%g4", "/%%41",
      "/%00",   "/a%00b", "/a b",      "/a\tb", "/a\\b", "/a\"b", "/a<b", "/a>b", "/a^b",    "/a`b", "/a#b",
      "/a\x7f", "/\x80",  "/\xc3\xa9", "/a\nb", "/a\rb", "/%-1",  "/%+1", "/% 1", "/a/../%", "/a%2"};
  for (const auto raw : refused) EXPECT_EQ(normal(raw), "refused") << raw;
  EXPECT_EQ(normal(std::string_view("/a\0b", 4)), "refused");
}

TEST(ValidPath, MayHaveDotsAndEscapedSlashesButNoNul) {
  for (const char* path : {"/", "//", "/..", "/a/../b", "/..%2F..", "/%2e%2E", "/..;x", "/%252e"})
    EXPECT_TRUE(valid_path(path)) << path;
  for (const char* path :
       {"", "*", "a", "/a%00", "/%", "/%2", "/%zz", "/a b", "/a\\b", "/a\"b", "/a#b", "/\x7f", "/\xc3\xa4"})
    EXPECT_FALSE(valid_path(path)) << path;
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
      ASSERT_NE(raw.find_first_of(";%"), std::string::npos) << raw;
      continue;
    }
    ++accepted;
    ASSERT_EQ((once + "/").find("/.;"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ((once + "/").find("/..;"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ(normal(once), once) << raw;
    ASSERT_EQ(normal(sent(raw)), once) << raw << ": what goes on means the same";
    ASSERT_EQ(kind(sent(raw)), kind(raw)) << raw;
    // Nothing is left that a server could resolve in another way.
    ASSERT_EQ(once.find("//"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ((once + "/").find("/./"), std::string::npos) << raw << " became " << once;
    ASSERT_EQ((once + "/").find("/../"), std::string::npos) << raw << " became " << once;
  }
  EXPECT_GT(accepted, 10'000U);
}

TEST(NormalisePath, RefusesDotSegmentsWithParameters) {
  for (const std::string_view raw :
       {"/x/..;/a", "/x/..;v=1/a", "/..;", "/.;/a", "/x/.;v", "/x/%2e%2e;/a", "/x/.%2E;a/b", "/%2e;"}) {
    EXPECT_EQ(normal(raw), "refused") << raw << ": servers that strip parameters first go up here";
  }
  EXPECT_EQ(normal("/a..;v/b"), "/a..;v/b");
  EXPECT_EQ(normal("/...;v"), "/...;v");
}

TEST(NormalisePath, RefusesSegmentsOfParametersOnly) {
  for (const std::string_view raw : {"/a/b/;v", "/;v/a/b", "/a/;v/b", "/;v/..", "/;"}) {
    EXPECT_EQ(normal(raw), "refused") << raw << ": servers that strip parameters and merge slashes see another path";
  }
}

TEST(NormalisePath, SendsEscapesAsTheCallerWroteThem) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      {"/a%40b", "/a%40b"},
      {"/a@b", "/a@b"},
      {"/%7Euser/%c3%A9", "/%7Euser/%c3%A9"},
      {"/x/..//%61/./b%3a", "/%61/b%3a"},
      {"/%61/x/%2e%2E/b", "/%61/b"},
      {"/%41/%2e/", "/%41/"},
      {"/%41/..", "/"},
      {"/a%2fb", "/a%2fb"},
      {"/a/b", "/a/b"},
  };
  for (const auto& [raw, out] : table) EXPECT_EQ(sent(raw), out) << raw;
}

TEST(NormalisePath, ReportsHiddenSlashes) {
  for (const std::string_view raw : {"/a%2Fb", "/a%2fb", "/%2F", "/a%5Cb", "/a%5cb", "/a%252Fb", "/a%252fb",
                                     "/a%25252Fb", "/a%25%32%46b", "/a%25%32fb", "/a%2%35%32F", "/%2541", "/a%2570",
                                     "/%25%37%30", "/a%252Db", "/a%252eb", "/%255F", "/%257e", "/%252530"}) {
    EXPECT_EQ(kind(raw), raw == "/a%2%35%32F" ? PathKind::refused : PathKind::hides_slash) << raw;
  }
  for (const std::string_view raw :
       {"/a/b", "/a%20b", "/2F", "/a%252", "/a%25b", "/a%2525", "/100%25/2F", "/a%2520", "/%253F", "/%25C3%25A9"}) {
    EXPECT_EQ(kind(raw), PathKind::plain) << raw;
  }
}

TEST(NormalisePath, RefusesDotSegmentsThatOnlySomeServersSee) {
  for (const std::string_view raw : {"/x/..%2Fa", "/x/..%2fa", "/x/%2e%2e%2fa", "/x/..%5Ca", "/x%2F..", "/x%2F../a",
                                     "/x%5c..%5ca", "/x/.%2Fa", "/x/%252e%252e/a", "/x/.%252e/a", "/%252e",
                                     "/x/..%252fa", "/x/%25252e%25252e/a", "/x/..%253Bv/a", "/x%2F;v", "/x%2F..;v/a"}) {
    EXPECT_EQ(normal(raw), "refused") << raw;
  }
  EXPECT_EQ(normal("/x/..%2500/a"), "refused") << "NUL to a server that decodes twice";
  EXPECT_EQ(normal("/x/...%2Fa"), "/x/...%2Fa");
  EXPECT_EQ(normal("/x/a%252e"), "/x/a%252e");
}

TEST(NormalisePath, ReadsNestedEscapesInLinearTime) {
  std::string nested = "/%";
  for (int i = 0; i < 20'000; ++i) nested += "25";
  EXPECT_EQ(kind(nested + "2F"), PathKind::hides_slash);
  EXPECT_EQ(kind(nested + "41"), PathKind::hides_slash);
  EXPECT_EQ(kind(nested + "20"), PathKind::plain);
}

TEST(FoldCase, FoldsLettersThatServersFoldToAscii) {
  EXPECT_EQ(fold_case("/Admin/%C3%A9"), "/admin/%c3%a9");
  EXPECT_EQ(fold_case("/%E2%84%AAeys"), "/keys") << "the Kelvin sign";
  EXPECT_EQ(fold_case("/u%C5%BFer%C5%BF"), "/users") << "the long s";
  EXPECT_EQ(fold_case("/adm%C4%B1n/adm%C4%B0n"), "/admin/admin") << "the dotless i and the dotted I";
}

TEST(NormalisePath, SurvivesAnyBytes) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> byte(0, 255), length(0, 12);
  std::size_t accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string raw = "/";
    for (int n = length(random); n > 0; --n) raw += static_cast<char>(byte(random));
    const auto out = normal(raw);
    if (out == "refused") continue;
    ++accepted;
    for (const char c : out) ASSERT_TRUE(c > 0x20 && c < 0x7f) << raw;
    ASSERT_EQ(out.front(), '/');
  }
  EXPECT_GT(accepted, 0U);
}

TEST(ValidQuery, AcceptsVisibleAscii) {
  EXPECT_TRUE(valid_query(""));
  EXPECT_TRUE(valid_query("?"));
  EXPECT_TRUE(valid_query("?a=b&c=%zz&d=/../?x"));
  EXPECT_TRUE(valid_query("?x={1}|[2]"));
}

TEST(ValidQuery, RefusesWhatMustBeEncoded) {
  for (const std::string_view query :
       {"?a b", "?a#b", "?a\\b", "?a\"b", "?<", "?>", "?^", "?`", "?\x7f", "?\xff", "?\t"}) {
    EXPECT_FALSE(valid_query(query)) << query;
  }
}

}  // namespace
}  // namespace headgate::http
