// API keys: who owns a key, where it may be sent, and that the server does not see it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

const std::string kAcme = "acme-key-of-some-length-0001";
const std::string kAcmeNext = "acme-key-of-some-length-0002";
const std::string kGlobex = "globex-key-of-some-length-01";

std::string digest(const std::string& key) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes{};
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), bytes.data());
  std::string out;
  for (const auto byte : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

Json record(const std::string& key, const std::string& owner, const Json& more = Json::object()) {
  Json out = {{"sha256", digest(key)}, {"owner", owner}};
  out.merge_patch(more);
  return out;
}

std::string key_file(const Json& records) { return Json{{"keys", records}}.dump(2); }

/// Two a day for each owner, and for each address without a key.
Json with_keys(const Json& api_key) {
  return {{"identity", {{"api_key", api_key}}},
          {"limits", {{"x", {{"rate", "2/day"}, {"per", "api_key"}, {"if_absent", "client_ip"}}}}},
          {"all_routes", {{"limits", {"x"}}}},
          {"routes", Json::array({{{"path", "/required"}, {"to", "app"}, {"require", "api_key"}},
                                  {{"path", "/known"}, {"to", "app"}, {"unknown_key", "reject"}},
                                  {{"path", "/*"}, {"to", "app"}}})}};
}

std::string sends(const std::string& key) { return "X-API-Key: " + key + "\r\n"; }

TEST(KnownKeys, OfOneOwnerAreOneCaller) {
  const TemporaryFile file(
      key_file(Json::array({record(kAcme, "acme"), record(kAcmeNext, "acme"), record(kGlobex, "globex")})));
  Proxy proxy(with_keys({{"file", file.path()}}));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", sends(kAcme)).status(), 200);
  EXPECT_EQ(client.get("/", sends(kAcmeNext)).status(), 200);
  EXPECT_EQ(client.get("/", sends(kAcme)).status(), 429);
  EXPECT_EQ(client.get("/", sends(kGlobex)).status(), 200);
}

TEST(UnknownKeys, AreAnonymousOrRefusedAsTheRouteSays) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme")})));
  Proxy proxy(with_keys({{"file", file.path()}}));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", sends("no-key-of-anybodys-0001")).status(), 200);
  EXPECT_EQ(client.get("/", sends("no-key-of-anybodys-0002")).status(), 200);
  EXPECT_EQ(client.get("/", sends("no-key-of-anybodys-0003")).status(), 429)
      << "one address, whatever keys it makes up";
  RawClient other = proxy.client("127.0.0.2");
  for (const char* path : {"/required", "/known"}) {
    const Message refused = other.get(path, sends("no-key-of-anybodys-0001"));
    expect_problem(refused, 401);
    EXPECT_EQ(refused.value("WWW-Authenticate"), "ApiKey");
    EXPECT_EQ(refused.body.find("anybodys"), std::string::npos);
  }
  expect_problem(proxy.client("127.0.0.3").get("/required"), 401);
  EXPECT_EQ(proxy.client("127.0.0.3").get("/known").status(), 200) << "none at all is not an unknown one";
  EXPECT_EQ(client.get("/required", sends(kAcme)).status(), 200);
}

TEST(UnknownKeys, AreRefusedEvenIfNoLimitCountsByKey) {
  Json changes = with_keys({{"keys", {{"acme", {{"key", kAcme}}}}}});
  changes["limits"] = nullptr;
  changes["all_routes"] = {{"unknown_key", "reject"}};
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client().get("/", sends(kAcme)).status(), 200);
  EXPECT_EQ(proxy.client().get("/").status(), 200);
  expect_problem(proxy.client().get("/", sends(kGlobex)), 401);
}

