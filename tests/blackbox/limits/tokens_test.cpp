// Tokens: issuers, keys that change, and what the server gets.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/jwk_writer.hpp"
#include "support/jwt_signer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

const std::string kSecret = "a secret of at least thirty-two bytes, for tests";

std::string claims(const Json& changes = Json::object()) {
  Json all = {{"sub", "alice"}, {"exp", std::time(nullptr) + 600}};
  all.merge_patch(changes);
  return all.dump();
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

Json with_jwt(const Json& jwt) {
  return {{"identity", {{"jwt", jwt}}},
          {"routes",
           Json::array({{{"path", "/open/*"}, {"to", "app"}}, {{"path", "/*"}, {"to", "app"}, {"require", "jwt"}}})}};
}

Json with_secret(const Json& more = Json::object()) {
  Json jwt = {{"algorithms", {"HS256"}}, {"secret", kSecret}};
  jwt.merge_patch(more);
  return with_jwt(jwt);
}

/// Sends requests until the answer has this status, because a change takes a moment. False if it never has.
bool becomes(const Gateway& gateway, const std::string& fields, int status) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (gateway.client().get("/", fields).status() == status) return true;
    std::this_thread::sleep_for(Milliseconds(50));
  }
  return false;
}

TEST(Claims, WithinObjectsAreNamedByTheirPaths) {
  Json config = with_secret({{"claim_headers", {{"X-Org", "realm_access.org"}}}});
  config["limits"] = {{"x",
                       {{"per", "jwt.realm_access.org"},
                        {"tier_from", "jwt.realm_access.roles"},
                        {"tiers", {{"free", {{"rate", "1/day"}}}, {"pro", {{"rate", "3/day"}}}}},
                        {"default_tier", "free"}}}};
  config["routes"] = Json::array(
      {{{"path", "/admin"}, {"to", "app"}, {"require", {{"jwt", {{"claims", {{"realm_access.roles", "admin"}}}}}}}},
       {{"path", "/*"}, {"to", "app"}, {"require", "jwt"}, {"limits", {"x"}}}});
  Proxy proxy(config);
  const auto token = [](const std::string& org, const Json& roles) {
    return bearer(sign_hs256(kSecret, claims({{"realm_access", {{"org", org}, {"roles", roles}}}})));
  };
  const auto user = token("a", {"user"});
  EXPECT_EQ(proxy.client().get("/", user).status(), 200);
  EXPECT_EQ(proxy.forwarded().value("X-Org"), "a");
  EXPECT_EQ(proxy.client().get("/", user).status(), 429);
  const auto pro = token("b", {"user", "pro", "admin"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.client().get("/", pro).status(), 200) << i;
  EXPECT_EQ(proxy.client().get("/", pro).status(), 429);
  EXPECT_EQ(proxy.client().get("/admin", pro).status(), 200);
  EXPECT_EQ(proxy.client().get("/admin", user).status(), 403);
}

TEST(Claims, OfAnyFormAreCounted) {
  Json config = with_secret();
  config["limits"] = {{"x", {{"rate", "1/day"}, {"per", "jwt.name"}, {"if_absent", "skip"}}}};
  config["routes"] = Json::array({{{"path", "/*"}, {"to", "app"}, {"limits", {"x"}}}});
  Proxy proxy(config);
  for (const Json& name : {Json(std::string(2000, 'x')), Json("a\nb"), Json(1.5), Json::array({"a", "b"})}) {
    const auto token = bearer(sign_hs256(kSecret, claims({{"name", name}})));
    EXPECT_EQ(proxy.client().get("/", token).status(), 200) << name;
    EXPECT_EQ(proxy.client().get("/", token).status(), 429) << name;
  }
}

TEST(Issuers, EachHasItsOwnKeysAndAlgorithms) {
  const auto rsa = make_rsa_key();
  const auto curve = make_curve_key("P-256");
  const TemporaryFile rsa_pem(public_key_pem(rsa.get()), "rsa.pem");
  const TemporaryFile curve_pem(public_key_pem(curve.get()), "curve.pem");
  const Json a = {{"issuer", "https://a"}, {"algorithms", {"PS256", "RS256"}}, {"public_key", rsa_pem.path()}};
  const Json b = {{"issuer", "https://b"},
                  {"algorithms", {"ES256"}},
                  {"public_key", curve_pem.path()},
                  {"audience", Json::array({"api", "web"})}};
  Proxy proxy(with_jwt({{"issuers", Json::array({a, b})}}));
  RawClient client = proxy.client();
  const auto status = [&](EVP_PKEY* key, const char* alg, const Json& more) {
    return client.get("/", bearer(sign(key, alg, claims(more)))).status();
  };
  EXPECT_EQ(status(rsa.get(), "PS256", {{"iss", "https://a"}}), 200);
  EXPECT_EQ(status(rsa.get(), "RS256", {{"iss", "https://a"}}), 200);
  EXPECT_EQ(status(curve.get(), "ES256", {{"iss", "https://b"}, {"aud", Json::array({"web", "x"})}}), 200);
  EXPECT_EQ(status(curve.get(), "ES256", {{"iss", "https://b"}, {"aud", "api"}}), 200);
  EXPECT_EQ(status(curve.get(), "ES256", {{"iss", "https://b"}, {"aud", "other"}}), 401);
  EXPECT_EQ(status(curve.get(), "ES256", {{"iss", "https://a"}}), 401) << "one issuer's key for another's token";
  EXPECT_EQ(status(rsa.get(), "RS256", {{"iss", "https://b"}, {"aud", "api"}}), 401);
  EXPECT_EQ(status(rsa.get(), "RS256", {{"iss", "https://c"}}), 401);
  EXPECT_EQ(status(rsa.get(), "RS512", {{"iss", "https://a"}}), 401) << "an algorithm that is not listed";
}

TEST(Issuers, CannotSpeakForEachOthersUsers) {
  const std::string other = "the secret of another issuer, thirty-two bytes";
  const Json a = {{"issuer", "a"}, {"algorithms", {"HS256"}}, {"secret", kSecret}};
  const Json b = {{"issuer", "b"}, {"algorithms", {"HS256"}}, {"secret", other}};
  Json changes = with_jwt({{"issuers", Json::array({a, b})}});
  changes["limits"] = {{"x", {{"rate", "1/day"}, {"per", "jwt.sub"}, {"if_absent", "skip"}}}};
  changes["all_routes"] = {{"limits", {"x"}}};
  Proxy proxy(changes);
  const auto status = [&](const std::string& secret, const char* issuer) {
    return proxy.client().get("/", bearer(sign_hs256(secret, claims({{"iss", issuer}})))).status();
  };
  EXPECT_EQ(status(kSecret, "a"), 200);
  EXPECT_EQ(status(other, "b"), 200) << "another alice";
  EXPECT_EQ(status(kSecret, "a"), 429);
}

TEST(Places, ATokenMayStandInACookieOrTheQueryWhereTheFileSaysSo) {
  const auto token = sign_hs256(kSecret, claims());
  {
    Proxy proxy(with_secret());
    EXPECT_EQ(proxy.client().get("/", "Cookie: session=" + token + "\r\n").status(), 401);
    EXPECT_EQ(proxy.client().get("/?access_token=" + token).status(), 401);
  }
  Proxy proxy(with_secret({{"cookie", "session"}, {"query", "access_token"}, {"pass_on", false}}));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", "Cookie: a=1; session=" + token + "; b=2\r\n").status(), 200);
  EXPECT_EQ(proxy.forwarded().value("Cookie"), "a=1; b=2") << "not passed on";
  EXPECT_EQ(client.get("/x?q=1&access%5Ftoken=" + token + "&r=2").status(), 200);
  EXPECT_EQ(proxy.forwarded().target(), "/x?q=1&r=2");
  EXPECT_EQ(client.get("/", bearer(token)).status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("Authorization"));
  EXPECT_EQ(client.get("/open/x", "Authorization: Basic YTpi\r\n").status(), 200);
  EXPECT_EQ(proxy.forwarded().value("Authorization"), "Basic YTpi") << "what is no token is not ours to take";
}

TEST(Places, MoreThanOneTokenIsRefused) {
  Proxy proxy(with_secret({{"cookie", "session"}, {"query", "t"}}));
  const auto token = sign_hs256(kSecret, claims());
  const auto cookie = "Cookie: session=" + token + "\r\n";
  RawClient client = proxy.client();
  for (const auto& [target, fields] :
       std::vector<std::pair<std::string, std::string>>{{"/", bearer(token) + bearer(token)},
                                                        {"/", bearer(token) + cookie},
                                                        {"/?t=" + token, cookie},
                                                        {"/?t=" + token + "&t=" + token, ""},
                                                        {"/", "Cookie: session=" + token + "; session=x\r\n"},
                                                        {"/", cookie + "Cookie: session=x\r\n"}}) {
    const Message refused = client.get(target, fields);
    expect_problem(refused, 400);
    EXPECT_EQ(refused.value("WWW-Authenticate"), R"(Bearer error="invalid_request")");
  }
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
  EXPECT_EQ(client.get("/", cookie + cookie).status(), 200) << "one value is one token, however often it stands";
}

TEST(Claims, AreSentToTheServerInFieldsThatNoCallerCanWrite) {
  Proxy proxy(with_secret({{"claim_headers", {{"X-User", "sub"}, {"X-Org", "org"}}}}));
  RawClient client = proxy.client();
  const std::string forged = "X-User: root\r\nx_user: root\r\nX-USER: root\r\nX-Org: evil\r\n";
  ASSERT_EQ(client.get("/", forged + bearer(sign_hs256(kSecret, claims({{"sub", "bob"}})))).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("X-User"), "bob");
  EXPECT_FALSE(proxy.forwarded().has("x_user"));
  EXPECT_FALSE(proxy.forwarded().has("X-Org")) << "the token says none";
  ASSERT_EQ(client.get("/open/x", forged).status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X-User")) << "on a route that asks for no token either";
  for (const char* odd : {" bob", "bob ", ""}) {
    ASSERT_EQ(client.get("/", bearer(sign_hs256(kSecret, claims({{"sub", odd}})))).status(), 200);
    EXPECT_FALSE(proxy.forwarded().has("X-User")) << "blanks at the ends would be lost, and with them who it is";
  }
}

TEST(Refusals, TellCallersWhatHelpsAndNothingMore) {
  Proxy proxy(with_secret({{"leeway", "1s"}}));
  RawClient client = proxy.client();
  const Message old = client.get("/", bearer(sign_hs256(kSecret, claims({{"exp", std::time(nullptr) - 60}}))));
  expect_problem(old, 401);
  EXPECT_NE(old.body.find("expired"), std::string::npos);
  const Message forged = client.get("/", bearer(sign_hs256("another secret of at least thirty-two bytes", claims())));
  const Message wrong = client.get("/", bearer("not-even-a-token"));
  expect_problem(forged, 401);
  EXPECT_EQ(forged.value("WWW-Authenticate"), wrong.value("WWW-Authenticate"));
  EXPECT_EQ(Json::parse(forged.body)["detail"], Json::parse(wrong.body)["detail"]);
}

TEST(KeyFiles, ARotatedJwkSetIsInForceWithoutARestart) {
  const auto first = make_curve_key("ED25519");
  const auto second = make_curve_key("P-384");
  const TemporaryFile set(jwk_set({named_jwk(first.get(), "1")}), "jwks.json");
  Json changes = with_jwt({{"algorithms", {"EdDSA", "ES384"}}, {"jwks", set.path()}});
  Proxy proxy(changes);
  const auto with_first = bearer(sign(first.get(), "EdDSA", claims(), "1"));
  const auto with_second = bearer(sign(second.get(), "ES384", claims(), "2"));
  EXPECT_EQ(proxy.client().get("/", with_first).status(), 200);
  EXPECT_EQ(proxy.client().get("/", with_second).status(), 401);
  std::ofstream(set.path(), std::ios::trunc) << jwk_set({named_jwk(second.get(), "2")});
  EXPECT_TRUE(becomes(proxy.gateway, with_second, 200));
  EXPECT_EQ(proxy.client().get("/", with_first).status(), 401) << "remembered, but its key is gone";
  std::ofstream(set.path(), std::ios::trunc) << "{ broken";
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(
      [&](const std::string& log) { return log.find(set.path()) != std::string::npos; }));
  EXPECT_EQ(proxy.client().get("/", with_second).status(), 200) << "the active configuration stays in use";
}

/// Publishes a JWK Set over HTTP: a headgate with a `respond` route.
class Publisher {
 public:
  explicit Publisher(const std::string& set) : file_(as_file(set)), gateway_(Words{"run", "-c", file_.path()}) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(gateway_.port()) + "/jwks.json"; }
  void publish(const std::string& set) {
    std::ofstream(file_.path(), std::ios::trunc) << as_file(set);
    gateway_.process().signal(SIGHUP);
  }

 private:
  static std::string as_file(const std::string& set) {
    return Json{{"listen", "127.0.0.1:0"},
                {"admin", "off"},
                {"routes", Json::array({{{"path", "/*"}, {"respond", {{"status", 200}, {"body", set}}}}})}}
        .dump();
  }
  TemporaryFile file_;
  Gateway gateway_;
};

