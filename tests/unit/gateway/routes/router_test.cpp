#include "headgate/gateway/router.hpp"

#include "headgate/gateway/compiled_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

struct Row {
  std::string host, pattern;
  std::vector<std::string> methods;
  Case letters = Case::matters;
};

/// Routes named "host|pattern|methods", added in the given order.
class Routes {
 public:
  explicit Routes(const std::vector<Row>& rows) : router_(any_ignores(rows)) {
    for (const auto& row : rows) {
      auto& route = routes_.emplace_back();
      route.name = row.host + row.pattern;
      for (const auto& method : row.methods) route.name += " " + method;
      router_.add(row.host, row.pattern, row.methods, &route, row.letters);
    }
  }
  std::string find(std::string_view authority, std::string_view path, std::string_view method = "GET") const {
    const auto found = router_.find(authority, path, method);
    if (!found.route) return "none";
    EXPECT_EQ(found.allowed, "") << "Allow is for where no route fits";
    return found.route->name;
  }
  std::string path(std::string_view path) const { return find("any.example", path); }
  std::string allowed(std::string_view path, std::string_view method,
                      std::string_view authority = "any.example") const {
    const auto found = router_.find(authority, path, method);
    EXPECT_EQ(found.route, nullptr);
    return found.allowed;
  }

 private:
  static Case any_ignores(const std::vector<Row>& rows) {
    const auto ignores = [](const Row& row) { return row.letters == Case::ignored; };
    return std::any_of(rows.begin(), rows.end(), ignores) ? Case::ignored : Case::matters;
  }

  std::deque<Route> routes_;
  Router router_;
};

TEST(Router, PrefersLiteralsToParametersToPrefixesInAnyOrderOfTheFile) {
  std::vector<Row> rows = {{"", "/*", {}},   {"", "/a/*", {}},   {"", "/a/{x}", {}},
                           {"", "/a/b", {}}, {"", "/{x}/b", {}}, {"", "/a/{x}/c", {}}};
  const std::vector<std::pair<std::string, std::string>> table = {
      {"/", "/*"},    {"/x", "/*"},           {"/a/b", "/a/b"},       {"/a/c", "/a/{x}"}, {"/x/b", "/{x}/b"},
      {"/x/c", "/*"}, {"/a/b/c", "/a/{x}/c"}, {"/a/z/c", "/a/{x}/c"}, {"/a/b/d", "/a/*"}, {"/a/b/c/d", "/a/*"},
      {"/b", "/*"},   {"/ab", "/*"},          {"/A/b", "/{x}/b"},     {"/a/B", "/a/{x}"}, {"/a/", "/a/*"}};
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.pattern < b.pattern; });
  do {
    const Routes routes(rows);
    for (const auto& [path, route] : table) ASSERT_EQ(routes.path(path), route) << path;
  } while (std::next_permutation(rows.begin(), rows.end(),
                                 [](const Row& a, const Row& b) { return a.pattern < b.pattern; }));
}

TEST(Router, TriesTheNextBranchIfOneHasNoRoute) {
  const Routes routes({{"", "/a/b/c", {}}, {"", "/a/{x}/d", {}}, {"", "/{x}/b/e", {}}});
  EXPECT_EQ(routes.path("/a/b/c"), "/a/b/c");
  EXPECT_EQ(routes.path("/a/b/d"), "/a/{x}/d");
  EXPECT_EQ(routes.path("/a/b/e"), "/{x}/b/e");
  EXPECT_EQ(routes.path("/a/b/f"), "none");
  EXPECT_EQ(routes.path("/a/b"), "none");
  EXPECT_EQ(routes.path("/a/b/c/d"), "none");
}

