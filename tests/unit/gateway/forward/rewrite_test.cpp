// Paths for servers and addresses of redirects, made from the path of a request.

#include "../../../../src/gateway/forward/rewrite.hpp"

#include "headgate/gateway/options.hpp"
#include "headgate/http/path.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace headgate::gateway {
namespace {

std::shared_ptr<const RouteEdits> edits_for(const std::string& pattern, Rewrite rewrite) {
  RouteOptions route;
  route.path = pattern;
  auto options = std::make_shared<EditOptions>();
  options->rewrite = std::move(rewrite);
  route.edits = options;
  return compile_edits(nullptr, route);
}

/// What the server is asked for if a client asks for `raw`.
std::string rewritten(const std::string& pattern, const Rewrite& rewrite, std::string_view raw) {
  const auto edits = edits_for(pattern, rewrite);
  std::string matched, sent;
  EXPECT_NE(http::normalise_path(raw, matched, sent), http::PathKind::refused) << raw;
  TextArena text;
  return std::string(fill_in(text, *edits->path, sent.empty() ? matched : sent));
}

TEST(Rewriting, RemovesAPrefixHoweverItIsSpelled) {
  const Rewrite strip{.strip_prefix = "/api", .add_prefix = {}, .path = {}};
  EXPECT_EQ(rewritten("/api/*", strip, "/api/users/42"), "/users/42");
  EXPECT_EQ(rewritten("/api/*", strip, "/%61pi/users"), "/users");
  EXPECT_EQ(rewritten("/api/*", strip, "//x/..//api/users"), "/users");
  EXPECT_EQ(rewritten("/api/*", strip, "/api;v=1/users"), "/users");
  EXPECT_EQ(rewritten("/api/*", strip, "/api"), "/");
  EXPECT_EQ(rewritten("/api/*", strip, "/api/"), "/");
  EXPECT_EQ(rewritten("/api/*", strip, "/api/users/"), "/users/") << "a slash at the end stays";
  EXPECT_EQ(rewritten("/api/*", strip, "/api/a%20b/%C3%A9"), "/a%20b/%C3%A9") << "escapes stay as they are written";
}

TEST(Rewriting, PutsAPrefixInFrontOrInPlaceOfAnother) {
  EXPECT_EQ(rewritten("/*", {.strip_prefix = {}, .add_prefix = "/v2", .path = {}}, "/users"), "/v2/users");
  EXPECT_EQ(rewritten("/*", {.strip_prefix = {}, .add_prefix = "/v2", .path = {}}, "/"), "/v2/");
  const Rewrite both{.strip_prefix = "/api/v1", .add_prefix = "/v2", .path = {}};
  EXPECT_EQ(rewritten("/api/v1/*", both, "/api/v1/users?"), "/v2/users?") << "a query is no part of a path";
  EXPECT_EQ(rewritten("/api/v1/*", both, "/api/v1"), "/v2");
}

TEST(Rewriting, TakesParametersAndTheRestIntoAnotherPath) {
  const Rewrite profile{.strip_prefix = {}, .add_prefix = {}, .path = "/users/{id}/profile"};
  EXPECT_EQ(rewritten("/u/{id}", profile, "/u/42"), "/users/42/profile");
  EXPECT_EQ(rewritten("/u/{id}", profile, "/u/42;admin=1/"), "/users/42/profile") << "as the router reads it";
  EXPECT_EQ(rewritten("/u/{id}", profile, "/u/a%2fb"), "/users/a%2fb/profile") << "stays encoded";
  const Rewrite swapped{.strip_prefix = {}, .add_prefix = {}, .path = "/{b}/x/{a}/*"};
  EXPECT_EQ(rewritten("/{a}/{b}/*", swapped, "/1/2/3/4"), "/2/x/1/3/4");
  EXPECT_EQ(rewritten("/{a}/{b}/*", swapped, "/1/2"), "/2/x/1");
  EXPECT_EQ(rewritten("/old/*", {.strip_prefix = {}, .add_prefix = {}, .path = "/*"}, "/old"), "/");
}

/// A path as an attacker would write it.
std::string hostile_path(std::mt19937& random) {
  static const std::vector<std::string> kPieces{"a",    "api",   "%61pi",      "..",   ".",    "%2e%2e", "%2E.",
                                                "%2f",  "%5C",   "%252e%252e", ";v=1", "b;x",  "..;",    "%00",
                                                "a%20", "%2F..", "",           "%25",  "x%2f", "users",  "%c3%a9"};
  std::string out;
  const auto count = 1 + random() % 7;
  for (std::size_t i = 0; i < count; ++i) {
    out += '/';
    out += kPieces[random() % kPieces.size()];
    if (random() % 4 == 0) out += kPieces[random() % kPieces.size()];
  }
  return out;
}

// Whatever a client writes: the path for the server lies below the prefix that the route gives, has no empty and no dot
// segment, hides no slash that the client's did not hide, and the server reads in it the segments that the router saw.
TEST(Rewriting, NeverLeavesThePrefixWhateverAClientWrites) {
  std::mt19937 random(11);
  const auto edits = edits_for("/api/*", {.strip_prefix = "/api", .add_prefix = "/inner/v2", .path = {}});
  const auto by_name = edits_for("/api/{x}", {.strip_prefix = {}, .add_prefix = {}, .path = "/inner/{x}/end"});
  std::string matched, sent;
  int taken = 0;
  for (int round = 0; round < 60'000; ++round) {
    const auto raw = "/api" + hostile_path(random);
    const auto kind = http::normalise_path(raw, matched, sent);
    if (kind == http::PathKind::refused || (matched != "/api" && !matched.starts_with("/api/"))) continue;
    ++taken;
    TextArena text;
    const std::string own = sent.empty() ? matched : sent;
    const std::string made(fill_in(text, *edits->path, own));
    const bool hides = kind == http::PathKind::hides_slash;
    ASSERT_TRUE(reads_as_written(made, hides)) << raw << " became " << made;
    ASSERT_TRUE(made == "/inner/v2" || made.starts_with("/inner/v2/")) << raw << " became " << made;
    std::string server_matched, server_sent;
    ASSERT_NE(http::normalise_path(made, server_matched, server_sent), http::PathKind::refused);
    ASSERT_EQ(server_matched, "/inner/v2" + matched.substr(4)) << raw;
    if (segment_of(own, 1).empty()) continue;
    const std::string named(fill_in(text, *by_name->path, own));
    ASSERT_TRUE(reads_as_written(named, hides)) << raw << " became " << named;
    ASSERT_TRUE(named.starts_with("/inner/") && named.ends_with("/end")) << raw << " became " << named;
    ASSERT_EQ(std::count(named.begin(), named.end(), '/'), 3) << raw << " became " << named;
  }
  EXPECT_GT(taken, 10'000) << "most of them are read";
}

TEST(Rewriting, RefusesAPathThatServersWouldReadDifferently) {
  for (const std::string_view bad :
       {"/a//b", "/a/../b", "/a/%2e%2e/b", "/a/./b", "", "a", "/a/..;x/b", "/a\n/b", "/%00"})
    EXPECT_FALSE(reads_as_written(bad, true)) << bad;
  EXPECT_FALSE(reads_as_written("/a%2Fb", false));
  EXPECT_TRUE(reads_as_written("/a%2Fb", true)) << "the route keeps encoded slashes";
  EXPECT_TRUE(reads_as_written("/a%20b/", false));
}

}  // namespace
}  // namespace headgate::gateway
