// A configuration as an operator sees it.

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace headgate::config {
namespace {

using Shown = nlohmann::json;

Described described(const std::string& file) {
  auto loaded = load(file);
  EXPECT_TRUE(loaded.config) << (loaded.diagnostics.empty() ? "" : loaded.diagnostics.front().message);
  return loaded.config ? loaded.config->described : Described{std::make_shared<const std::string>("null"), {}};
}
Shown shown(const std::string& file) { return Shown::parse(*described(file).json); }

const std::string kRoutes = R"("listen": ":8080", "routes": [{ "path": "/*", "respond": {} }])";

TEST(Described, FillsInDefaultsButNotInRoutes) {
  const auto out = shown("{ " + kRoutes + R"(, "log": {}, "timeouts": { "idle": "5s" } })");
  EXPECT_EQ(out["log"]["level"], "info");
  EXPECT_EQ(out["timeouts"]["idle"], "5s");
  EXPECT_EQ(out["timeouts"]["head"], "10s");
  EXPECT_EQ(out["routes"][0], Shown::parse(R"({ "path": "/*", "respond": {} })"));
}

TEST(Described, ShowsPlaceholdersAndNotWhatTheyStandFor) {
  ::setenv("HEADGATE_TEST_NAME", "gate-7", 1);
  const auto out = shown("{ " + kRoutes + R"(, "instance": "a-${HEADGATE_TEST_NAME}-${NOBODY_SET_THIS:-s3cret}-z" })");
  EXPECT_EQ(out["instance"], "a-${HEADGATE_TEST_NAME}-${NOBODY_SET_THIS:-...}-z");
}

TEST(Described, HidesEverythingThatMayBeASecret) {
  const std::string secret = "0123456789abcdef0123456789abcdef";
  const auto text = *described("{ " + kRoutes + R"(, "admin": { "token": ")" + secret + R"(" },
    "redis": { "url": "redis://user:)" +
                               secret + R"(@redis:6379/0" },
    "log": { "secret": ")" + secret +
                               R"(" },
    "identity": { "jwt": { "algorithms": ["HS256"], "secret": ")" +
                               secret + R"(" },
                  "api_key": { "keys": { "k": { "key": ")" +
                               secret + R"(" } } } },
    "signing": { "keys": [")" + secret +
                               R"("] },
    "webhook": { "url": "https://hooks.example.com/)" +
                               secret + R"(", "secret": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" },
    "all_routes": { "request_headers": { "set": { "X-Key": ")" +
                               secret + R"(" } } } })")
                         .json;
  EXPECT_EQ(text.find(secret), std::string::npos) << text;
  EXPECT_EQ(text.find("whsec_"), std::string::npos) << text;
  EXPECT_NE(text.find("redis://(secret)@redis:6379/0"), std::string::npos) << text;
}

TEST(Described, HidesUsersAndQueriesOfUrlsThatAreAskedFor) {
  ::setenv("HEADGATE_TEST_HOST", "redis", 1);
  const std::string secret = "0123456789abcdef";
  const auto text = *described(R"({ "listen": ":8080",
    "upstreams": { "app": { "servers": ["http://app:3000"], "health": { "path": "/healthz?token=)" +
                               secret + R"(" } } },
    "redis": { "url": "redis://user:)" +
                               secret + R"(@${HEADGATE_TEST_HOST}:6379/0" },
    "identity": { "jwt": { "algorithms": ["RS256"], "jwks": "https://login.example.com/jwks.json?code=)" +
                               secret + R"(" } },
    "routes": [{ "path": "/a/*", "to": "app", "auth": "http://auth:8080/check?token=)" +
                               secret + R"(" },
               { "path": "/b/*", "redirect": { "to": "https://b.example/x?from=a" } },
               { "path": "/*", "to": "app", "auth": { "url": "http://auth:8080/check?token=)" +
                               secret + R"(" } }] })")
                         .json;
  EXPECT_EQ(text.find(secret), std::string::npos) << text;
  EXPECT_NE(text.find("http://auth:8080/check?(secret)"), std::string::npos) << text;
  EXPECT_NE(text.find("redis://(secret)@${HEADGATE_TEST_HOST}:6379/0"), std::string::npos) << text;
  EXPECT_NE(text.find("https://b.example/x?from=a"), std::string::npos) << "every caller is told this one";
}

TEST(Described, ShowsWhatEveryCallerIsSent) {
  const auto out = shown(R"({ "listen": ":8080", "routes": [{ "path": "/*", "respond": { "headers": {
      "Retry-After": "300", "Set-Cookie": "a=0123456789" } } }],
    "all_routes": { "response_headers": { "set": { "X-Frame-Options": "DENY", "X-Keyboard": "qwerty",
                                                   "X-Api-Key": "0123456789" }, "remove": ["Server"] },
                    "request_headers": { "set": { "X-Frame-Options": "0123456789" }, "remove": ["X-Debug"] },
                    "cors": { "origins": ["https://app.example.com"], "headers": ["Authorization"] } } })");
  const auto& all = out["all_routes"];
  EXPECT_EQ(all["response_headers"]["set"]["X-Frame-Options"], "DENY");
  EXPECT_EQ(all["response_headers"]["set"]["X-Keyboard"], "qwerty") << "no word of it is one of a secret";
  EXPECT_EQ(all["response_headers"]["set"]["X-Api-Key"], "(secret)");
  EXPECT_EQ(all["response_headers"]["remove"][0], "Server");
  EXPECT_EQ(all["request_headers"]["set"]["X-Frame-Options"], "(secret)") << "a server may be told a credential";
  EXPECT_EQ(all["request_headers"]["remove"][0], "X-Debug");
  EXPECT_EQ(all["cors"]["headers"][0], "Authorization") << "the name of a field";
  EXPECT_EQ(out["routes"][0]["respond"]["headers"]["Retry-After"], "300");
  EXPECT_EQ(out["routes"][0]["respond"]["headers"]["Set-Cookie"], "(secret)");
}

TEST(Described, TellsWhetherASecretHasChanged) {
  const auto of = [](const std::string& token) {
    return described("{ " + kRoutes + R"(, "admin": { "token": ")" + token + "\" } }").hidden.at("/admin/token");
  };
  EXPECT_EQ(of("0123456789abcdef"), of("0123456789abcdef"));
  EXPECT_NE(of("0123456789abcdef"), of("1123456789abcdef"));
}

}  // namespace
}  // namespace headgate::config