TEST(Router, FindsTheLongestPatternOfAHostHoweverManyThereAre) {
  std::vector<Row> rows = {{"", "/*", {}}, {"*.example", "/*", {}}, {"*.b.example", "/*", {}}, {"b.example", "/*", {}}};
  for (int i = 0; i < 500; ++i) {
    rows.push_back({"t" + std::to_string(i) + ".example", "/*", {}});
    rows.push_back({"*.t" + std::to_string(i) + ".example", "/*", {}});
  }
  const Routes routes(rows);
  EXPECT_EQ(routes.find("T7.Example:81", "/"), "t7.example/*");
  EXPECT_EQ(routes.find("a.t7.example.", "/"), "*.t7.example/*");
  EXPECT_EQ(routes.find("x.y.t499.example", "/"), "*.t499.example/*");
  EXPECT_EQ(routes.find("a.t500.example", "/"), "*.example/*");
  EXPECT_EQ(routes.find("b.example", "/"), "b.example/*");
  EXPECT_EQ(routes.find("c.b.example", "/"), "*.b.example/*");
  EXPECT_EQ(routes.find("example", "/"), "/*") << "a pattern needs a label before it";
  EXPECT_EQ(routes.find(std::string(300, 'a') + ".b.example", "/"), "*.b.example/*");
  EXPECT_EQ(routes.find(std::string(300, 'a'), "/"), "/*");
}

TEST(Router, DoesNotMatchAnEmptyParameter) {
  const Routes routes({{"", "/a/{x}", {}}, {"", "/a/{x}/b", {}}});
  EXPECT_EQ(routes.path("/a/"), "none");
  EXPECT_EQ(routes.path("/a"), "none");
  EXPECT_EQ(routes.path("/a/%2F"), "/a/{x}");
  EXPECT_EQ(routes.path("/a/x%2Fb"), "/a/{x}") << "an encoded slash separates nothing";
}

TEST(Router, IgnoresOneSlashAtTheEndAndSegmentParameters) {
  const Routes routes({{"", "/a/b", {}}, {"", "/{x}", {}}, {"", "/*", {}}});
  for (const std::string_view path : {"/a/b", "/a/b/", "/a/b;v=1", "/a;x/b", "/a;x=1;y/b;z", "/a/b;", "/a/b;/"}) {
    EXPECT_EQ(routes.path(path), "/a/b") << path;
  }
  EXPECT_EQ(routes.path("/q;x"), "/{x}");
  EXPECT_EQ(routes.path("/q/"), "/{x}");
  EXPECT_EQ(routes.path("/q/"), "/{x}");
}

TEST(Router, MatchesThePathBeforeAStar) {
  const Routes routes(
      {{"", "/*", {}}, {"", "/{x}", {}}, {"", "/a/*", {}}, {"", "/b/{x}/*", {}}, {"", "/c", {}}, {"", "/c/*", {}}});
  for (const std::string_view path : {"/a", "/a/", "/a;v", "/a/x", "/a/x/y"})
    EXPECT_EQ(routes.path(path), "/a/*") << path;
  EXPECT_EQ(routes.path("/b/1"), "/b/{x}/*");
  EXPECT_EQ(routes.path("/b/"), "/{x}") << "a parameter is not empty";
  EXPECT_EQ(routes.path("/c"), "/c") << "exact before all below it";
  EXPECT_EQ(routes.path("/c/"), "/c") << "a slash at the end changes nothing";
  EXPECT_EQ(routes.path("/c/x"), "/c/*");
  EXPECT_EQ(routes.path("/ab"), "/{x}");
  EXPECT_EQ(routes.path("/"), "/*");
}

TEST(Router, FindsARouteWithAndWithoutASlashAtTheEnd) {
  const Routes routes({{"", "/a/", {}}, {"", "/b", {}}, {"", "/a/*", {"GET"}}});
  for (const std::string_view path : {"/a", "/a/"}) EXPECT_EQ(routes.path(path), "/a/") << path;
  for (const std::string_view path : {"/b", "/b/"}) EXPECT_EQ(routes.path(path), "/b") << path;
}

TEST(Router, IgnoresCaseForTheRoutesThatSaySo) {
  const Routes routes({{"", "/*", {}},
                       {"", "/Login", {}, Case::ignored},
                       {"", "/u/{id}/Keys", {}, Case::ignored},
                       {"", "/exact/*", {}}});
  for (const std::string_view path : {"/Login", "/login", "/LOGIN", "/LOGIN/", "/login;v"})
    EXPECT_EQ(routes.path(path), "/Login") << path;
  for (const std::string_view path : {"/U/Bob/KEYS", "/u/x/keys", "/u/x/%E2%84%AAeys"})
    EXPECT_EQ(routes.path(path), "/u/{id}/Keys") << path;
  EXPECT_EQ(routes.path("/exact/x"), "/exact/*");
  EXPECT_EQ(routes.path("/Exact/x"), "/*");
}

