// What is shipped in conf/ is valid, and means what its comments say.

#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace headgate::config {
namespace {

class Shipped : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Shipped, HasNoErrorNoWarningAndNeedsNoAdvice) {
  for (const char* each : {"HEADGATE_JWT_SECRET", "HOSTNAME", "LISTEN", "ADMIN_LISTEN", "REDIS_URL", "TIME_ZONE"})
    unsetenv(each);
  setenv("JWK_SET", source_path("conf/examples/identity/jwks.json").c_str(), 1);
  setenv("SECURE_CA", source_path("tests/unit/config/beside/authority.pem").c_str(), 1);
  const auto certificates = source_path("tests/unit/config/beside/tls").string();
  setenv("TLS_CERTIFICATE", (certificates + "/good.pem").c_str(), 1);
  setenv("TLS_KEY", (certificates + "/good.key").c_str(), 1);
  setenv("TLS_CERTIFICATE_2", (certificates + "/rsa.pem").c_str(), 1);
  setenv("TLS_KEY_2", (certificates + "/rsa.key").c_str(), 1);
  setenv("CLIENT_CA", (certificates + "/ca.pem").c_str(), 1);
  setenv("TICKET_SECRET", "0123456789abcdef0123456789abcdef", 1);
  setenv("KEY_FILE", source_path("conf/examples/identity/api-keys.json").c_str(), 1);
  const auto source = content(GetParam());
  const auto loaded = load(source, GetParam().parent_path().string(), GetParam().string(), WithAdvice::yes);
  EXPECT_EQ(render_text(loaded.diagnostics, GetParam().filename().string(), source, loaded.included), "");
  EXPECT_TRUE(loaded.config.has_value());
}

