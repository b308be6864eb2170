// Tests of expressions that match part of a path, converted to match a whole path without a slash at its end.

#include "translate/draft/path_regex.hpp"

#include "headgate/gateway/path_regex.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

namespace headgate::translate {
namespace {

struct Expression {
  const char* text;
  const char* path;
};

const std::vector<Expression> kExpressions = {
    {"/users/\\d+$", "/users/*"},   {"/users/\\d+", "/users/*"}, {"/users/?$", "/*"},   {"/api/", "/api/*"},
    {"/api/.*", "/api/*"},          {"/api/(.*)", "/api/*"},     {"/(a|b)/x", "/*"},    {"/a|/b", "/*"},
    {"/v[0-9]+/users$", "/*"},      {"/a/b\\.json$", "/a/*"},    {"/x/[^/]+$", "/x/*"}, {"/x/(?:one|two)", "/x/*"},
    {"\\/api\\/v1\\/", "/api/v1/*"}};

TEST(PathRegexOfOthers, TakesWhatTheOriginalTakes) {
  const std::vector<std::string> paths = {"/users/12", "/users/x", "/users",    "/api",       "/api/x",    "/apix",
                                          "/a/x",      "/b/x/y",   "/v2/users", "/v/users",   "/a/b.json", "/a/bxjson",
                                          "/x/y",      "/x/y/z",   "/x/one",    "/x/twofold", "/a",        "/bcd",
                                          "/c",        "/api/v1",  "/api/v1/z"};
  for (const auto& expression : kExpressions) {
    const auto made = regex_path(expression.text, Begins::at_start);
    EXPECT_EQ(made.path, expression.path) << expression.text;
    ASSERT_FALSE(made.matches.empty()) << expression.text;
    const auto ours = gateway::PathRegex::make(made.matches, gateway::PathRegex::Case::matters);
    ASSERT_TRUE(ours.has_value()) << made.matches;
    const std::regex original("^(?:" + std::string(expression.text) + ")");
    for (const auto& path : paths) {
      // headgate ignores a slash at the end, so the path matches if either form does.
      const bool wanted = std::regex_search(path, original) || std::regex_search(path + '/', original);
      EXPECT_EQ((*ours)->matches(path), wanted) << expression.text << " as " << made.matches << " at " << path;
    }
  }
}

TEST(PathRegexOfOthers, IsGivenUpWhereItCannotBeSaid) {
  for (const auto* text : {"/door/(?!x)", "/a/\\w*", "/a/(b/|c)", "/(a)\\1", "/x{1,5000}"})
    EXPECT_TRUE(regex_path(text, Begins::at_start).matches.empty()) << text;
}

TEST(PathRegexOfOthers, MayBeginAnywhere) {
  EXPECT_EQ(regex_path("\\.php$", Begins::anywhere).matches, ".*\\.php");
  EXPECT_EQ(regex_path("^/a/\\d+$", Begins::anywhere).matches, "/a/\\d+");
  EXPECT_EQ(regex_path("^/a/\\d+$", Begins::anywhere).path, "/a/*");
}

}  // namespace
}  // namespace headgate::translate