TEST(Router, PrefersTheExactCaseButNeverALessSpecificPath) {
  std::vector<Row> rows = {{"", "/a/b", {}, Case::ignored}, {"", "/A/b", {}}, {"", "/a/{x}", {}},
                           {"", "/A/B", {"PUT"}},           {"", "/*", {}},   {"", "/a/b/*", {"POST"}, Case::ignored}};
  const auto by_pattern = [](const Row& a, const Row& b) { return a.pattern < b.pattern; };
  std::sort(rows.begin(), rows.end(), by_pattern);
  do {
    const Routes routes(rows);
    ASSERT_EQ(routes.path("/a/b"), "/a/b") << "not /a/{x}, though that is spelled so";
    ASSERT_EQ(routes.path("/A/b"), "/A/b");
    ASSERT_EQ(routes.path("/a/B"), "/a/b");
    ASSERT_EQ(routes.path("/A/B"), "/a/b");
    ASSERT_EQ(routes.find("h", "/A/B", "PUT"), "/A/B PUT");
    ASSERT_EQ(routes.path("/a/c"), "/a/{x}");
    ASSERT_EQ(routes.path("/A/c"), "/*");
  } while (std::next_permutation(rows.begin(), rows.end(), by_pattern));
}

TEST(Router, ReadsALiteralStarAndBracesWrittenAsEscapes) {
  const Routes routes({{"", "/a%2A", {}}, {"", "/%7Bx%7D", {}}, {"", "/*", {}}});
  EXPECT_EQ(routes.path("/a*"), "/a%2A");
  EXPECT_EQ(routes.path("/{x}"), "/%7Bx%7D");
  EXPECT_EQ(routes.path("/ab"), "/*");
}

TEST(Router, TellsTheRootFromPathsBelowIt) {
  const Routes routes({{"", "/", {}}, {"", "/a/*", {}}});
  EXPECT_EQ(routes.path("/"), "/");
  EXPECT_EQ(routes.path("/b"), "none");
  EXPECT_EQ(routes.path("/a/x/y"), "/a/*");
}

TEST(Router, PrefersExactHostsToPatternsToAny) {
  std::vector<Row> rows = {{"", "/x", {}},
                           {"*.example", "/x", {}},
                           {"*.a.example", "/x", {}},
                           {"a.example", "/x", {}},
                           {"b.a.example", "/x", {}}};
  const std::vector<std::pair<std::string, std::string>> table = {{"a.example", "a.example/x"},
                                                                  {"b.a.example", "b.a.example/x"},
                                                                  {"c.a.example", "*.a.example/x"},
                                                                  {"d.c.a.example", "*.a.example/x"},
                                                                  {"b.example", "*.example/x"},
                                                                  {"example", "/x"},
                                                                  {"other", "/x"},
                                                                  {"xa.example", "*.example/x"},
                                                                  {"notexample", "/x"},
                                                                  {".example", "/x"},
                                                                  {"A.EXAMPLE", "a.example/x"},
                                                                  {"C.a.Example", "*.a.example/x"}};
  const auto by_host = [](const Row& a, const Row& b) { return a.host < b.host; };
  std::sort(rows.begin(), rows.end(), by_host);
  do {
    const Routes routes(rows);
    for (const auto& [host, route] : table) ASSERT_EQ(routes.find(host, "/x"), route) << host;
  } while (std::next_permutation(rows.begin(), rows.end(), by_host));
}

TEST(Router, IgnoresPortAndFinalDotOfAHost) {
  const Routes routes({{"a.example", "/", {}}, {"*.b.example", "/", {}}, {"[::1]", "/", {}}, {"", "/", {}}});
  for (const std::string_view authority :
       {"a.example", "a.example:80", "a.example.", "a.example.:8080", "A.Example:1"}) {
    EXPECT_EQ(routes.find(authority, "/"), "a.example/") << authority;
  }
  EXPECT_EQ(routes.find("x.b.example.:80", "/"), "*.b.example/");
  EXPECT_EQ(routes.find("[::1]", "/"), "[::1]/");
  EXPECT_EQ(routes.find("[::1]:8080", "/"), "[::1]/");
  EXPECT_EQ(routes.find("[::2]:8080", "/"), "/");
}

