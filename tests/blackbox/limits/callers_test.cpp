// Who is calling: no caller can claim to be another one, or many.

#include "blackbox/harness/gateway.hpp"
#include "support/jwt_signer.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace headgate::test {
namespace {

/// One limit of two a day, on every route.
Json two_per(const Json& per, const Json& more = Json::object()) {
  Json limit = {{"rate", "2/day"}, {"per", per}};
  limit.merge_patch(more);
  return {{"limits", {{"x", limit}}}, {"all_routes", {{"limits", {"x"}}}}};
}

/// The statuses of `times` requests of this kind, as text: "200 200 429".
std::string statuses(RawClient& client, const std::string& fields, int times, const std::string& target = "/") {
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += (i > 0 ? " " : "") + std::to_string(client.get(target, fields).status());
  }
  return text;
}

TEST(ClientIp, IsTheAddressOfTheConnection) {
  Proxy proxy(two_per("client_ip"));
  RawClient one = proxy.client("127.0.0.1");
  RawClient other = proxy.client("127.0.0.2");
  RawClient same = proxy.client("127.0.0.1");
  EXPECT_EQ(statuses(one, "", 1), "200");
  EXPECT_EQ(statuses(other, "", 3), "200 200 429");
  EXPECT_EQ(statuses(same, "", 2), "200 429");
}

TEST(ClientIp, IsNotWhatAnUntrustedPeerClaims) {
  Json changes = two_per("client_ip");
  changes["identity"]["trusted_proxies"] = {"10.0.0.0/8"};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 1.1.1.1\r\n", 1), "200");
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 10.0.0.1\r\n", 1), "200");
  for (const char* claim : {"X-Forwarded-For: 2.2.2.2\r\n", "X-Forwarded-For: 10.0.0.1\r\n", "X-Real-IP: 3.3.3.3\r\n",
                            "Forwarded: for=4.4.4.4\r\n", "True-Client-IP: 5.5.5.5\r\n", "X-Client-IP: 6.6.6.6\r\n"}) {
    EXPECT_EQ(client.get("/", claim).status(), 429) << claim;
  }
}

TEST(ClientIp, BehindTrustedProxiesIsTheRightmostUntrustedAddress) {
  Json changes = two_per("client_ip");
  changes["identity"]["trusted_proxies"] = {"127.0.0.1/32", "10.0.0.0/8"};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 1.1.1.1\r\n", 2), "200 200");
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 2.2.2.2\r\n", 1), "200");
  for (const char* same : {"9.9.9.9, 1.1.1.1", "1.1.1.1, 10.1.2.3", "8.8.8.8,1.1.1.1 , 10.0.0.1, 10.0.0.2",
                           "9.9.9.9\r\nX-Forwarded-For: 1.1.1.1", "garbage, 1.1.1.1", "1.1.1.1:4711"}) {
    EXPECT_EQ(client.get("/", "X-Forwarded-For: " + std::string(same) + "\r\n").status(), 429) << same;
  }
}

TEST(ClientIp, OfOneIpv6NetworkIsOneClient) {
  Json changes = two_per("client_ip");
  changes["identity"]["trusted_proxies"] = {"127.0.0.1/32"};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 2001:db8:1:2::1\r\n", 1), "200");
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 2001:db8:1:2:ffff:ffff:ffff:ffff\r\n", 1), "200");
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 2001:0db8:0001:0002:5::\r\n", 1), "429");
  EXPECT_EQ(statuses(client, "X-Forwarded-For: 2001:db8:1:3::1\r\n", 1), "200");
}

TEST(HeaderKey, CountsByItsValue) {
  Proxy proxy(two_per("header:X-Tenant", {{"if_absent", "skip"}}));
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, "X-Tenant: a\r\n", 3), "200 200 429");
  EXPECT_EQ(statuses(client, "x-tenant: \t b \r\n", 1), "200");
  EXPECT_EQ(statuses(client, "X-TENANT: b\r\n", 2), "200 429");
  EXPECT_EQ(statuses(client, "", 4), "200 200 200 200") << "without it, the limit does not apply";
}