INSTANTIATE_TEST_SUITE_P(Config, Shipped, testing::ValuesIn(shipped_configurations()), [](const auto& test) {
  auto name = test.param.lexically_relative(source_path("conf")).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

std::string meaning_of(const std::string& file) {
  const auto loaded = load(content(source_path(file)));
  return loaded.config ? meaning(*loaded.config, file) : "invalid";
}

TEST(Meaning, OfTheMinimalFileIsOneSentenceALimit) {
  EXPECT_EQ(
      meaning_of("conf/headgate.json"),
      "conf/headgate.json is valid: 1 listener, 1 upstream (1 server), 1 route, 1 limit\n"
      "\n"
      "limit   means\n"
      "per-ip  each client address: 100 requests a minute on average, 100 at once; counted in this gateway's memory\n"
      "\n"
      "route  goes to  open to  under\n"
      "/*     app      anyone   per-ip\n");
}

TEST(Meaning, SaysWhichNamesATlsListenerHasAndUntilWhen) {
  const auto certificates = source_path("tests/unit/config/beside/tls").string();
  const auto said = [&](const std::string& tls) {
    auto source =
        R"({ "listen": { "address": ":1", "tls": )" + tls + R"( }, "routes": [{ "path": "/*", "respond": {} }] })";
    for (auto at = source.find('@'); at != std::string::npos; at = source.find('@'))
      source.replace(at, 1, certificates + '/');
    const auto loaded = load(source);
    EXPECT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
    const auto text = loaded.config ? meaning(*loaded.config, "f") : "";
    return text.substr(std::min(text.size(), text.find("Clients connect")));
  };
  EXPECT_EQ(
      said(R"([{ "certificate": "@good.pem", "key": "@good.key" }, { "certificate": "@rsa.pem", "key": "@rsa.key" }])"),
      "Clients connect to :1 with TLS 1.2 or 1.3, as a.example, *.wild.example, localhost, test.example and 1 more; "
      "the "
      "first certificate ends on 2123-12-08; they may speak HTTP/2.\n");
  EXPECT_EQ(said(R"({ "certificate": "@rsa.pem", "key": "@rsa.key", "min_version": "1.3", "client_ca": "@ca.pem" })"),
            "Clients connect to :1 with TLS 1.3, as a.example, rsa.example; the first certificate ends on 2123-12-08; "
            "they are "
            "asked for a certificate; they may speak HTTP/2.\n"
            "  Each handshake takes twice the time that it would with an ECDSA certificate (P-256).\n");
}

TEST(Meaning, SaysWhichServersAreAskedOverHttp2) {
  const auto source = R"({ "listen": ":1", "upstreams": {
    "one": { "servers": ["http://127.0.0.1:1"], "protocol": "http1" },
    "plain": { "servers": ["http://127.0.0.1:1"], "protocol": "http2" },
    "tls": { "servers": ["https://127.0.0.1:1"], "protocol": "http2" } },
    "routes": [{ "path": "/*", "to": "plain" }] })";
  const auto loaded = load(source);
  ASSERT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
  const auto text = meaning(*loaded.config, "f");
  EXPECT_NE(text.find("The servers of upstream plain are asked over HTTP/2, which they must expect (prior knowledge)."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("The servers of upstream tls are asked over HTTP/2, on which they must agree (ALPN)."),
            std::string::npos);
  EXPECT_EQ(text.find("upstream one"), std::string::npos);
}

TEST(Meaning, SaysWhereEachRouteGoesAndWhatItsRequestsCost) {
  const auto source = R"({ "listen": ":1", "upstreams": { "app": "http://127.0.0.1:1" },
    "limits": { "flood": { "rate": "50/second", "per": "client_ip" }, "plan": { "rate": "900/minute", "per": "client_ip" } },
    "all_routes": { "limits": ["flood"] },
    "routes": [
      { "path": "/v1/exports/*", "methods": ["GET", "POST"], "to": "app", "limits": [{ "use": "plan", "cost": 10 }] },
      { "path": "/v1/chat", "host": "api.example.com", "to": "app",
        "limits": [{ "use": "plan", "scale": "1/10", "cost": { "response_header": "X-Used", "hold": 50, "most": 90 } }] },
      { "path": "/status", "respond": { "status": 204 }, "skip_limits": ["flood"] } ] })";
  const auto loaded = load(source);
  ASSERT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
  const auto text = meaning(*loaded.config, "f");
  EXPECT_TRUE(text.ends_with(
      "route                    goes to      open to  under\n"
      "GET,POST /v1/exports/*   app          anyone   flood, plan (costs 10)\n"
      "api.example.com/v1/chat  app          anyone   flood, plan (holds 50, then costs what the answer's "
      "x-used says; at 1/10 of its size)\n"
      "/status                  answers 204  anyone   no limit\n"))
      << text;
}

/// The sentence of `headgate check` about a route with this cost.
std::string meaning_of_cost(const std::string& cost) {
  const auto source = R"({ "listen": ":1", "upstreams": { "app": "http://127.0.0.1:1" },
    "limits": { "plan": { "rate": "9000/minute", "per": "client_ip" } },
    "routes": [{ "path": "/*", "to": "app", "limits": [{ "use": "plan", "cost": )" +
                      cost + " }] }] }";
  const auto loaded = load(source);
  EXPECT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
  return loaded.config ? meaning(*loaded.config, "f") : std::string();
}

TEST(Meaning, SaysByHowMuchCallsCanExceedALearnedHold) {
  const auto learned = meaning_of_cost(R"({ "usage": "openai", "most": 800, "debt": true,
                           "hold": { "learned": true, "input": 4, "otherwise": 50 } })");
  EXPECT_NE(learned.find(
                "plan (holds the largest output of the key's last 8 calls (50 before the first one), at most "
                "the output that the request allows, one more for each 4 bytes of its text (until the key's "
                "calls have shown how many bytes a token has), then costs the tokens that the answer reports "
                "as openai does, at most 800; each call under way can exceed its hold by up to 800 less the hold, so N "
                "calls at once can exceed the limit by N times that, and later calls wait until it is paid off)"),
            std::string::npos);
}

TEST(Meaning, SaysThatAHoldMayBeClamped) {
  const auto text = meaning_of_cost(R"({ "answer": "/n", "most": 800,
      "hold": { "body": "/max", "otherwise": 50, "clamp": true, "at_least": 20 } })");
  EXPECT_NE(text.find("holds the number at /max in the request's body (else 50), or what is left, with a smaller "
                      "maximum of output in the request, but at least 20, then costs"),
            std::string::npos)
      << text;
}

TEST(Meaning, SaysWhatHappensWithoutRedisLimitByLimit) {
  const auto text = meaning_of("conf/examples/redis-shared.json");
  EXPECT_NE(text.find("per-ip    each client address: 100 requests a minute on average, 100 at once; in Redis\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(
      "\n\nA gateway takes from Redis in batches for busy keys of per-ip, platform and payments.\n"
      "\nIf Redis is down:\n"
      "  platform: requests are neither counted nor rejected.\n"
      "  payments: every request is rejected.\n"
      "  per-ip: each gateway counts by itself and grants its share of these numbers: they are divided by "
      "the number of gateways that it has seen in Redis, but by at least 2 (\"instances\").\n"))
      << text;
}

std::string meaning_of_limits(const std::string& limits, const std::string& redis = "") {
  const auto source = R"({ "listen": ":1", )" + redis + R"("limits": {)" + limits +
                      R"(}, "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })";
  const auto loaded = load(source);
  EXPECT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
  return loaded.config ? meaning(*loaded.config, "f") : "";
}

TEST(Meaning, NamesWhoSharesACounter) {
  const auto of = [](const std::string& per) {
    const auto text = meaning_of_limits(R"("x": { "rate": "1/s", "if_absent": "total", "per": )" + per + " }");
    const auto begin = text.find("x      ") + 7;
    return text.substr(begin, text.find(':', begin) - begin);
  };
  EXPECT_EQ(of(R"("total")"), "all callers together");
  EXPECT_EQ(of(R"("route")"), "each route");
  EXPECT_EQ(of(R"(["client_ip", "route"])"), "each client address on each route");
  EXPECT_EQ(of(R"(["api_key", "host", "upstream"])"), "each API key on each host and upstream");
  EXPECT_EQ(of(R"(["api_key", "header:X-End-User"])"), "each pair of API key and value of x-end-user");
}

TEST(Meaning, SaysWhenALimitRejectsNobody) {
  EXPECT_NE(meaning_of_limits(R"("x": { "rate": "20/second", "per": "client_ip", "mode": "observe" })")
                .find("; only observes, rejects nobody\n"),
            std::string::npos);
}

TEST(Meaning, OfALimitWithoutSharedBudgetSaysWhatSeveralGatewaysAddUpTo) {
  const auto text = meaning_of_limits(R"("x": { "rate": ["5/minute", "30/hour"], "per": "client_ip" })",
                                      R"("redis": { "url": "redis://r" }, )");
  EXPECT_NE(text.find("5 a minute on average, 5 at once, and 30 an hour on average, 30 at once; in Redis\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(
      "If Redis is down, each gateway counts by itself and grants its share of these numbers: they are divided by "
      "the number of gateways that it has seen in Redis.\n"))
      << text;
}

TEST(Meaning, TellsTheTiersOfALimitBelowIt) {
  const auto text = meaning_of("conf/examples/saas.json");
  EXPECT_NE(
      text.find(
          "plan      each jwt.org_id, by its jwt.plan (else \"free\"); in Redis:\n"
          "            free        60 a minute on average, 60 at once, and 1000 a day on average, 1000 at once\n"
          "            pro         50 a second on average, 50 at once, and 200000 a day on average, 200000 at once\n"
          "            enterprise  500 a second on average, 1000 at once\n"
          "            internal    unlimited\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("held back up to 2s"), std::string::npos) << text;
  EXPECT_NE(text.find("\nA gateway takes from Redis in batches for busy keys of plan and tokens.\n"), std::string::npos)
      << text;
}

TEST(Meaning, NamesTheExemptionsOfALimit) {
  const auto text = meaning_of("conf/examples/partner-cluster.json");
  EXPECT_NE(
      text.find("each API key, by the tier of its API key (else \"trial\"); in Redis; a caller without it counts by "
                "client address; not for the API key of nightly:\n"),
      std::string::npos)
      << text;
  EXPECT_NE(meaning_of("conf/examples/public-api.json").find("; not for 10.9.0.0/16\n"), std::string::npos);
}

TEST(Meaning, NamesTheSourceOfASizeAndItsBounds) {
  const auto text = meaning_of_limits(
      R"("x": { "rate": { "from": "jwt.rpm", "per": "minute", "most": 1000, "otherwise": 60 }, "per": "client_ip" })",
      R"("identity": { "jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" } }, )");
  EXPECT_NE(text.find("each client address: as many as its jwt.rpm says, at most 1000, otherwise 60 requests a minute "
                      "on average, 60 at once; counted in this gateway's memory"),
            std::string::npos)
      << text;
}

TEST(Meaning, NamesTheDaysAndMonthsOfACalendar) {
  const auto text = meaning_of_limits(
      R"("x": { "algorithm": "fixed_window", "rate": ["1000/day", "20000/month"], "time_zone": "UTC", "per": "client_ip" })",
      R"("redis": { "url": "redis://r", "instances": 2 }, )");
  EXPECT_NE(text.find("anew with each day in UTC, and at most 20000 a month, anew with each month in UTC"),
            std::string::npos)
      << text;
}

std::string meaning_of_routes(const std::string& routes) {
  const auto loaded = load(R"({ "listen": ":1", "routes": [)" + routes + "] }");
  EXPECT_TRUE(loaded.config);
  return loaded.config ? meaning(*loaded.config, "f") : "";
}

TEST(Meaning, SaysWhatAKeptSlashMayBecome) {
  const std::string kept = R"({ "name": "files", "path": "/files/*", "encoded_slash": "keep", "respond": {} })";
  const std::string passes =
      "\nRoute \"files\" passes on %2F and %5C as a part of their segment, and what is encoded twice. A server that "
      "reads a slash there sees a deeper path, ";
  EXPECT_NE(meaning_of_routes(kept + R"(, { "path": "/*", "respond": {} }, { "path": "/filesystem", "respond": {} })")
                .find(passes + "for which there is no other route.\n"),
            std::string::npos);
  const auto text = meaning_of_routes(kept + R"(, { "name": "mine", "path": "/files/{user}/private", "respond": {} },
    { "name": "log", "path": "/Files/log", "ignore_case": true, "respond": {} }, { "path": "/other/x", "respond": {} })");
  EXPECT_NE(text.find(passes + "but the checks and limits of \"mine\", \"log\" do not apply.\n"), std::string::npos)
      << text;
  EXPECT_EQ(meaning_of_routes(R"({ "path": "/files/*", "respond": {} })").find("%2F"), std::string::npos);
}

TEST(Meaning, SaysHowManyRoutesCompressAndWhatThatTells) {
  const auto source =
      R"({ "listen": ":1", "upstreams": { "app": "http://127.0.0.1:1" }, "all_routes": { "compress": true },
    "routes": [{ "path": "/a", "to": "app" }, { "path": "/b", "to": "app", "compress": false },
               { "path": "/c", "to": "app", "compress": { "encodings": ["gzip"] } }] })";
  const auto loaded = load(source);
  ASSERT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
  EXPECT_NE(
      meaning(*loaded.config, "f")
          .find("2 routes compress their answers for clients that take it. The length of such an answer tells about "
                "a secret\nthat stands in it beside what a caller chose (docs/compression.md)."),
      std::string::npos);
  const auto& routes = loaded.config->gateway.routes;
  EXPECT_EQ(routes[0].compression, loaded.config->gateway.all_routes.compression);
  EXPECT_EQ(routes[1].compression, nullptr);
  EXPECT_EQ(routes[2].compression->codings, std::vector{compress::Coding::gzip});
  EXPECT_EQ(routes[2].compression->level, 4U);
}

TEST(Meaning, WithoutLimitsSaysSo) {
  const auto loaded = load(R"({ "listen": ":1", "routes": [{ "path": "/*", "respond": {} }] })");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(meaning(*loaded.config, "f"),
            "f is valid: 1 listener, 0 upstreams, 1 route, 0 limits\n\nThere is no limit: requests are not counted.\n"
            "\nroute  goes to      open to  under\n/*     answers 200  anyone   no limit\n");
}

TEST(Meaning, SaysWhoMayUseEachRoute) {
  const auto source = R"({ "listen": ":1", "upstreams": { "app": "http://127.0.0.1:1" },
    "identity": { "api_key": { "header": "X-Api-Key", "keys": { "acme": { "sha256":
      "a3c69185a3add9800cdd7372609c466230b71cc509d46597adf484e0a7851795" } } } },
    "routes": [
      { "path": "/a", "to": "app" },
      { "path": "/b", "to": "app", "require": "api_key", "addresses": { "allow": ["10.0.0.0/8"] } },
      { "path": "/c", "to": "app", "auth": "http://app/check" },
      { "path": "/d", "respond": { "status": 503 } } ] })";
  const auto loaded = load(source);
  ASSERT_TRUE(loaded.config) << render_text(loaded.diagnostics, "f", source);
  const auto text = meaning(*loaded.config, "f");
  EXPECT_NE(text.find("route  goes to      open to                     under\n"
                      "/a     app          anyone                      no limit\n"
                      "/b     app          an API key, some addresses  no limit\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("/c     app          an auth service "), std::string::npos) << text;
  EXPECT_NE(text.find("/d     answers 503  nobody "), std::string::npos) << text;

  const auto routes = nlohmann::json::parse(check_json(loaded, "f"))["routes"];
  ASSERT_EQ(routes.size(), 4U);
  EXPECT_EQ(routes[0], (nlohmann::json{{"name", loaded.config->gateway.routes[0].name},
                                       {"requests", "/a"},
                                       {"goes_to", "app"},
                                       {"open_to", {"anyone"}},
                                       {"under", "no limit"}}));
  EXPECT_EQ(routes[1]["open_to"], (nlohmann::json{"an API key", "some addresses"}));
  EXPECT_EQ(routes[2]["open_to"], nlohmann::json{"an auth service"});
  EXPECT_EQ(routes[3]["open_to"], nlohmann::json{"nobody"});
}

TEST(Meaning, AsJsonHasAllRoutesOfAFileThatIsValidAndNoneOfAnother) {
  std::string routes;
  for (int i = 0; i < 60; ++i)
    routes += (i == 0 ? "" : ", ") + std::string(R"({ "path": "/)") + std::to_string(i) + R"(", "respond": {} })";
  const auto valid = nlohmann::json::parse(check_json(load(R"({ "listen": ":1", "routes": [)" + routes + "] }"), "f"));
  EXPECT_EQ(valid["file"], "f");
  EXPECT_EQ(valid["valid"], true);
  EXPECT_EQ(valid["diagnostics"], nlohmann::json::array());
  EXPECT_EQ(valid["routes"].size(), 60U);

  const auto wrong = nlohmann::json::parse(check_json(load("{}"), "f"));
  EXPECT_EQ(wrong["valid"], false);
  EXPECT_GE(wrong["diagnostics"].size(), 1U);
  EXPECT_EQ(wrong["routes"], nlohmann::json::array());
}

}  // namespace
}  // namespace headgate::config
