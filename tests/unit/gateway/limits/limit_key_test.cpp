#include "../../../../src/gateway/limits/limit_key.hpp"

#include "support/per.hpp"

#include "headgate/net/tls/secured.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::gateway {
namespace {

using headgate::test::make_per;

struct LimitKey : testing::Test {
  LimitKey() {
    x.route = &route;
    route.name = "things";
    route.upstream_name = "app";
    x.request.host = "a.example";
    x.caller.ip_key = "203.0.113.7";
  }
  /// "absent" if there is none.
  std::string of(const std::vector<std::string_view>& words) {
    std::vector<limit::Per> per;
    for (const auto word : words) per.push_back(make_per(word));
    const auto key = key_of(x, per);
    return key ? std::string(*key) : "absent";
  }
  Route route;
  Exchange x;
};

TEST_F(LimitKey, IsAPartOfTheClientsCertificate) {
  EXPECT_EQ(of({"certificate:subject"}), "absent") << "without TLS";
  net::Secured secured;
  x.secured = &secured;
  EXPECT_EQ(of({"certificate:subject"}), "absent") << "without a certificate";
  secured.certificate = std::make_unique<const net::PeerCertificate>(
      net::PeerCertificate{.subject = "CN=billing", .names = "DNS:a.example", .sha256 = "0a1b"});
  EXPECT_EQ(of({"certificate:subject"}), "CN=billing");
  EXPECT_EQ(of({"certificate:san"}), "DNS:a.example");
  EXPECT_EQ(of({"certificate:sha256"}), "0a1b");
}

TEST_F(LimitKey, IsTheValueOfTheSource) {
  x.caller.api_key_text = "globex";
  identity::VerifiedToken token;
  token.claims = {{"org", "acme"}};
  x.caller.token = boost::make_local_shared<const identity::VerifiedToken>(token);
  x.request.fields = {{http::Known::unknown, "X-Tenant", "blue"}, {http::Known::cookie, "Cookie", "a=1; v=2"}};
  x.request.method = "GET";
  x.request.path = "/things/7;v=1/parts";
  route.path = "/things/{id}/*";
  EXPECT_EQ(of({"client_ip"}), "203.0.113.7");
  EXPECT_EQ(of({"api_key"}), "globex");
  EXPECT_EQ(of({"jwt.org"}), "acme");
  EXPECT_EQ(of({"header:x-tenant"}), "blue");
  EXPECT_EQ(of({"cookie:v"}), "~d4735e3a265e16eee03f59718b9b5d03") << "a digest: it may open a session";
  EXPECT_EQ(of({"path:id"}), "7");
  EXPECT_EQ(of({"method"}), "GET");
  EXPECT_EQ(of({"route"}), "things");
  EXPECT_EQ(of({"upstream"}), "app");
  EXPECT_EQ(of({"host"}), "a.example");
  EXPECT_EQ(of({"total"}), "total");
}

TEST_F(LimitKey, IsAGroupOfTheKnownApiKey) {
  EXPECT_EQ(of({"group:team"}), "absent") << "without a key";
  identity::ApiKeyRecord record;
  record.groups = {{"team", "search"}, {"cost-centre", "4711"}};
  x.caller.known_key = &record;
  EXPECT_EQ(of({"group:team"}), "search");
  EXPECT_EQ(of({"group:cost-centre", "group:team"}), "4711|search");
  EXPECT_EQ(of({"group:organisation"}), "absent") << "another group";
  EXPECT_EQ(of({"group:Team"}), "absent") << "names are compared exactly";
}

TEST_F(LimitKey, OfACookieIsThatOfItsValueAsServersDecodeIt) {
  const auto of_value = [this](std::string_view value) {
    x.request.fields = {{http::Known::cookie, "Cookie", x.text.join({"v=", value})}};
    return std::string(of({"cookie:v"}));
  };
  const auto plain = of_value("s:abc");
  for (const auto* const same : {"%73:abc", "s%3Aabc", "s%3aabc", "%73%3a%61%62%63"})
    EXPECT_EQ(of_value(same), plain) << same;
  EXPECT_EQ(of_value("%61%0A%zz%"), of_value("a%0a%zz%"));
  for (const auto* const other : {"%2573:abc", "s:abc%", "%zs:abc", "s:abd"})
    EXPECT_NE(of_value(other), plain) << other;
}

TEST_F(LimitKey, OfAQueryParameterIsThatOfItsValueAsServersDecodeIt) {
  const auto of_query = [this](std::string_view query) {
    x.request.query = x.text.join({query});
    return std::string(of({"query:api_key"}));
  };
  const auto plain = of_query("?api_key=a%20b");
  EXPECT_THAT(plain, testing::StartsWith("~")) << "a digest: it may be a secret";
  for (const auto* const same : {"?api_key=a+b", "?x=1&api_key=%61%20b", "?api%5Fkey=a+b&y", "?api_key=a%2Bb"})
    EXPECT_EQ(of_query(same), plain) << same;
  EXPECT_NE(of_query("?api_key=ab"), plain);
  for (const auto* const none : {"", "?", "?api_key", "?api_key=", "?API_KEY=a", "?api_key=a&api_key=a",
                                 "?api_key=a&api%5Fkey=b", "?x=1;api_key=b&api_key=a", "?api_key=a;x=1"})
    EXPECT_EQ(of_query(none), "absent") << none;
}

TEST_F(LimitKey, OfAClaimIncludesTheIssuerIfThereAreSeveral) {
  identity::VerifiedToken token;
  token.claims = {{"sub", "alice"}};
  x.caller.token = boost::make_local_shared<const identity::VerifiedToken>(token);
  x.caller.issuer = "https://a";
  const auto first = of({"jwt.sub"});
  x.caller.issuer = "https://b";
  EXPECT_NE(of({"jwt.sub"}), first);
  EXPECT_EQ(of({"jwt.none"}), "absent");
}

TEST_F(LimitKey, OfAClaimThatIsLongOrOddIsItsDigest) {
  identity::VerifiedToken token;
  token.digests = {{"name", "~0123"}, {"realm_access.roles", "~4567"}};
  x.caller.token = boost::make_local_shared<const identity::VerifiedToken>(token);
  EXPECT_EQ(of({"jwt.name"}), "~0123");
  EXPECT_EQ(of({"jwt.realm_access.roles"}), "~4567");
  EXPECT_EQ(of({"jwt.realm_access"}), "absent");
}

TEST_F(LimitKey, IsAbsentIfAnyOfItsValuesIsAbsent) {
  x.request.fields = {{http::Known::unknown, "X-Empty", ""}};
  EXPECT_EQ(of({"api_key"}), "absent");
  x.request.fields.push_back({http::Known::cookie, "Cookie", "v=1; v=2"});
  EXPECT_EQ(of({"cookie:v"}), "absent") << "twice is nobody's word";
  EXPECT_EQ(of({"path:id"}), "absent");
  EXPECT_EQ(of({"jwt.org"}), "absent");
  EXPECT_EQ(of({"header:x-tenant"}), "absent");
  EXPECT_EQ(of({"header:x-empty"}), "absent");
  EXPECT_EQ(of({"client_ip", "api_key"}), "absent");
  EXPECT_EQ(of({"api_key", "client_ip"}), "absent");
}

TEST_F(LimitKey, IsNoneForRequestsWithoutAHost) {
  x.request.host.clear();
  EXPECT_EQ(of({"host"}), "(none)");
}

TEST_F(LimitKey, IgnoresCaseInPathsIfTheRouteDoes) {
  x.request.path = "/users/Bob%C3%A9";
  route.path = "/users/{id}";
  EXPECT_EQ(of({"path:id"}), "Bob%C3%A9");
  route.letters = Case::ignored;
  EXPECT_EQ(of({"path:id"}), "bob%c3%a9");
}

TEST_F(LimitKey, IsTheNameOfTheRouteIfNoUpstreamAnswers) {
  route.respond = Respond{};
  EXPECT_EQ(of({"upstream"}), "things");
}

TEST_F(LimitKey, DistinguishesListsWhoseJoinedTextsAreEqual) {
  const std::vector<std::string_view> both = {"header:a", "header:b"};
  const auto key = [&](std::string_view a, std::string_view b) {
    x.request.fields = {{http::Known::unknown, "A", a}, {http::Known::unknown, "B", b}};
    return of(both);
  };
  EXPECT_EQ(key("one", "two"), "one|two");
  EXPECT_EQ(key("a|b", "c"), "a%7Cb|c");
  EXPECT_NE(key("a|b", "c"), key("a", "b|c"));
  EXPECT_NE(key("a%7Cb", "c"), key("a|b", "c"));
  x.request.fields = {{http::Known::unknown, "A", "a|b%"}};
  EXPECT_EQ(of({"header:a"}), "a|b%") << "alone it needs no escapes";
}

TEST_F(LimitKey, OfAnyKeyIsADigestThatTellsNothingOfIt) {
  TextArena arena;
  // The first half of SHA-256("abc"), FIPS 180-2 appendix B.1.
  EXPECT_EQ(digest_text(arena, identity::sha256("abc")), "~ba7816bf8f01cfea414140de5dae2223");
  EXPECT_NE(digest_text(arena, identity::sha256("abd")), "~ba7816bf8f01cfea414140de5dae2223");
}

TEST_F(LimitKey, IsNeverLongerThanAStoreTakes) {
  const auto of_length = [&](std::size_t size, char last) {
    const std::string value = std::string(size - 1, 'x') + last;
    x.request.fields = {{http::Known::unknown, "A", value}};
    return of({"header:a"});
  };
  EXPECT_EQ(of_length(256, 'y').size(), 256U) << "fits as it is";
  const auto digest = of_length(257, 'y');
  EXPECT_EQ(digest.size(), 33U);
  EXPECT_EQ(digest.front(), '~');
  EXPECT_EQ(of_length(257, 'y'), digest) << "the same each time";
  EXPECT_NE(of_length(257, 'z'), digest) << "the end counts too";
  const std::string half(200, 'x');
  x.request.fields = {{http::Known::unknown, "A", half}};
  EXPECT_EQ(of({"header:a", "header:a"}).size(), 33U) << "the bound is for the whole";
}

}  // namespace
}  // namespace headgate::gateway