TEST(KeyUrls, AnUnknownKeyIsFetchedAndOneThatIsGoneIsNot) {
  const auto first = make_curve_key("ED25519");
  const auto second = make_curve_key("ED25519");
  Publisher publisher(jwk_set({named_jwk(first.get(), "1")}));
  Proxy proxy(with_jwt({{"algorithms", {"EdDSA"}}, {"jwks", publisher.url()}, {"refetch", "100ms"}}));
  const auto with_first = bearer(sign(first.get(), "EdDSA", claims(), "1"));
  const auto with_second = bearer(sign(second.get(), "EdDSA", claims(), "2"));
  EXPECT_EQ(proxy.client().get("/", with_first).status(), 200) << "had before it listened";
  EXPECT_EQ(proxy.client().get("/", with_second).status(), 401);
  publisher.publish(jwk_set({named_jwk(second.get(), "2")}));
  EXPECT_TRUE(becomes(proxy.gateway, with_second, 200)) << "asked for because a token names it";
  EXPECT_EQ(proxy.client().get("/", with_first).status(), 401);
}

/// The keys are waited for, and meanwhile the drain begins.
TEST(KeyUrls, AReloadThatWaitsForKeysIsGivenUpAtADrain) {
  const auto key = make_curve_key("ED25519");
  CheckedServer publisher(jwk_set({named_jwk(key.get(), "1")}));
  publisher.takes(Milliseconds(1500));
  Reloaded file(Json{{"log", {{"format", "json"}}}});
  RawClient busy = file.client();
  busy.send(request("GET", "/", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(file.upstream.wait_for_heads(1));
  file.write(with_jwt({{"algorithms", {"EdDSA"}}, {"jwks", publisher.url() + "/jwks.json"}}));
  file.process().signal(SIGHUP);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (publisher.requests() == 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(5));
  ASSERT_EQ(publisher.requests(), 1U);
  ASSERT_TRUE(file.tells("\"draining\"", [&] { file.process().signal(SIGTERM); }));
  EXPECT_TRUE(file.process().wait_for_err([](const std::string& log) {
    return has(log, "this gateway is shutting down and takes no other configuration");
  })) << file.process().err();
  file.upstream.release();
  EXPECT_EQ(busy.read().status(), 200);
  EXPECT_EQ(file.process().wait(), 0);
  EXPECT_FALSE(has(file.process().err(), "\"config_reloaded\"")) << file.process().err();
}

TEST(KeyUrls, AReloadThatNamesOneWithoutKeysIsRefused) {
  const auto key = make_curve_key("ED25519");
  Publisher publisher(jwk_set({named_jwk(key.get(), "1")}));
  FakeUpstream upstream;
  const auto file_with = [&](const std::string& url) {
    return config_for(upstream, with_jwt({{"algorithms", {"EdDSA"}}, {"jwks", url}, {"fetch_timeout", "500ms"}}))
        .dump();
  };
  const TemporaryFile file(file_with(publisher.url()));
  Gateway gateway(Words{"run", "-c", file.path()});
  const auto token = bearer(sign(key.get(), "EdDSA", claims(), "1"));
  EXPECT_EQ(gateway.client().get("/", token).status(), 200);
  constexpr std::uint16_t nobody = 1;  // a port that was free may be another test's meanwhile
  std::ofstream(file.path(), std::ios::trunc)
      << file_with("http://127.0.0.1:" + std::to_string(nobody) + "/keys?secret=1");
  gateway.process().signal(SIGHUP);
  EXPECT_TRUE(gateway.process().wait_for_err([](const std::string& log) {
    return log.find("the previous configuration stays in force") != std::string::npos;
  }));
  EXPECT_EQ(gateway.process().err().find("secret=1"), std::string::npos) << "a query may hold what opens it";
  EXPECT_EQ(gateway.client().get("/", token).status(), 200);
}

TEST(KeyUrls, AreAddedByAReloadIfApiKeysAreIssued) {
  const auto key = make_curve_key("ED25519");
  Publisher publisher(jwk_set({named_jwk(key.get(), "1")}));
  const TemporaryFile keys(R"({"keys": []})", "keys.json");
  Json config = {{"admin", {{"listen", "127.0.0.1:0"}}},
                 {"identity", {{"api_key", {{"file", keys.path()}, {"issue", true}}}}}};
  Reloaded file(config);
  config.merge_patch(with_jwt({{"algorithms", {"EdDSA"}}, {"jwks", publisher.url()}}));
  ASSERT_TRUE(file.reload(config)) << file.process().err();
  EXPECT_EQ(file.client().get("/", bearer(sign(key.get(), "EdDSA", claims(), "1"))).status(), 200);
}

TEST(KeyUrls, WithoutKeysAnswer503AndCountNoFailure) {
  constexpr std::uint16_t nobody = 1;  // a port that was free may be another test's meanwhile
  Proxy proxy(with_jwt({{"algorithms", {"EdDSA"}}, {"jwks", "http://127.0.0.1:" + std::to_string(nobody) + "/"}}));
  const auto key = make_curve_key("ED25519");
  const Message answer = proxy.client().get("/", bearer(sign(key.get(), "EdDSA", claims(), "1")));
  expect_problem(answer, 503);
  EXPECT_TRUE(answer.has("Retry-After"));
  EXPECT_EQ(proxy.client().get("/open/x").status(), 200);
}

TEST(Failures, AreLimitedByAddressBeforeTheyCostASignature) {
  Json changes = with_secret();
  changes["identity"]["failures"] = {{"rate", "3/hour"}};
  Proxy proxy(changes);
  RawClient client = proxy.client("127.0.0.2");
  const auto good = bearer(sign_hs256(kSecret, claims()));
  EXPECT_EQ(client.get("/", good).status(), 200);
  const auto bad = [](int i) { return bearer("x.y." + std::to_string(i)); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/", bad(i)).status(), 401) << i;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/", bad(0)).status(), 401) << "known to be bad: costs nothing";
  const Message limited = client.get("/", bad(3));
  expect_problem(limited, 429);
  EXPECT_EQ(Json::parse(limited.body)["limit"], "failed-authentication");
  EXPECT_TRUE(limited.has("Retry-After"));
  EXPECT_EQ(client.get("/", good).status(), 200) << "who is known to be good is not held up by others at its address";
  EXPECT_EQ(proxy.client("127.0.0.3").get("/", bad(4)).status(), 401) << "another address";
}

TEST(Failures, OfValidCallersCostNothing) {
  Json changes = with_secret();
  changes["identity"]["failures"] = {{"rate", "2/hour"}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(client.get("/", bearer(sign_hs256(kSecret, claims({{"n", i}})))).status(), 200) << i;
}

TEST(Claims, ThatALimitCountsByAreReportedIfMissing) {
  Json changes = with_secret();
  changes["limits"] = {{"x", {{"rate", "9/day"}, {"per", "jwt.tenant"}, {"if_absent", "reject"}}}};
  changes["all_routes"] = {{"limits", {"x"}}};
  changes["log"] = {{"format", "json"}, {"access", "stderr"}, {"callers", {"jwt.sub"}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  const auto answer = client.get("/", bearer(sign_hs256(kSecret, claims())));
  EXPECT_EQ(answer.status(), 401);
  EXPECT_NE(answer.body.find("does not have the claim that requests are counted by"), std::string::npos) << answer.body;
  EXPECT_EQ(answer.value("WWW-Authenticate"),
            R"(Bearer error="invalid_token", error_description="a claim is missing")");
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return log.find(R"("auth":"jwt:no_claim")") != std::string::npos &&
           log.find(R"("jwt.sub":"alice")") != std::string::npos;
  })) << proxy.gateway.process().err();
  EXPECT_EQ(client.get("/", bearer(sign_hs256(kSecret, claims({{"tenant", "t"}})))).status(), 200);
}

}  // namespace
}  // namespace headgate::test
