// Cross-origin requests: who may read answers, and what a preflight costs.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;

const std::string kApp = "Origin: https://app.example.com\r\n";
const std::string kAsks = "Access-Control-Request-Method: PUT\r\n";

class PathCors : public Path {
 protected:
  PathCors() {
    rules.origins = {"https://app.example.com"};
    rules.below = {{"https://", ".example.org"}};
    rules.headers = kUsualHeaders;
    rules.expose = kAlwaysExposed;
    rules.max_age = "600";
  }
  /// Begins a request under these rules.
  void ask(std::string_view start_line, const std::string& fields = {}) {
    if (!gateway) route.cors = std::make_shared<const Cors>(rules);
    if (x.route || client.status != 0)
      ask_again(start_line, fields);
    else
      check(start_line, fields);
    ASSERT_TRUE(done);
  }
  void server_says(std::string_view name, std::string_view value) {
    server.fields.push_back({boost::beast::http::string_to_field({name.data(), name.size()}), name, value});
  }
  std::string field(const std::string& name) const {
    const auto found = client.fields.find(name);
    return found == client.fields.end() ? "-" : found->second;
  }
  std::string allowed() const { return field("Access-Control-Allow-Origin"); }

  Cors rules;
};

TEST_F(PathCors, AnAnswerNamesTheOriginThatMayReadIt) {
  ask("GET /a", kApp);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(allowed(), "https://app.example.com");
  EXPECT_EQ(field("Vary"), "Origin");
  EXPECT_EQ(field("Access-Control-Expose-Headers"), kAlwaysExposed);
  EXPECT_EQ(field("Access-Control-Allow-Credentials"), "-");
}

TEST_F(PathCors, OtherOriginsGetTheAnswerWithoutAWordOfThem) {
  for (const char* other :
       {"https://app.example.com.", "https://app.example.com:8443", "http://app.example.com",
        "https://evil-example.com", "https://app.example.com.evil.com", "https://xapp.example.com",
        "https://evilexample.org", "https://example.org", "http://a.example.org", "https://a.example.org:444",
        "https://a.example.org.evil.com", "null", "*", "https://app.example.com/", "https://a.example.org@evil.com"}) {
    ask("GET /a", "Origin: " + std::string(other) + "\r\n");
    EXPECT_EQ(client.status, 200U);
    EXPECT_EQ(allowed(), "-") << other;
    EXPECT_EQ(field("Access-Control-Expose-Headers"), "-") << other;
    EXPECT_EQ(field("Vary"), "Origin") << "a cache must not give it to others";
  }
  ask("GET /a");
  EXPECT_EQ(allowed(), "-") << "not of another origin";
  EXPECT_EQ(field("Vary"), "Origin");
}

TEST_F(PathCors, SpellingsOfOneOriginAreEqual) {
  for (const char* same : {"HTTPS://APP.example.COM", "https://app.example.com:443", "https://a.b.example.org:443"}) {
    ask("GET /a", "Origin: " + std::string(same) + "\r\n");
    EXPECT_EQ(allowed(), same);
  }
}

TEST_F(PathCors, TwoOriginsAreNone) {
  ask("GET /a", kApp + kApp);
  EXPECT_EQ(allowed(), "-");
}

TEST_F(PathCors, NullMustBeListed) {
  rules.origins = {"null"};
  ask("GET /a", "Origin: null\r\n");
  EXPECT_EQ(allowed(), "null");
}

TEST_F(PathCors, AStarIsForEverybodyAndVariesByNothing) {
  rules.any = true;
  ask("GET /a");
  EXPECT_EQ(allowed(), "*");
  EXPECT_EQ(field("Vary"), "-");
}

TEST_F(PathCors, CredentialsAreAllowedToListedOriginsOnly) {
  rules.credentials = true;
  ask("GET /a", kApp);
  EXPECT_EQ(field("Access-Control-Allow-Credentials"), "true");
  ask("GET /a", "Origin: https://other.example.com\r\n");
  EXPECT_EQ(field("Access-Control-Allow-Credentials"), "-");
}

TEST_F(PathCors, TheServersOwnFieldsAreReplacedAndItsVaryKept) {
  server_says("Access-Control-Allow-Origin", "*");
  server_says("access-control-allow-credentials", "true");
  server_says("Access-Control-Allow-Private-Network", "true");
  server_says("Vary", "Accept-Encoding");
  ask("GET /a", kApp);
  EXPECT_EQ(allowed(), "https://app.example.com");
  EXPECT_EQ(field("access-control-allow-credentials"), "-");
  EXPECT_EQ(field("Access-Control-Allow-Private-Network"), "-");
  EXPECT_EQ(field("Vary"), "Accept-Encoding, Origin");
}

TEST_F(PathCors, VarySaysItOnce) {
  server_says("Vary", "accept, ORIGIN");
  ask("GET /a", kApp);
  EXPECT_EQ(field("Vary"), "accept, ORIGIN");
}

