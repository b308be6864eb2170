// conf/examples as they are in the repository: each runs with real servers and does what its comments say.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/h2_server.hpp"
#include "blackbox/harness/real_server.hpp"
#include "support/certificates.hpp"
#include "support/jwk_writer.hpp"
#include "support/jwt_signer.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

namespace headgate::test {
namespace {

constexpr const char* kPublicSecret = "only-for-trying-things-out-0123456789";

/// One of the examples on free ports, all of its upstreams the same fake one.
class Example {
 public:
  explicit Example(const std::string& name, std::vector<std::string> environment = {})
      : gateway_(Words{"run", "-c", std::string(HEADGATE_SOURCE_DIR) + "/conf/examples/" + name + ".json"}, 1,
                 all(std::move(environment))) {}

  RawClient client() const { return gateway_.client(); }
  std::uint16_t port() const { return gateway_.port(); }

  FakeUpstream upstream;

 private:
  std::vector<std::string> all(std::vector<std::string> environment) const {
    environment.insert(environment.end(), {"LISTEN=127.0.0.1:0", "ADMIN_LISTEN=127.0.0.1:0"});
    for (const char* url : {"AUTH_URL", "APP_URL", "API_URL", "AI_URL", "BILLING_URL", "API_URL_1", "API_URL_2",
                            "CATALOG_URL", "SEARCH_URL", "NEXT_URL"})
      environment.push_back(std::string(url) + "=" + upstream.url());
    return environment;
  }

  Gateway gateway_;
};

/// The statuses of `count` such requests, each on a connection of its own.
std::string statuses(const Example& example, int count, const std::string& method, const std::string& target,
                     const std::string& fields = "") {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::string wanted =
        method == "POST" ? request_with_body(method, target, "{}", fields) : request(method, target, fields);
    out += (i == 0 ? "" : " ") + std::to_string(example.client().ask(wanted).status());
  }
  return out;
}

std::string claiming(Json claims) {
  claims["exp"] = std::time(nullptr) + 600;
  return "Authorization: Bearer " + sign_hs256(kPublicSecret, claims.dump()) + "\r\n";
}

class ExamplesWithRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
    environment = {"REDIS_URL=redis://127.0.0.1:" + std::to_string(redis.port())};
  }
  RedisServer redis;
  std::vector<std::string> environment;
};

TEST(Examples, ServersServesEveryPath) {
  const Example example("servers");
  EXPECT_EQ(statuses(example, 4, "GET", "/"), "200 200 200 200");
  EXPECT_EQ(statuses(example, 2, "GET", "/catalog/1"), "200 200");
}

TEST(Examples, GrpcRefusesInTheWordsOfGrpc) {
  H2Server server([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}, {"grpc-status", "0"}});
  });
  const Example example("grpc", {"GRPC_URL=" + server.url()});
  H2Client client(example.port());
  std::string status = "0";
  std::uint32_t asked = 0;  // five, and one more for each 200 ms that they take
  for (; asked < 50 && status == "0"; ++asked)
    status = client.ask(2 * asked + 1, h2_get("/shop.Orders/Place", {{"content-type", "application/grpc"}}, "POST"))
                 .fields.at("grpc-status");
  EXPECT_GE(asked, 6U);
  EXPECT_EQ(status, "8");
}

TEST(Examples, RetriesSendAgainWhatDoesNoHarm) {
  Example example("retries");
  example.upstream.answer_next(1, {{"X-Test-Status", "503"}});
  EXPECT_EQ(statuses(example, 1, "GET", "/v1/orders"), "200");
  example.upstream.answer_next(2, {{"X-Test-Status", "503"}});  // one more, because a copy of the GET may take one
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/orders"), "503");
}

TEST(Examples, LoginProtectsLoginsSignUpsAndComments) {
  const Example example("login");
  EXPECT_EQ(statuses(example, 8, "POST", "/v1/login"), "200 200 200 200 200 200 200 200") << "only failures count";
  EXPECT_EQ(statuses(example, 6, "POST", "/v1/login", "X-Test-Status: 401\r\n"), "401 401 401 401 401 429");
  EXPECT_EQ(statuses(example, 4, "POST", "/v1/password-reset"), "200 200 200 429");
  EXPECT_EQ(statuses(example, 4, "POST", "/v1/accounts"), "200 200 200 429");
  EXPECT_EQ(statuses(example, 4, "POST", "/v1/comments/7"), "200 200 200 429");
  EXPECT_EQ(statuses(example, 5, "GET", "/v1/comments/7"), "200 200 200 200 200") << "reading costs nothing";
}

