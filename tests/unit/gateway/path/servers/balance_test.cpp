// What of a request says its server.

#include "unit/gateway/path/path.hpp"

#include <optional>

namespace headgate::gateway::test {
namespace {

class PathBalance : public Path {
 protected:
  void balance_by(std::initializer_list<std::string_view> words) {
    for (const auto word : words) upstream().balance_per.push_back(headgate::test::make_per(word));
  }
  std::optional<std::uint64_t> key_of(std::string_view start_line, std::string_view fields = {}) {
    if (gateway)
      ask_again(start_line, fields);
    else
      check(start_line, fields);
    EXPECT_TRUE(done);
    return app->report.key;
  }
};

TEST_F(PathBalance, IsByNothingUnlessTheUpstreamSaysSo) {
  upstream("another").balance_per = {headgate::test::make_per("client_ip")};
  EXPECT_EQ(key_of("GET /a"), std::nullopt);
}

TEST_F(PathBalance, GivesRequestsThatAreAlikeOneKey) {
  balance_by({"header:x-user"});
  const auto ann = key_of("GET /a", "X-User: ann\r\n");
  ASSERT_TRUE(ann);
  EXPECT_EQ(key_of("POST /b", "X-User: ann\r\n"), ann);
  EXPECT_NE(key_of("GET /a", "X-User: bob\r\n"), ann);
}

TEST_F(PathBalance, GivesARequestThatLacksAPartNoKey) {
  balance_by({"client_ip", "header:x-user"});
  EXPECT_EQ(key_of("GET /a"), std::nullopt);
  EXPECT_EQ(client.status, 200U);
  EXPECT_TRUE(key_of("GET /a", "X-User: ann\r\n"));
}

// The server could read the other one.
TEST_F(PathBalance, RefusesARequestThatNamesItTwice) {
  balance_by({"header:x-user"});
  check("GET /a", "X-User: ann\r\nX-User: bob\r\n");
  EXPECT_EQ(client.status, 400U);
}

TEST_F(PathBalance, MayBeByAClaimOfATokenThatTheRouteDoesNotRequire) {
  believe_tokens();
  balance_by({"jwt.sub"});
  EXPECT_EQ(key_of("GET /a"), std::nullopt);
  const auto ann = key_of("GET /a", "Authorization: Bearer ann\r\n");
  ASSERT_TRUE(ann);
  EXPECT_NE(key_of("GET /a", "Authorization: Bearer bob\r\n"), ann);
}

}  // namespace
}  // namespace headgate::gateway::test