TEST(HeaderKey, IfAbsentMayCountByAnotherKey) {
  Proxy proxy(two_per("header:X-Tenant", {{"if_absent", "client_ip"}}));
  RawClient client = proxy.client("127.0.0.2");
  EXPECT_EQ(statuses(client, "", 3), "200 200 429");
  EXPECT_EQ(statuses(client, "X-Tenant: a\r\n", 3), "200 200 429");
  EXPECT_EQ(statuses(client, "X-Tenant: 127.0.0.2\r\n", 1), "200")
      << "a value is no address, even where it looks like one";
  RawClient other = proxy.client("127.0.0.3");
  EXPECT_EQ(statuses(other, "", 1), "200");
}

TEST(HeaderKey, IfAbsentMayBeRefused) {
  Proxy proxy(two_per("header:X-Tenant", {{"if_absent", "reject"}}));
  RawClient client = proxy.client();
  const Message refused = client.get();
  EXPECT_GE(refused.status(), 400) << visible(refused.head);
  EXPECT_LT(refused.status(), 500);
  expect_problem(refused, refused.status());
  EXPECT_EQ(statuses(client, "X-Tenant: a\r\n", 1), "200");
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(HeaderKey, IfAbsentMayBeRefusedWithAnUnregisteredStatus) {
  Proxy proxy(two_per("header:X-Tenant", {{"if_absent", {{"reject", 418}}}}));
  const Message refused = proxy.client().get();
  EXPECT_EQ(refused.status(), 418);
  EXPECT_EQ(Json::parse(refused.body).value("title", ""), "Client Error");
}

TEST(HeaderKey, SentTwiceIsNotTwoCallers) {
  Proxy proxy(two_per("header:X-Tenant", {{"if_absent", "reject"}}));
  RawClient client = proxy.client();
  int admitted = 0;
  for (const char* fields : {"X-Tenant: a\r\nX-Tenant: b\r\n", "X-Tenant: a\r\nX-Tenant: c\r\n",
                             "X-Tenant: a\r\nX-Tenant: d\r\n", "X-Tenant: a\r\nX-Tenant: e\r\n"}) {
    const Message answer = client.get("/", fields);
    admitted += answer.status() == 200 ? 1 : 0;
    if (!answer.ok() || answer.status() == 400) client = proxy.client();
  }
  EXPECT_LE(admitted, 2) << "a server that reads only the first sees one tenant";
}

TEST(ApiKey, CountsByKeyWhoeverSendsIt) {
  Proxy proxy(two_per("api_key", {{"if_absent", "client_ip"}}));
  RawClient one = proxy.client("127.0.0.1");
  RawClient other = proxy.client("127.0.0.2");
  EXPECT_EQ(statuses(one, "X-API-Key: k1\r\n", 1), "200");
  EXPECT_EQ(statuses(other, "X-API-Key: k1\r\n", 2), "200 429");
  EXPECT_EQ(statuses(other, "X-API-Key: k2\r\n", 1), "200");
  EXPECT_EQ(statuses(one, "X-API-Key: " + std::string(5000, 'k') + "\r\n", 3), "200 200 429");
  EXPECT_EQ(statuses(one, "X-API-Key: " + std::string(5000, 'k') + "2\r\n", 1), "200") << "long keys differ too";
}

TEST(ApiKey, MayComeInAFieldOfAnotherName) {
  Json changes = two_per("api_key", {{"if_absent", "skip"}});
  changes["identity"]["api_key"]["header"] = "X-Token";
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, "X-Token: k\r\n", 3), "200 200 429");
  EXPECT_EQ(statuses(client, "X-API-Key: k\r\n", 3), "200 200 200");
}