TEST(KnownKeys, ThatAreDisabledOrExpiredAreRefused) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme", {{"disabled", true}}),
                                                 record(kGlobex, "globex", {{"expires", "2020-01-01T00:00:00Z"}}),
                                                 record(kAcmeNext, "acme", {{"expires", "2999-01-01T00:00:00Z"}})})));
  Proxy proxy(with_keys({{"file", file.path()}}));
  RawClient client = proxy.client();
  expect_problem(client.get("/required", sends(kAcme)), 401);
  const Message old = client.get("/required", sends(kGlobex));
  expect_problem(old, 401);
  EXPECT_NE(old.body.find("expired"), std::string::npos);
  EXPECT_EQ(client.get("/required", sends(kAcmeNext)).status(), 200);
}

TEST(KnownKeys, MayHaveSizesOfTheirOwn) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme", {{"limits", {{"x", {{"rate", "4/day"}}}}}}),
                                                 record(kGlobex, "globex", {{"limits", {{"x", "unlimited"}}}})})));
  Proxy proxy(with_keys({{"file", file.path()}}));
  RawClient client = proxy.client();
  const Message first = client.get("/", sends(kAcme));
  EXPECT_EQ(first.value("X-RateLimit-Limit"), "4");
  EXPECT_EQ(first.value("RateLimit-Policy"), R"("x";q=4;w=86400)");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/", sends(kAcme)).status(), 200) << i;
  EXPECT_EQ(client.get("/", sends(kAcme)).status(), 429);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.get("/", sends(kGlobex)).status(), 200) << i;
}

TEST(KeyPlaces, AreFieldQueryAndCookieAndNoneOfThemIsPassedOn) {
  const Json keys = {{"acme", {{"key", kAcme}}}, {"globex", {{"key", kGlobex}}}};
  Proxy proxy(with_keys({{"query", "api_key"}, {"cookie", "key"}, {"keys", keys}}));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/required?api_key=" + kAcme + "&x=1").status(), 200);
  EXPECT_EQ(proxy.forwarded().target(), "/required?x=1");
  EXPECT_EQ(client.get("/required", "Cookie: a=b; key=" + kAcme + "\r\n").status(), 200);
  EXPECT_EQ(proxy.forwarded().value("Cookie"), "a=b");
  EXPECT_EQ(client.get("/required", sends(kGlobex)).status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X-API-Key"));
  expect_problem(client.get("/required", sends(kGlobex) + "X_Api_Key: " + kGlobex + "\r\n"), 400);
  expect_problem(client.get("/required?api_key=" + kAcme, sends(kGlobex)), 400);
  expect_problem(client.get("/required", sends(kAcme) + sends(kGlobex)), 400);
}

TEST(KeyPlaces, ShowTheServerTheKeyWhereTheFileSaysSo) {
  Proxy proxy(with_keys({{"pass_on", true}, {"keys", {{"acme", {{"key", kAcme}}}}}}));
  EXPECT_EQ(proxy.client().get("/required", sends(kAcme)).status(), 200);
  EXPECT_EQ(proxy.forwarded().value("X-API-Key"), kAcme);
}

TEST(KeyPlaces, MayBeSeveralFieldsSoThatClientsOfOtherProductsWorkUnchanged) {
  const Json keys = {{"acme", {{"key", kAcme}}}, {"globex", {{"key", kGlobex}}}};
  Proxy proxy(with_keys({{"header", {"Authorization", "X-API-Key"}}, {"keys", keys}}));
  RawClient client = proxy.client();
  const auto bearer = [](const std::string& key) { return "Authorization: Bearer " + key + "\r\n"; };
  EXPECT_EQ(client.get("/required", bearer(kAcme)).status(), 200) << "as OpenAI's client sends it";
  EXPECT_FALSE(proxy.forwarded().has("Authorization"));
  EXPECT_EQ(client.get("/required", "x-api-key: " + kGlobex + "\r\n").status(), 200) << "as Anthropic's does";
  EXPECT_FALSE(proxy.forwarded().has("X-API-Key"));
  EXPECT_EQ(client.get("/required", bearer(kAcme) + sends(kAcme)).status(), 200) << "one key, said twice";
  EXPECT_FALSE(proxy.forwarded().has("Authorization"));
  EXPECT_FALSE(proxy.forwarded().has("X-API-Key"));
  EXPECT_EQ(client.get("/required", bearer(kAcme)).status(), 429) << "all of it was the same owner";
  expect_problem(client.get("/required", bearer(kAcme) + sends(kGlobex)), 400);
  expect_problem(client.get("/required", bearer(kGlobex) + bearer(kGlobex)), 400);
  EXPECT_EQ(client.get("/required", bearer(kGlobex) + "X_API_Key: " + kAcme + "\r\n").status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X_API_Key")) << "no key to us, and maybe one to the server";
  expect_problem(client.get("/required", bearer("no-key-of-anybodys-0001")), 401);
}

TEST(KeyFiles, AreReadAgainWhenTheyChangeAndKeepWhatWasGoodWhenTheyBreak) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme")})));
  Json changes = with_keys({{"file", file.path()}});
  changes["all_routes"] = nullptr;
  changes["limits"] = nullptr;
  Proxy proxy(changes);
  const auto becomes = [&](const std::string& key, int status) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      if (proxy.client().get("/required", sends(key)).status() == status) return true;
      std::this_thread::sleep_for(Milliseconds(50));
    }
    return false;
  };
  expect_problem(proxy.client().get("/required", sends(kGlobex)), 401);
  std::ofstream(file.path(), std::ios::trunc) << key_file(Json::array({record(kGlobex, "globex")}));
  EXPECT_TRUE(becomes(kGlobex, 200));
  expect_problem(proxy.client().get("/required", sends(kAcme)), 401);
  std::ofstream(file.path(), std::ios::trunc) << "{ \"keys\": [ { \"owner\": 7 } ] }";
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([&](const std::string& log) {
    return log.find(file.path() + ":1:") != std::string::npos;
  })) << proxy.gateway.process().err();
  EXPECT_EQ(proxy.client().get("/required", sends(kGlobex)).status(), 200);
}