TEST_F(PathCors, ARejectionCanBeReadToo) {
  in_memory("plan", "1/hour");
  ask("GET /a", kApp);
  ask("GET /a", kApp);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(allowed(), "https://app.example.com");
  EXPECT_NE(field("Retry-After"), "-");
  EXPECT_NE(field("Access-Control-Expose-Headers").find("Retry-After"), std::string::npos);
}

TEST_F(PathCors, AProblemOfTheServersCanBeRead) {
  server.unreachable = Failure{.what = Failed::no_connection};
  ask("GET /a", kApp);
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(allowed(), "https://app.example.com");
}

TEST_F(PathCors, AnAnswerOfTheRouteItselfCanBeRead) {
  route.respond.emplace();
  ask("GET /a", kApp);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(allowed(), "https://app.example.com");
}

TEST_F(PathCors, APreflightIsAnsweredHere) {
  ask("OPTIONS /a", kApp + kAsks + "Access-Control-Request-Headers: authorization\r\n");
  EXPECT_EQ(client.status, 204U);
  EXPECT_EQ(x.ended_by, EndedBy::preflight);
  EXPECT_EQ(allowed(), "https://app.example.com");
  EXPECT_EQ(field("Access-Control-Allow-Methods"), kDefaultMethods);
  EXPECT_EQ(field("Access-Control-Allow-Headers"), kUsualHeaders);
  EXPECT_EQ(field("Access-Control-Max-Age"), "600");
  EXPECT_EQ(field("Vary"), "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
  EXPECT_THAT(trace.lines, ElementsAre("memory preflights 1", "answer 204"));
}

TEST_F(PathCors, APreflightNeedsNoCredentialAndTakesFromNoLimit) {
  with_proof("proof", "1/hour");
  in_memory("flood", "1/hour");
  in_redis("plan", "1/hour");
  route.require = Require::jwt;
  for (int i = 0; i < 3; ++i) {
    ask("OPTIONS /a", kApp + kAsks);
    EXPECT_EQ(client.status, 204U);
    EXPECT_THAT(trace.lines, ElementsAre("memory preflights 1", "answer 204"));
  }
}

TEST_F(PathCors, APreflightOfARouteWithoutOptionsIsAnswered) {
  route.methods = {"GET", "PUT"};
  ask("OPTIONS /a", kApp + kAsks);
  EXPECT_EQ(client.status, 204U);
  EXPECT_EQ(field("Access-Control-Allow-Methods"), "GET, PUT");
  ask("OPTIONS /a", kApp + "Access-Control-Request-Method: DELETE\r\n");
  EXPECT_EQ(client.status, 405U) << "no route would take that request";
}

TEST_F(PathCors, AnOptionsThatIsNoPreflightGoesToTheServer) {
  ask("OPTIONS /a", kApp);
  EXPECT_EQ(client.status, 200U);
  ask("OPTIONS /a", kAsks);
  EXPECT_EQ(client.status, 200U);
  ask("OPTIONS /a", kApp + kAsks + kAsks);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
}

TEST_F(PathCors, APreflightOfAnotherOriginIsRefused) {
  ask("OPTIONS /a", "Origin: https://evil-example.com\r\n" + kAsks);
  EXPECT_EQ(client.status, 403U);
  EXPECT_EQ(allowed(), "-");
  EXPECT_EQ(field("Vary"), "Origin");
}

TEST_F(PathCors, AFloodOfPreflightsIsRejected) {
  unsigned answered = 0;
  for (unsigned i = 0; i < kPreflightBurst + 5; ++i) {
    ask("OPTIONS /a", kApp + kAsks);
    answered += client.status == 204 ? 1 : 0;
  }
  EXPECT_EQ(answered, kPreflightBurst);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.problem_limit, kPreflightLimit);
  clock.advance(seconds(1));
  ask("OPTIONS /a", kApp + kAsks);
  EXPECT_EQ(client.status, 204U);
}

TEST_F(PathCors, AnyHeaderIsAllowedOnlyIfItIsAHeadersName) {
  rules.any_header = true;
  rules.headers.clear();
  ask("OPTIONS /a", kApp + kAsks + "Access-Control-Request-Headers: x-one, X-Two\r\n");
  EXPECT_EQ(field("Access-Control-Allow-Headers"), "x-one, X-Two");
  ask("OPTIONS /a", kApp + kAsks + "Access-Control-Request-Headers: x-one, <x>\r\n");
  EXPECT_EQ(field("Access-Control-Allow-Headers"), "-");
  ask("OPTIONS /a", kApp + kAsks);
  EXPECT_EQ(field("Access-Control-Allow-Headers"), "-");
}

TEST_F(PathCors, WithoutRulesAPreflightIsARequestLikeAnyOther) {
  check("OPTIONS /a", kApp + kAsks);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(trace.lines, testing::Contains("connect"));
}

}  // namespace
}  // namespace headgate::gateway::test