TEST(ApiKey, MayBeRequired) {
  Proxy proxy(R"({"routes": [{"path": "/*", "to": "app", "require": "api_key"}]})"_json);
  RawClient client = proxy.client();
  const Message refused = client.get();
  expect_problem(refused, 401);
  EXPECT_TRUE(refused.has("WWW-Authenticate")) << "RFC 9110 15.5.2" << visible(refused.head);
  EXPECT_EQ(statuses(client, "X-API-Key: k\r\n", 1), "200");
}

TEST(Keys, MadeOfSeveralPartsDoNotRunTogether) {
  Proxy proxy(two_per({"header:X-A", "header:X-B"}, {{"if_absent", "reject"}}));
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, "X-A: ab\r\nX-B: c\r\n", 3), "200 200 429");
  EXPECT_EQ(statuses(client, "X-A: a\r\nX-B: bc\r\n", 1), "200");
  EXPECT_EQ(statuses(client, "X-A: ab:c\r\nX-B: d\r\n", 2), "200 200");
  EXPECT_EQ(statuses(client, "X-A: ab\r\nX-B: c:d\r\n", 1), "200");
  EXPECT_EQ(statuses(client, "X-A: ab|c\r\nX-B: d\r\n", 2), "200 200");
  EXPECT_EQ(statuses(client, "X-A: ab\r\nX-B: c|d\r\n", 1), "200");
}

TEST(Keys, OfRouteAndTotalAreSharedByAll) {
  Proxy proxy(
      R"({"limits": {"r": {"rate": "2/day", "per": ["client_ip", "route"]}, "t": {"rate": "3/day", "per": "total"}},
                  "all_routes": {"limits": ["r", "t"]},
                  "routes": [{"path": "/a/*", "to": "app"}, {"path": "/b", "to": "app"}]})"_json);
  RawClient client = proxy.client("127.0.0.1");
  RawClient other = proxy.client("127.0.0.2");
  EXPECT_EQ(statuses(client, "", 2, "/a/1"), "200 200");
  EXPECT_EQ(statuses(client, "", 1, "/a/2"), "429") << "one counter for each route, not for each path";
  EXPECT_EQ(statuses(client, "", 1, "/b"), "200");
  EXPECT_EQ(statuses(other, "", 1, "/b"), "429") << "and one for everybody together";
}

TEST(Keys, OfHostDoNotDependOnItsSpelling) {
  Proxy proxy(two_per("host"));
  RawClient client = proxy.client();
  const auto status = [&](const std::string& host) {
    return client.ask("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status();
  };
  EXPECT_EQ(status("a.example"), 200);
  EXPECT_EQ(status("A.EXAMPLE"), 200);
  EXPECT_EQ(status("a.Example"), 429);
  EXPECT_EQ(status("b.example"), 200);
}

// Tokens

const std::string kIssuerSecret = "a secret of at least thirty-two bytes, for tests";

Json with_tokens() {
  Json changes = two_per("jwt.org");
  changes["identity"]["jwt"] = {
      {"algorithms", {"HS256"}}, {"secret", kIssuerSecret}, {"issuer", "me"}, {"leeway", "1s"}};
  changes["routes"] = Json::array({{{"path", "/*"}, {"to", "app"}, {"require", "jwt"}}});
  changes["limits"]["x"]["if_absent"] = "reject";
  return changes;
}

std::string claims(const std::string& org, const Json& changes = Json::object()) {
  Json all = {{"iss", "me"}, {"org", org}, {"exp", std::time(nullptr) + 600}};
  all.merge_patch(changes);
  return all.dump();
}

std::string with_token(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

TEST(Tokens, CountByTheirClaim) {
  Proxy proxy(with_tokens());
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, with_token(sign_hs256(kIssuerSecret, claims("one"))), 2), "200 200");
  EXPECT_EQ(statuses(client, with_token(sign_hs256(kIssuerSecret, claims("one", {{"other", "token"}}))), 1), "429");
  EXPECT_EQ(statuses(client, with_token(sign_hs256(kIssuerSecret, claims("two"))), 1), "200");
  EXPECT_EQ(statuses(client, "authorization: bearer " + sign_hs256(kIssuerSecret, claims("two")) + "\r\n", 1), "200")
      << "the scheme has no case";
}

TEST(Tokens, ThatAreInvalidAre401) {
  Proxy proxy(with_tokens());
  const std::string good = sign_hs256(kIssuerSecret, claims("one"));
  const std::string payload = good.substr(good.find('.') + 1, good.rfind('.') - good.find('.') - 1);
  const std::vector<std::string> bad = {
      "",
      "Authorization:\r\n",
      "Authorization: Bearer\r\n",
      with_token("x"),
      with_token("a.b.c"),
      with_token(good + "x"),
      with_token(good.substr(0, good.size() - 4)),
      with_token(good.substr(0, good.rfind('.') + 1)),
      "Authorization: Basic " + good + "\r\n",
      "Authorization: Bearer " + good + " x\r\n",
      "X-Authorization: Bearer " + good + "\r\n",
      with_token(sign_hs256("another secret of at least thirty-two bytes", claims("one"))),
      with_token(sign_hs256(kIssuerSecret, claims("one", {{"exp", std::time(nullptr) - 60}}))),
      with_token(sign_hs256(kIssuerSecret, claims("one", {{"nbf", std::time(nullptr) + 60}}))),
      with_token(sign_hs256(kIssuerSecret, claims("one", {{"iss", "somebody else"}}))),
      with_token(sign_hs256(kIssuerSecret, claims("one", {{"exp", "never"}}))),
      with_token(sign_hs256(kIssuerSecret, claims("one"), R"({"alg":"none"})")),
      with_token(sign_hs256(kIssuerSecret, claims("one"), R"({"alg":"HS512"})")),
      with_token(base64url(R"({"alg":"none"})") + "." + payload + "."),
      with_token(base64url(R"({"alg":"HS256"})") + "." + base64url(claims("two")) + good.substr(good.rfind('.'))),
  };
  for (const auto& fields : bad) {
    SCOPED_TRACE(fields);
    RawClient client = proxy.client();
    const Message refused = client.get("/", fields);
    expect_problem(refused, 401);
    EXPECT_TRUE(refused.value("WWW-Authenticate").starts_with("Bearer")) << fields << visible(refused.head);
    EXPECT_EQ(refused.body.find(kIssuerSecret), std::string::npos);
    EXPECT_EQ(client.get("/", with_token(sign_hs256(kIssuerSecret, claims("later" + std::to_string(fields.size())))))
                  .status(),
              200);
  }
  for (const auto& seen : proxy.upstream.requests()) EXPECT_TRUE(seen.message.has("Authorization"));
  EXPECT_EQ(proxy.upstream.request_count(), bad.size());
}

TEST(Tokens, OfRs256AreCheckedWithThePublicKeyAndNothingElse) {
  const KeyPair key = make_rsa_key();
  const TemporaryFile pem(public_key_pem(key.get()), "key.pem");
  Json changes = with_tokens();
  changes["identity"]["jwt"] = {{"algorithms", {"RS256"}}, {"public_key", pem.path()}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, with_token(sign_rs256(key.get(), claims("one"))), 3), "200 200 429");
  EXPECT_EQ(statuses(client, with_token(sign_rs256(make_rsa_key().get(), claims("one"))), 1), "401");
  // The known attack: a signature made with the public key as a secret must be refused.
  EXPECT_EQ(statuses(client, with_token(sign_hs256(public_key_pem(key.get()), claims("two"))), 1), "401");
}

TEST(Tokens, WithoutTheClaimFollowTheLimit) {
  Proxy proxy(with_tokens());
  RawClient client = proxy.client();
  const Message refused = client.get("/", with_token(sign_hs256(kIssuerSecret, claims("one", {{"org", nullptr}}))));
  EXPECT_GE(refused.status(), 400);
  EXPECT_LT(refused.status(), 500);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Tokens, ThatAreRefusedAreLimitedToo) {
  Json changes = with_tokens();
  changes["limits"]["flood"] = {{"rate", "3/day"}, {"per", "client_ip"}};
  changes["all_routes"]["limits"] = {"flood", "x"};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(statuses(client, with_token("a.b.c"), 3), "401 401 401");
  EXPECT_EQ(statuses(client, with_token("a.b.c"), 1), "429") << "guessing is not free";
}

}  // namespace
}  // namespace headgate::test