TEST(KnownKeys, StandInNoLogAndNoAnswer) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme")})));
  Json changes = with_keys({{"file", file.path()}, {"query", "k"}});
  changes["log"] = {{"level", "debug"}, {"access", "stdout"}};
  std::string told;
  {
    Proxy proxy(changes);
    RawClient client = proxy.client();
    for (int i = 0; i < 3; ++i) told += client.get("/?k=" + kAcme).head + client.get("/", sends(kAcme)).body;
    told += client.get("/required", sends("some-other-key-" + kGlobex)).body;
    proxy.gateway.terminate();
    told += proxy.gateway.process().out() + proxy.gateway.process().err();
  }
  EXPECT_NE(told.find("limit=x"), std::string::npos) << told;
  EXPECT_EQ(told.find(kAcme), std::string::npos) << told;
  EXPECT_EQ(told.find(kGlobex), std::string::npos) << told;
}

TEST(UnknownKeys, ByTheThousandAreCountedAsOneAndDelayNoKnownOne) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme", {{"limits", {{"x", "unlimited"}}}})})));
  Json changes = with_keys({{"file", file.path()}});
  changes["log"] = {{"access", "off"}};
  changes["admin"] = {{"listen", "127.0.0.1:0"}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  for (int i = 0; i < 3000; ++i)
    ASSERT_NE(client.get("/known", sends("random-key-" + std::to_string(i))).status(), 200) << i;
  EXPECT_EQ(client.get("/known", sends(kAcme)).status(), 200);
  const auto metrics = Look(proxy.gateway.process()).metrics();
  EXPECT_EQ(metrics.value(R"(headgate_limit_tracked_keys{limit="x"})").value_or(0), 0) << "refused before any counter";
  EXPECT_EQ(metrics.value(R"(headgate_auth_total{route="/known",kind="api_key",result="unknown_key"})"), 3000);
}

