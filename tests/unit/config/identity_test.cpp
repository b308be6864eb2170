// What a file says about callers, as the options of the modules that use it.

#include "files.hpp"
#include "loaded.hpp"
#include "support/per.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace headgate::config {
namespace {

using identity::AddressField;
using identity::JwtAlgorithm;
using limit::IfAbsent;
using limit::Per;
using test::make_per;

/// A file with this identity, one limit that counts so, and one route that asks for it; as the route says.
std::string file(const std::string& identity, const std::string& limit = R"("per": "client_ip")",
                 const std::string& route = "") {
  return R"({ "listen": ":1", "identity": { )" + identity + R"( }, "limits": { "x": { "rate": "5/s", )" + limit +
         R"( } }, "routes": [{ "path": "/{account}", "respond": {}, "limits": ["x"])" + route + " }] }";
}

identity::JwtOptions jwt(const std::string& keys) {
  const auto config = loaded(file(R"("jwt": { )" + keys + " }", R"("per": "jwt.sub")", R"(, "require": "jwt")"));
  return config.identity.jwt.value_or(identity::JwtOptions{});
}

IfAbsent if_absent(const std::string& written) {
  const auto config = loaded(file(R"("jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" },
                     "api_key": { "keys": { "acme": { "key": "0123456789abcdef" } } })",
                                  R"("per": "jwt.sub", "if_absent": )" + written));
  return config.limits.empty() ? IfAbsent{} : config.limits.front().if_absent;
}

TEST(LoadIdentity, TrustsNobodyUnlessProxiesAreNamed) {
  const auto config = loaded(file(""));
  EXPECT_TRUE(config.identity.trusted_proxies.empty());
  EXPECT_FALSE(config.identity.jwt);
  EXPECT_FALSE(config.identity.api_key.written);
  EXPECT_FALSE(config.identity.api_key.any_known());
}