TEST(Examples, WebAppServesAPageOfAnotherHost) {
  const Example example("web-app");
  const std::string page = "Origin: https://app.example.com\r\n";
  const auto preflight =
      example.client().ask(request("OPTIONS", "/v1/orders/7", page + "Access-Control-Request-Method: PUT\r\n"));
  EXPECT_EQ(preflight.status(), 204);
  EXPECT_EQ(preflight.value("Access-Control-Allow-Methods"), "GET, HEAD, POST, PUT, DELETE");
  EXPECT_EQ(preflight.value("Access-Control-Max-Age"), "3600");
  EXPECT_EQ(statuses(example, 2, "GET", "/v1/catalogue/7", page), "200 200");
  EXPECT_EQ(statuses(example, 2, "GET", "/v1/catalogue/7", page + "X-Canary: 1\r\n"), "200 200");
  const auto reader = claiming({{"iss", "https://login.example.com/"}, {"sub", "ann"}, {"scope", "orders:read"}});
  const auto writer = claiming(
      {{"iss", "https://login.example.com/"}, {"sub", "ben"}, {"scope", "orders:read orders:write"}, {"plan", "pro"}});
  EXPECT_EQ(statuses(example, 1, "GET", "/v1/orders/7", reader), "200");
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/orders/7", reader), "403");
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/orders/7", writer), "200");
  const auto webhook = example.client().ask(request_with_body("POST", "/v1/webhooks/a", "{}", page));
  EXPECT_EQ(webhook.status(), 200);
  EXPECT_FALSE(webhook.has("Access-Control-Allow-Origin"));
}

TEST(Examples, AbuseSuspendsScanners) {
  const Example example("abuse");
  std::string missing = statuses(example, 30, "GET", "/wp-login.php", "X-Test-Status: 404\r\n");
  EXPECT_EQ(missing.find("403"), std::string::npos) << missing;
  // The last one is noted when its answer has been sent, maybe by another worker.
  std::string next;
  for (int i = 0; i < 100 && next != "403"; ++i) next = statuses(example, 1, "GET", "/");
  EXPECT_EQ(next, "403");
}

TEST(Examples, HttpsOnBothSides) {
  if (!Certificates::possible() || !installed(kHaproxy)) GTEST_SKIP() << "no openssl or no HAProxy on this machine";
  Certificates files;
  ASSERT_TRUE(files.make("app", "DNS:app.internal"));
  std::ifstream certificate(files.path("app.crt"));
  std::ifstream key(files.path("app.key"));
  std::stringstream both;
  both << certificate.rdbuf() << key.rdbuf();
  const TemporaryFile pem(both.str(), "app.pem");
  FakeUpstream app;
  RealServer secure = haproxy("ssl crt " + pem.path(), app.port());
  ASSERT_TRUE(secure.listens()) << secure.said();
  const Example example("https", {"TRUSTED_PROXY=127.0.0.1/32", "SECURE_URL=" + secure.url("https"),
                                  "SECURE_CA=" + files.path("ca.crt")});
  const std::string from = "X-Forwarded-For: 198.51.100.7\r\nX-Forwarded-Proto: ";
  const auto answer = example.client().get("/a", from + "https\r\n");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.value("Strict-Transport-Security"), "max-age=31536000");
  EXPECT_EQ(app.request_count(), 1U);
  EXPECT_EQ(statuses(example, 1, "GET", "/a", from + "http\r\n"), "301");
  EXPECT_EQ(statuses(example, 1, "GET", "/ready"), "200");
}

TEST(Examples, OverloadKeepsTheCheckoutAtWork) {
  const Example example("overload", {"TRUSTED_PROXY=127.0.0.1/32"});
  const std::string from = "X-Forwarded-For: 198.51.100.7\r\n";
  EXPECT_EQ(statuses(example, 3, "GET", "/search", from), "200 200 200");
  EXPECT_EQ(statuses(example, 3, "GET", "/checkout/7", from + "X-Priority: low\r\n"), "200 200 200");
  EXPECT_EQ(example.client().get("/", from + "X-Priority: low\r\nX-Priority: critical\r\n").status(), 400);
}