/// Counted per key in memory, on a route that requires one: the common configuration.
Json per_key(const std::string& file, const std::string& failures) {
  return {{"identity", {{"api_key", {{"file", file}}}, {"failures", {{"rate", failures}}}}},
          {"limits", {{"x", {{"rate", "100/day"}, {"per", "api_key"}, {"if_absent", "reject"}}}}},
          {"all_routes", {{"limits", {"x"}}}},
          {"routes", Json::array({{{"path", "/required"}, {"to", "app"}, {"require", "api_key"}},
                                  {{"path", "/*"}, {"to", "app"}}})},
          {"admin", {{"listen", "127.0.0.1:0"}}},
          {"log", {{"format", "json"}, {"access", "stderr"}}}};
}

TEST(GuessedKeys, AreCountedAsFailuresAndRefused) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme")})));
  for (const std::string path : {"/required", "/"}) {
    Proxy proxy(per_key(file.path(), "5/hour"));
    RawClient client = proxy.client();
    for (int i = 0; i < 5; ++i) {
      const auto answer = client.get(path, sends("no-key-of-anybodys-000" + std::to_string(i)));
      EXPECT_EQ(answer.status(), 401);
      EXPECT_NE(answer.body.find("was not accepted"), std::string::npos) << answer.body;
    }
    EXPECT_EQ(client.get(path, sends("no-key-of-anybodys-0009")).status(), 429) << path;
    EXPECT_EQ(client.get(path, sends(kAcme)).status(), 200) << "a neighbour's good key passes";
    const auto missing = client.get(path);
    EXPECT_EQ(missing.status(), 401);
    EXPECT_NE(missing.body.find("An API key is required here."), std::string::npos);
    const Look look(proxy.gateway.process());
    const auto route = path == "/" ? "/*" : path;
    const auto of = [&](const std::string& result) {
      return look.metrics().value("headgate_auth_total{route=\"" + route + "\",kind=\"api_key\",result=\"" + result +
                                  "\"}");
    };
    // A request is counted behind its answer.
    EXPECT_TRUE(look.comes_to([&](const MetricsText&) { return of("unknown_key") == 6 && of("missing") == 1; }));
    EXPECT_TRUE(proxy.gateway.process().wait_for_err(
        [](const std::string& log) { return log.find(R"("auth":"api_key:unknown_key")") != std::string::npos; }));
  }
}

TEST(KnownKeys, AreLoggedByTheirOwnerWhereTheOperatorSaysSo) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme")})));
  Json changes = per_key(file.path(), "5/hour");
  changes["log"]["callers"] = {"owner"};
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client().get("/", sends(kAcme)).status(), 200);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& log) { return log.find(R"("owner":"acme")") != std::string::npos; }));
  EXPECT_EQ(proxy.gateway.process().err().find(kAcme), std::string::npos);
}

TEST(KnownKeys, WithATierThatNoLimitHasAreToldOfWhenTheirFileIsReadAgain) {
  const TemporaryFile file(key_file(Json::array({record(kAcme, "acme")})));
  Proxy proxy({{"identity", {{"api_key", {{"file", file.path()}}}}},
               {"limits",
                {{"x",
                  {{"per", "api_key"},
                   {"if_absent", "client_ip"},
                   {"tier_from", "api_key"},
                   {"default_tier", "free"},
                   {"tiers", {{"free", {{"rate", "1/day"}}}, {"pro", {{"rate", "9/day"}}}}}}}}},
               {"all_routes", {{"limits", {"x"}}}}});
  std::ofstream(file.path()) << key_file(Json::array({record(kAcme, "acme", {{"tier", "por"}})}));
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return log.find("a key of acme has the tier \"por\", which no limit knows") != std::string::npos;
  })) << proxy.gateway.process().err();
}

}  // namespace
}  // namespace headgate::test
