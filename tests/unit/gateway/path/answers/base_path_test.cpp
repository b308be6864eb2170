// Upstreams whose URLs have a path: it stands before that of each request.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/edit_options.hpp"

namespace headgate::gateway::test {
namespace {

class PathBase : public Path {
 protected:
  PathBase() { upstream().base = "/base"; }
  std::string asked(const std::string& target) {
    gateway ? ask_again("GET " + target) : check("GET " + target);
    EXPECT_TRUE(done);
    return app->report.targets.back();
  }
  EditOptions& edits() {
    auto made = std::make_shared<EditOptions>();
    route.edits = made;
    return *made;
  }
};

TEST_F(PathBase, IsPutBeforeThePathOfARequest) {
  EXPECT_EQ(asked("/a/b%20c?q=1"), "GET /base/a/b%20c?q=1");
  EXPECT_EQ(asked("/"), "GET /base/");
  EXPECT_EQ(asked("//a/./b"), "GET /base/a/b");
  EXPECT_EQ(x.request.path, "/a/b") << "what the log and the limits have";
}

TEST_F(PathBase, CannotBeLeft) {
  EXPECT_EQ(asked("/a/../../../etc"), "GET /base/etc");
  EXPECT_EQ(asked("/%2e%2e/%2E./etc"), "GET /base/etc");
}

TEST_F(PathBase, IsPutBeforeThePathThatTheRouteMakes) {
  route.path = "/api/{id}/*";
  auto& made = edits();
  made.rewrite.strip_prefix = "/api";
  made.rewrite.add_prefix = "/v2";
  EXPECT_EQ(asked("/api/7/x"), "GET /base/v2/7/x");
}

TEST_F(PathBase, IsPutBeforeAWholePath) {
  route.path = "/api/{id}/*";
  edits().rewrite.path = "/users/{id}/*";
  EXPECT_EQ(asked("/api/7/x"), "GET /base/users/7/x");
}

TEST_F(PathBase, IsTakenFromAddressesInAnswers) {
  server.fields = {{http::Known::location, "Location", "/base/next?x=1"},
                   {http::Known::set_cookie, "Set-Cookie", "a=1; Path=/base/"}};
  asked("/a");
  EXPECT_EQ(client.fields["Location"], "/next?x=1");
  EXPECT_EQ(client.fields["Set-Cookie"], "a=1; Path=/");
  server.fields = {{http::Known::location, "Location", "/basement"}};
  asked("/a");
  EXPECT_EQ(client.fields["Location"], "/basement") << "of the same server, and not below the path";
}

TEST_F(PathBase, IsNotOfTheServerAsAWhole) {
  check("OPTIONS *");
  EXPECT_TRUE(done);
  for (const auto& target : app->report.targets) EXPECT_EQ(target, "OPTIONS *");
}

}  // namespace
}  // namespace headgate::gateway::test