TEST(Router, TriesALessSpecificHostIfThePathIsNotFound) {
  const Routes routes({{"a.example", "/only", {}}, {"*.example", "/pattern", {}}, {"", "/*", {}}});
  EXPECT_EQ(routes.find("a.example", "/only"), "a.example/only");
  EXPECT_EQ(routes.find("a.example", "/pattern"), "*.example/pattern");
  EXPECT_EQ(routes.find("a.example", "/else"), "/*");
}

TEST(Router, PrefersARouteThatNamesTheMethod) {
  for (const bool named_first : {true, false}) {
    const Row named{"", "/a", {"GET", "POST"}}, all{"", "/a", {}};
    const Routes routes(named_first ? std::vector<Row>{named, all} : std::vector<Row>{all, named});
    EXPECT_EQ(routes.find("h", "/a", "POST"), "/a GET POST");
    EXPECT_EQ(routes.find("h", "/a", "PUT"), "/a");
    EXPECT_EQ(routes.find("h", "/a", "get"), routes.find("h", "/a", "GET")) << "to some servers they are one";
  }
}

TEST(Router, MatchesTraceOnlyForARouteThatNamesIt) {
  const Routes routes({{"", "/*", {}}, {"", "/a", {"GET", "TRACE"}}});
  EXPECT_EQ(routes.find("h", "/a", "TRACE"), "/a GET TRACE");
  EXPECT_EQ(routes.find("h", "/b", "TRACE"), "none");
  EXPECT_EQ(routes.allowed("/b", "TRACE"), "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  EXPECT_EQ(routes.find("h", "/b", "OPTIONS"), "/*");
}

TEST(Router, TriesALessSpecificPathIfTheMethodDoesNotMatch) {
  const Routes routes({{"", "/a/b", {"GET"}},
                       {"", "/a/{x}", {"PUT"}},
                       {"", "/a/*", {"POST"}},
                       {"", "/*", {"PATCH"}},
                       {"h.example", "/a/b", {"DELETE"}}});
  EXPECT_EQ(routes.find("h", "/a/b", "GET"), "/a/b GET");
  EXPECT_EQ(routes.find("h", "/a/b", "PUT"), "/a/{x} PUT");
  EXPECT_EQ(routes.find("h", "/a/b", "POST"), "/a/* POST");
  EXPECT_EQ(routes.find("h", "/a/b", "PATCH"), "/* PATCH");
  EXPECT_EQ(routes.find("h.example", "/a/b", "GET"), "/a/b GET");
}

TEST(Router, ListsEveryMatchingMethodOnce) {
  const Routes routes(
      {{"", "/a", {"GET", "HEAD"}}, {"", "/{x}", {"HEAD", "PUT"}}, {"h.example", "/a", {"DELETE", "GET"}}});
  EXPECT_EQ(routes.allowed("/a", "POST"), "GET, HEAD, PUT");
  EXPECT_EQ(routes.allowed("/a/", "POST"), "GET, HEAD, PUT");
  EXPECT_EQ(routes.allowed("/b", "POST"), "HEAD, PUT");
  EXPECT_EQ(routes.allowed("/a", "POST", "h.example"), "DELETE, GET, HEAD, PUT");
  EXPECT_EQ(routes.allowed("/a/b", "POST"), "") << "no route at all";
}

TEST(Router, FindsNothingWithoutRoutes) {
  const Routes none(std::vector<Row>{});
  EXPECT_EQ(none.path("/"), "none");
  const Routes routes(std::vector<Row>{{"a.example", "/a", {}}});
  EXPECT_EQ(routes.find("b.example", "/a"), "none");
  EXPECT_EQ(routes.find("", "/a"), "none");
  EXPECT_EQ(routes.find("a.example", "*"), "none");
}

}  // namespace
}  // namespace headgate::gateway
