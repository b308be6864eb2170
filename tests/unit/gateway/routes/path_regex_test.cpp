// Regular expressions of paths: what they see, and that no other spelling is seen otherwise.

#include "headgate/gateway/path_regex.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/http/path.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::gateway {
namespace {

using Letters = PathRegex::Case;

bool matches(const std::string& pattern, std::string_view path, Letters letters = Letters::matters) {
  const auto made = PathRegex::make(pattern, letters);
  return made.has_value() && (*made)->matches(path);
}

TEST(PathRegex, MatchesTheWholePath) {
  EXPECT_TRUE(matches("/v[0-9]+/users", "/v12/users"));
  EXPECT_FALSE(matches("/v[0-9]+", "/v12/users"));
  EXPECT_FALSE(matches("v[0-9]+", "/v12"));
  EXPECT_TRUE(matches("^/a$", "/a"));
  EXPECT_FALSE(matches("/A", "/a"));
  EXPECT_TRUE(matches("/A", "/a", Letters::ignored));
}

TEST(PathRegex, SeesAPathAsRoutesDo) {
  EXPECT_TRUE(matches("/a/b", "/a;v=1/b;w=2"));
  EXPECT_TRUE(matches("/a", "/a/"));
  EXPECT_TRUE(matches("/", "/"));
  EXPECT_FALSE(matches("/a", "/;a"));
}

TEST(PathRegex, IgnoresCaseAsRoutesDo) {
  const auto made = PathRegex::make("/books", Letters::ignored);
  for (const char* const path : {"/BOOKS", "/boo%E2%84%AAs", "/book%C5%BF"})
    EXPECT_TRUE((*made)->matches(path)) << path;
}

TEST(PathRegex, IsRefusedIfItIsNoneOrTooLarge) {
  EXPECT_NE(PathRegex::make("/a(", Letters::matters).error().find("missing"), std::string::npos);
  EXPECT_TRUE(PathRegex::make("/(a)\\1", Letters::matters).has_error()) << "no linear time can be promised for it";
  EXPECT_TRUE(PathRegex::make("/(?=a)", Letters::matters).has_error());
  EXPECT_NE(PathRegex::make("/x{900}y{900}z{900}", Letters::matters).error().find("too large"), std::string::npos);
}

TEST(PathRegex, TakesNoLongerThanThePathIs) {
  const auto made = PathRegex::make("/(a+)+(a|aa)*b", Letters::matters);
  ASSERT_TRUE(made.has_value());
  const std::string longest = '/' + std::string(60'000, 'a') + 'c';
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE((*made)->matches(longest));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5)) << "a backtracking one would not end";
}

TEST(PathRegex, SaysTheSameOfEachSpellingOfAPath) {
  std::mt19937 random(11);
  const auto made = PathRegex::make("/v[0-9]+/(users|orders)/[a-z]+", Letters::matters);
  ASSERT_TRUE(made.has_value());
  const std::vector<std::string> paths{"/v1/users/ann", "/v22/orders/x", "/v1/users", "/v1/other/x", "/w1/users/ann"};
  int differing = 0;
  for (int i = 0; i < 5'000; ++i) {
    const auto& plain = paths[random() % paths.size()];
    std::string other;
    for (const char c : plain) {
      if (c == '/' && random() % 4 == 0) other += random() % 2 == 0 ? "/." : "/";
      if (c == '/' && random() % 8 == 0) other += "/x/..";
      if (c != '/' && random() % 3 == 0) {
        constexpr const char* kDigits = "0123456789abcdef";
        constexpr const char* kLarge = "0123456789ABCDEF";
        const char* const digits = random() % 2 == 0 ? kDigits : kLarge;
        other +=
            std::string("%") + digits[static_cast<unsigned char>(c) / 16] + digits[static_cast<unsigned char>(c) % 16];
      } else {
        other += c;
      }
    }
    if (random() % 4 == 0) other += ";v=1";
    if (random() % 4 == 0) other += '/';
    std::string matched;
    std::string sent;
    if (http::normalise_path(other, matched, sent) == http::PathKind::refused) continue;
    differing += other != plain ? 1 : 0;
    ASSERT_EQ((*made)->matches(matched), (*made)->matches(plain)) << other << " is " << matched;
  }
  EXPECT_GT(differing, 3'000);
}

TEST(PathRegex, ChoosesTheFirstRouteOfTheFileAmongSeveral) {
  Router router;
  const Route numbers, words, others;
  RouteConditions first, second;
  first.path_pattern = "/v[0-9]+/.*";
  first.path = *PathRegex::make(first.path_pattern, Letters::matters);
  second.path_pattern = "/v[0-9a-z]+/.*";
  second.path = *PathRegex::make(second.path_pattern, Letters::matters);
  router.add("", "/{version}/*", {}, &others);
  router.add("", "/{version}/*", {}, &numbers, Case::matters, &first);
  router.add("", "/{version}/*", {}, &words, Case::matters, &second);
  EXPECT_EQ(router.find("", "/v1/a", "GET").route, &numbers);
  EXPECT_EQ(router.find("", "/vx/a", "GET").route, &words);
  EXPECT_EQ(router.find("", "/w/a", "GET").route, &others);
  EXPECT_EQ(router.find("", "/v1;x=2/a", "GET").route, &numbers);
}

}  // namespace
}  // namespace headgate::gateway