TEST(LoadIdentity, TakesTheOneFieldThatProxiesTellTheAddressIn) {
  const auto field = [](const std::string& name) {
    return loaded(file(R"("trusted_proxies": ["10.0.0.0/8"], "address_from": ")" + name + '"')).identity.address_field;
  };
  EXPECT_EQ(field("X-Forwarded-For"), AddressField::x_forwarded_for);
  EXPECT_EQ(field("Forwarded"), AddressField::forwarded);
  EXPECT_EQ(field("X-Real-IP"), AddressField::x_real_ip);
}

TEST(LoadFailures, AreLimitedUnlessTheyAreOff) {
  EXPECT_EQ(loaded(file("")).identity.failures, identity::FailureLimit{});
  EXPECT_FALSE(loaded(file(R"("failures": "off")")).identity.failures);
}

TEST(LoadFailures, MayComeAtOnceAsOftenAsTheirRateCountsUnlessABurstIsWritten) {
  const auto of = [](const std::string& keys) {
    return loaded(file(R"("failures": { )" + keys + " }")).identity.failures->burst;
  };
  EXPECT_EQ(of(R"("rate": "7/minute")"), 7U);
  EXPECT_EQ(of(R"("rate": "7/minute", "burst": 3)"), 3U);
  EXPECT_EQ(of(R"("burst": 3)"), 3U);
}

TEST(LoadJwt, OfOneIssuerStandsBesideWhereTokensStand) {
  const auto options = jwt(R"("issuer": "i", "algorithms": ["HS384", "HS256"], "header": "X-Token",
    "secret": "0123456789abcdef0123456789abcdef0123456789abcdef")");
  ASSERT_EQ(options.issuers.size(), 1U);
  EXPECT_EQ(options.issuers[0].issuer, "i");
  EXPECT_EQ(options.issuers[0].algorithms, (std::vector{JwtAlgorithm::HS384, JwtAlgorithm::HS256}));
  EXPECT_EQ(options.header, "x-token");
}

TEST(LoadJwt, OfSeveralIssuersKeepsTheirOrder) {
  const auto options = jwt(R"("issuers": [
    { "issuer": "a", "audience": ["x", "y"], "algorithms": ["EdDSA"], "jwks": "https://keys.example.com/", "refresh": "1h" },
    { "issuer": "b", "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef", "max_age": "12h" }])");
  ASSERT_EQ(options.issuers.size(), 2U);
  EXPECT_EQ(options.issuers[0].audiences, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(options.issuers[0].keys.jwks_url, "https://keys.example.com/");
  EXPECT_EQ(options.issuers[0].keys.refresh, std::chrono::hours(1));
  EXPECT_EQ(options.issuers[0].keys.jwks_file, "");
  EXPECT_EQ(options.issuers[1].issuer, "b");
  EXPECT_EQ(options.issuers[1].max_age, Duration(std::chrono::hours(12)));
}

TEST(LoadJwt, ReadsAPublicKeyFileAndLeavesAJwkSetFileToTheKeyring) {
  const auto path = source_path("tests/unit/config/beside/p-256.pem").string();
  const auto options = jwt(R"("algorithms": ["ES256"], "public_key": ")" + path + '"');
  ASSERT_EQ(options.issuers.size(), 1U);
  EXPECT_EQ(options.issuers[0].keys.public_key_pem, content(path));
  const auto set = source_path("conf/examples/identity/jwks.json").string();
  EXPECT_EQ(jwt(R"("algorithms": ["ES256"], "jwks": ")" + set + '"').issuers.at(0).keys.jwks_file, set);
}

TEST(LoadJwt, LetsASecretAndAPublicKeyStandBesideEachOther) {
  const auto options = jwt(R"("algorithms": ["HS256", "ES256"], "secret": "0123456789abcdef0123456789abcdef",
    "public_key": ")" + source_path("tests/unit/config/beside/p-256.pem").string() +
                           '"');
  ASSERT_EQ(options.issuers.size(), 1U);
  EXPECT_NE(options.issuers[0].keys.secret, "");
  EXPECT_NE(options.issuers[0].keys.public_key_pem, "");
}

TEST(LoadApiKeys, AreAFileThatIsReadAgainAndThoseOfTheConfiguration) {
  const auto path = source_path("conf/examples/identity/api-keys.json").string();
  const auto config =
      loaded(file(R"("api_key": { "file": ")" + path + R"(", "keys": { "acme": { "key": "0123456789abcdef" } } })",
                  R"("per": "api_key")", R"(, "require": "api_key")"));
  EXPECT_EQ(config.identity.api_key.file, path);
  ASSERT_EQ(config.identity.api_key.known.size(), 1U) << "the file's are not copied: they change";
  EXPECT_TRUE(config.identity.api_key.any_known());
}

TEST(LoadIfAbsent, IsOneWordOrOneKey) {
  EXPECT_EQ(if_absent(R"("skip")").last, IfAbsent::Last::skip);
  EXPECT_EQ(if_absent(R"("reject")").last, IfAbsent::Last::reject);
  EXPECT_EQ(if_absent(R"("reject")").status, 0U) << "as fits what is missing";
  const auto key = if_absent(R"("client_ip")");
  EXPECT_EQ(key.instead, (std::vector<std::vector<Per>>{{make_per("client_ip")}}));
  EXPECT_EQ(key.last, IfAbsent::Last::unset);
}

TEST(LoadIfAbsent, IsTriedInTurnIfItIsAList) {
  const auto chain = if_absent(R"(["api_key", ["cookie:session", "client_ip"], "skip"])");
  EXPECT_EQ(chain.instead, (std::vector<std::vector<Per>>{{make_per("api_key")},
                                                          {make_per("cookie:session"), make_per("client_ip")}}));
  EXPECT_EQ(chain.last, IfAbsent::Last::skip);
}

TEST(LoadIfAbsent, MayRejectWithAStatusAloneOrAtTheEnd) {
  EXPECT_EQ(if_absent(R"({ "reject": 403 })").status, 403U);
  const auto chain = if_absent(R"(["api_key", { "reject": 401 }])");
  EXPECT_EQ(chain.instead.size(), 1U);
  EXPECT_EQ(chain.last, IfAbsent::Last::reject);
  EXPECT_EQ(chain.status, 401U);
}

TEST(LoadRoutes, SayWhatAnUnknownKeyIsOrLeaveItToAllRoutes) {
  const std::string keys = R"("api_key": { "keys": { "acme": { "key": "0123456789abcdef" } } })";
  const auto of = [&](const std::string& route) {
    return loaded(file(keys, R"("per": "api_key", "if_absent": "client_ip")", route)).gateway.routes.at(0).unknown_key;
  };
  EXPECT_EQ(of(""), std::nullopt);
  EXPECT_EQ(of(R"(, "unknown_key": "reject")"), gateway::UnknownKey::reject);
  EXPECT_EQ(of(R"(, "unknown_key": "anonymous")"), gateway::UnknownKey::anonymous);
}

TEST(LoadRoutes, MayRequireACertificateWhereATrustedProxyTellsOfIt) {
  const auto config = loaded(R"({ "listen": { "address": ":1", "proxy_protocol": true },
    "identity": { "trusted_proxies": ["10.0.0.0/8"] }, "routes": [{ "path": "/*", "respond": {}, "require": "mtls" }] })");
  EXPECT_TRUE(config.listen.at(0).proxy_protocol);
  EXPECT_EQ(config.gateway.routes.at(0).require, gateway::Require::mtls);
}

}  // namespace
}  // namespace headgate::config