TEST(Examples, HealthChecksItsServers) {
  const Example example("health");
  EXPECT_EQ(statuses(example, 3, "GET", "/a"), "200 200 200");
  const auto until = std::chrono::steady_clock::now() + kPatience;
  const auto checked = [&] {
    for (const auto& seen : example.upstream.requests())
      if (seen.message.target() == "/healthz") return true;
    return false;
  };
  while (!checked()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST_F(ExamplesWithRedis, SaasHasPlansAndAnExpensiveEndpoint) {
  const Example example("saas", environment);
  const auto claims = [](const char* org, const char* plan) {
    return claiming({{"iss", "https://login.example.com/"},
                     {"aud", "https://api.example.com"},
                     {"sub", "somebody"},
                     {"org_id", org},
                     {"plan", plan}});
  };
  EXPECT_EQ(example.client().get("/v1/things").status(), 401);
  EXPECT_EQ(statuses(example, 6, "POST", "/v1/exports", claims("b", "free")), "200 200 200 200 200 200");
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/exports", claims("b", "free")), "429") << "an export costs ten of 60";
  EXPECT_EQ(statuses(example, 7, "POST", "/v1/exports", claims("e", "enterprise")), "200 200 200 200 200 200 200");
  EXPECT_EQ(statuses(example, 7, "POST", "/v1/ai/answer", claims("a", "free")), "200 200 200 200 200 200 429")
      << "a tenth of the plan";
  // Settled after the answer, and nobody waits for that: the next request may still be allowed.
  const auto thirsty = claims("c", "free") + "X-Test-Field: X-Tokens-Used: 20000\r\n";
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/ai/answer", thirsty), "200");
  std::string then;
  for (int tries = 0; tries < 4 && then != "429"; ++tries)
    then = statuses(example, 1, "POST", "/v1/ai/answer", thirsty);
  EXPECT_EQ(then, "429") << "one answer used the tokens of the day";
  EXPECT_EQ(statuses(example, 8, "POST", "/v1/ai/answer", claims("d", "internal")), "200 200 200 200 200 200 200 200");
}

TEST_F(ExamplesWithRedis, PaymentsCloseWhenRedisIsGoneAndReadingGoesOn) {
  const Example example("payments", environment);
  const std::string caller = claiming({{"account", "acme"}});
  EXPECT_EQ(statuses(example, 6, "POST", "/accounts/acme/refunds", caller), "200 200 200 200 200 429");
  EXPECT_EQ(statuses(example, 2, "POST", "/accounts/acme/charges", caller), "200 200");
  redis.kill9();
  EXPECT_EQ(statuses(example, 2, "POST", "/accounts/acme/charges", claiming({{"account", "other"}})), "503 503");
  EXPECT_EQ(statuses(example, 2, "GET", "/accounts/acme", caller), "200 200");
}

TEST(Examples, PublicApiCountsByAddressThroughItsLoadBalancer) {
  const Example example("public-api");
  const auto from = [](const std::string& address) { return "X-Forwarded-For: " + address + "\r\n"; };
  int passed = 0;
  while (passed < 1000 && example.client().get("/", from("203.0.113.7")).status() == 200) ++passed;
  EXPECT_GE(passed, 40);
  EXPECT_LT(passed, 1000) << "a burst of 40 and ten a second";
  EXPECT_EQ(example.client().get("/", from("203.0.113.8")).status(), 200) << "another address";
  EXPECT_EQ(example.client().get("/thumbnails/1", from("203.0.113.9")).status(), 200);
  EXPECT_EQ(example.client().get("/healthz").status(), 200);
}

std::string key_of(const std::string& owner) { return "X-API-Key: " + owner + "-only-for-trying-0123456789\r\n"; }

/// The identity example, with an issuer that can sign: we have no private half of the published key.
class IdentityExample : public testing::Test {
 protected:
  std::string token(Json claims) const {
    const auto now = std::time(nullptr);
    claims.merge_patch(
        {{"iss", "https://login.example.com/"}, {"aud", "https://api.example.com"}, {"iat", now}, {"exp", now + 600}});
    return "Authorization: Bearer " + sign(issuer_.get(), "ES256", claims.dump(), "today") + "\r\n";
  }
  std::string user(const std::string& name) const { return token({{"sub", name}, {"org_id", "org-of-" + name}}); }

 private:
  KeyPair issuer_ = make_curve_key("P-256");
  TemporaryFile set_{jwk_set({named_jwk(issuer_.get(), "today")}), "jwks.json"};

 protected:
  const Example example{"identity",
                        {"JWK_SET=" + set_.path(),
                         "KEY_FILE=" + std::string(HEADGATE_SOURCE_DIR) + "/conf/examples/identity/api-keys.json"}};
};

TEST(TeamsExample, JoinsTheFilesOfAllTeams) {
  const Example example("teams");
  EXPECT_EQ(statuses(example, 1, "GET", "/search/x"), "200");
  EXPECT_EQ(statuses(example, 6, "POST", "/catalog/7"), "200 200 200 200 200 429") << "a limit of that team";
  EXPECT_EQ(statuses(example, 1, "GET", "/catalog/7"), "200");
  const auto answer = example.client().get("/search/x");
  EXPECT_EQ(answer.value("X-RateLimit-Limit"), "100") << "a limit of all routes";
}

TEST_F(IdentityExample, CountsEachCallerByTheBestItProves) {
  EXPECT_EQ(statuses(example, 6, "GET", "/", user("alice")), "200 200 200 200 200 429");
  EXPECT_EQ(statuses(example, 1, "GET", "/", user("bob")), "200") << "another user at the same address";
  EXPECT_EQ(statuses(example, 6, "GET", "/", key_of("acme")), "200 200 200 200 200 200") << "a larger tier";
  EXPECT_EQ(statuses(example, 6, "GET", "/", key_of("nightly")), "200 200 200 200 200 200") << "none at all";
  const auto from = [](const std::string& told) { return "X-Forwarded-For: " + told + "\r\n"; };
  EXPECT_EQ(statuses(example, 6, "GET", "/", from("203.0.113.7")), "200 200 200 200 200 429");
  EXPECT_EQ(statuses(example, 1, "GET", "/", from("198.51.100.1, 203.0.113.7")), "429") << "what it claims of itself";
  EXPECT_EQ(statuses(example, 1, "GET", "/", from("203.0.113.8")), "200");
}

TEST_F(IdentityExample, BelievesBothIssuersAndNoOther) {
  EXPECT_EQ(
      statuses(example, 1, "GET", "/accounts/1", claiming({{"iss", "https://jobs.example.com/"}, {"sub", "job"}})),
      "200");
  EXPECT_EQ(
      statuses(example, 1, "GET", "/accounts/1", claiming({{"iss", "https://evil.example.com/"}, {"sub", "job"}})),
      "401");
  EXPECT_EQ(
      statuses(example, 1, "GET", "/accounts/1", claiming({{"iss", "https://login.example.com/"}, {"sub", "job"}})),
      "401")
      << "signed with another issuer's key";
}

TEST_F(IdentityExample, RequiresATokenForAccountsAndAKeyForImports) {
  EXPECT_EQ(statuses(example, 1, "GET", "/accounts/1"), "401");
  EXPECT_EQ(statuses(example, 1, "GET", "/accounts/1", token({{"org_id", "nobody in particular"}})), "403");
  EXPECT_EQ(statuses(example, 4, "GET", "/accounts/1", user("carol")), "200 200 200 429");
  EXPECT_EQ(statuses(example, 1, "GET", "/accounts/2", user("carol")), "200") << "another account";
  EXPECT_EQ(statuses(example, 1, "POST", "/import"), "401");
  EXPECT_EQ(statuses(example, 1, "POST", "/import", key_of("acme")), "200");
  EXPECT_EQ(statuses(example, 1, "GET", "/", key_of("globex")), "401") << "expired";
  EXPECT_EQ(statuses(example, 1, "GET", "/", key_of("stranger")), "401");
}

TEST_F(IdentityExample, TellsTheServerWhoAsksAndNotHowThatWasProven) {
  EXPECT_EQ(statuses(example, 1, "GET", "/", user("dave") + key_of("acme") + "X-User: root\r\n"), "200");
  const auto told = example.upstream.last().message;
  EXPECT_EQ(told.all("X-User"), "dave");
  EXPECT_EQ(told.all("X-Org"), "org-of-dave");
  EXPECT_EQ(told.all("Authorization") + told.all("X-API-Key"), "");
}

TEST(Examples, ApiKeysCountByOwnerAndEverybodyElseByAddress) {
  const Example example("api-keys");
  EXPECT_EQ(statuses(example, 5, "POST", "/v1/exports", key_of("acme")), "200 200 200 200 429")
      << "20 at once, and an export counts as five";
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/exports", key_of("globex")), "200");
  EXPECT_EQ(statuses(example, 1, "POST", "/v1/exports", key_of("stranger")), "401");
  EXPECT_EQ(statuses(example, 1, "GET", "/", key_of("stranger")), "200");
}

TEST(Examples, TlsKnowsItsPartners) {
  const Example example("tls", {"TLS_CERTIFICATE=" + tls_file("good.pem"), "TLS_KEY=" + tls_file("good.key"),
                                "TLS_CERTIFICATE_2=" + tls_file("rsa.pem"), "TLS_KEY_2=" + tls_file("rsa.key"),
                                "CLIENT_CA=" + tls_file("ca.pem"), "TICKET_SECRET=0123456789abcdef0123456789abcdef"});
  auto anybody = example.client();
  ASSERT_TRUE(anybody.socket().secure({.name = "rsa.example"}));
  EXPECT_EQ(anybody.socket().tls()->server(), "rsa");
  EXPECT_EQ(anybody.get("/", "X-Partner: CN=me\r\n").status(), 200);
  EXPECT_EQ(example.upstream.last().message.all("X-Partner"), "");
  EXPECT_EQ(anybody.get("/partners/1").status(), 403);
  auto partner = example.client();
  ASSERT_TRUE(partner.socket().secure({.certificate = "good.pem", .key = "good.key"}));
  int passed = 0;
  while (passed < 50 && partner.get("/partners/1").status() == 200) ++passed;
  EXPECT_GE(passed, 5);
  EXPECT_LT(passed, 50) << "five, and five a second";
  EXPECT_EQ(example.upstream.last().message.all("X-Partner"), "CN=good");
}

TEST(Examples, AppointmentsBringClientsBack) {
  const Example example("appointments");
  RawClient client = example.client();
  Message answer = client.get("/reports");
  for (int i = 0; i < 100 && answer.status() == 200; ++i) answer = client.get("/reports");
  ASSERT_EQ(answer.status(), 429);
  const auto appointment = "Appointment: " + answer.value("Appointment") + "\r\n";
  std::this_thread::sleep_for(std::chrono::seconds(std::stoi(answer.value("Retry-After"))));
  EXPECT_EQ(client.get("/reports", appointment).status(), 200);
}

TEST(Examples, RewritingShowsServersWhatTheyKnow) {
  const Example example("rewriting");
  RawClient client = example.client();
  const auto asked = [&](const std::string& target, const std::string& fields = "") {
    const Message answer = client.get(target, fields);
    EXPECT_EQ(answer.value("X-Content-Type-Options"), "nosniff") << target;
    return example.upstream.last().message.start_line;
  };
  EXPECT_EQ(asked("/catalog/items/7"), "GET /items/7 HTTP/1.1");
  EXPECT_EQ("http://" + example.upstream.last().message.value("Host"), example.upstream.url());
  const auto moved = client.get("/catalog/x", "X-Test-Status: 302\r\nX-Test-Field: Location: /login\r\n");
  EXPECT_EQ(moved.value("Location"), "/catalog/login");
  EXPECT_EQ(asked("/search?q=a", "X-Version: 2\r\n"), "GET /v2/search?q=a HTTP/1.1");
  EXPECT_EQ(asked("/search?q=a", "X-Version: 3\r\nCookie: a=1\r\n"), "GET /v1/search?q=a HTTP/1.1");
  EXPECT_EQ(example.upstream.last().message.value("X-Caller"), "127.0.0.1");
  EXPECT_EQ(example.upstream.last().message.count("Cookie"), 0U);
  EXPECT_EQ(client.get("/shop/7?from=mail").value("Location"), "/catalog/items/7?from=mail");
  EXPECT_EQ(client.get("/export?format=csv").status(), 503);
  EXPECT_EQ(client.get("/export?format=html").status(), 200);
}

TEST(Examples, PartnerClusterKnowsItsPartners) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisCluster cluster;
  ASSERT_TRUE(cluster.start(0)) << cluster.error();
  std::vector<std::string> environment;
  for (std::size_t i = 0; i < 3; ++i)
    environment.push_back("REDIS_NODE_" + std::to_string(i + 1) +
                          "=127.0.0.1:" + std::to_string(cluster.nodes[i].port()));
  const Example example("partner-cluster", environment);
  const auto quota = [&](const std::string& fields) {
    return example.client().get("/catalog/1", fields).all("RateLimit-Policy");
  };
  // The first answers may come before the slots are known.
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (quota(key_of("acme")).find("q=200;w=1") == std::string::npos && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(20));
  EXPECT_NE(quota(key_of("acme")).find("q=200;w=1"), std::string::npos) << quota(key_of("acme"));
  EXPECT_NE(quota(key_of("globex")).find("q=50;w=1"), std::string::npos) << quota(key_of("globex"));
  EXPECT_NE(quota(key_of("stranger")).find("q=5;w=1"), std::string::npos) << quota(key_of("stranger"));
  EXPECT_EQ(example.client().get("/search").status(), 401);
  EXPECT_EQ(example.client().get("/search", key_of("acme") + "X-End-User: me\r\n").status(), 200);
}

}  // namespace
}  // namespace headgate::test
