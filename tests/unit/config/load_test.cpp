#include "headgate/config/load.hpp"

#include "describe.hpp"
#include "files.hpp"
#include "loaded.hpp"
#include "support/per.hpp"

#include "headgate/core/hash.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace headgate::config {
namespace {

std::vector<std::string> messages(const std::string& source) {
  std::vector<std::string> out;
  for (const auto& each : load(source).diagnostics) out.push_back(each.message);
  return out;
}

constexpr const char* kMinimal = R"({
  "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
  "limits": { "per-ip": { "rate": "100/minute", "per": "client_ip" } },
  "routes": [{ "path": "/*", "to": "app", "limits": ["per-ip"] }] })";

TEST(Load, FillsInTheDefaultsOfTheOptionTypes) {
  const auto config = loaded(kMinimal);
  Config expected;
  expected.listen = {{.host = "", .port = 8080, .text = ":8080"}};
  gateway::UpstreamOptions app;
  app.name = "app";
  app.servers = {{.host = "127.0.0.1", .port = 3000, .text = "127.0.0.1:3000"}};
  expected.upstreams = {app};
  limit::Limit limit;
  limit.name = "per-ip";
  limit.per = {test::make_per("client_ip")};
  limit::Rule rule;
  rule.limit = "per-ip";
  rule.rate = {100, std::chrono::minutes(1)};
  rule.burst = 100;
  rule.algorithm = limit::find_algorithm("token_bucket");
  rule.suffix = ":per-ip";
  rule.seed = stable_hash(":per-ip");
  limit.tiers = {{"", {rule}}};
  expected.limits = {limit};
  gateway::RouteOptions route;
  route.name = route.path = "/*";
  route.to = "app";
  route.limits = {{.limit = "per-ip", .cost = {}}};
  expected.gateway.routes = {route};
  expected.admin.emplace();
  EXPECT_EQ(describe(config), describe(expected));
}

TEST(Load, TakesEveryKeyOfTheFile) {
  const auto text = describe(loaded(R"({
  "$schema": "x", "instance": "gw-1", "listen": ["127.0.0.1:80", { "address": "[::1]:81", "proxy_protocol": true }], "workers": 3, "drain_delay": "7s", "drain": "5s",
  "identity": { "trusted_proxies": ["10.0.0.0/8", "::1"], "ipv6_prefix": 56, "address_from": "X-Real-IP", "failures": { "rate": "5/minute", "burst": 9 },
    "proxy_fields": ["X-Edge-*", "Proxy"],
    "api_key": { "header": "X-Token", "query": "key", "cookie": "k", "pass_on": true },
    "jwt": { "issuer": "iss", "audience": "aud", "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef", "leeway": "1s", "max_age": "12h",
             "types": ["at+jwt"], "header": "X-Jwt", "cookie": "jwt", "query": "token", "pass_on": false, "remember": 7,
             "claim_headers": { "X-User": "sub" } } },
  "redis": { "url": "redis://red:6380/2", "username": "u", "password": "p", "timeout": "15ms", "if_down": "allow", "key_prefix": "p:",
    "instances": 4, "max_in_flight": 9 },
  "memory": { "max_keys": 5000 },
  "upstreams": { "a": { "servers": ["http://A:1", "http://[::1]"], "connect_timeout": "2s", "idle_timeout": "3s", "max_idle": 7, "head_size": "9KiB" } },
  "limits": {
    "l": { "rate": "5/second", "burst": 9, "per": ["jwt.sub", "header:X-A", "route"], "mode": "observe", "if_absent": ["api_key", ["client_ip", "host"]] },
    "m": { "rate": ["1/s", "9/m"], "algorithm": "token_bucket", "per": "total", "store": "memory" },
    "n": { "rate": "1/s", "per": "api_key", "if_redis_down": "reject", "if_absent": { "reject": 403 } } },
  "all_routes": { "limits": ["m"], "timeout": "4s", "between_bytes": "8s", "max_body": "2KiB", "min_rate": "2kB",
    "client_close": "ignore", "unknown_key": "reject", "ignore_case": true },
  "routes": [
    { "name": "r", "host": "A.example", "path": "/x/{y}", "methods": ["GET", "PUT"], "to": "a", "limits": ["l", { "use": "n", "cost": 1 }],
      "skip_limits": ["m"], "require": "jwt", "unknown_key": "anonymous", "timeout": "6s", "between_bytes": "9s", "max_body": "0",
      "min_rate": "0", "client_close": "end", "ignore_case": false, "encoded_slash": "keep" },
    { "path": "/h", "respond": { "status": 404, "body": "no", "content_type": "a/b" } } ],
  "timeouts": { "handshake": "7s", "idle": "1s", "head": "2s", "body": "3s", "write": "4s", "tunnel": "5s" },
  "bounds": { "head_size": "8KiB", "head_fields": 50, "target_size": "1KiB", "connections": 99, "handshakes": 98, "handshakes_per_address": 97 },
  "rejection": { "headers": "legacy", "body": "none" },
  "log": { "level": "debug", "format": "json", "access": "off", "error": "/tmp/e.log" } })"));
  const auto seed = [](const char* suffix) { return std::to_string(stable_hash(suffix)); };
  EXPECT_EQ(
      text,
      "instance gw-1 workers 3 drain 7s 5s\n"
      "listen 127.0.0.1 80 127.0.0.1:80\n"
      "listen ::1 81 [::1]:81 proxy_protocol\n"
      "admin 127.0.0.1:9900 \n"
      "identity 10.0.0.0/8 ::1 from 2 /56 key in x-token key k 1 1  failures 5/minute 9 jwt in x-jwt jwt token 0 "
      "remember 7 X-User=sub issuer [iss for aud by 0 types at+jwt leeway 1s max_age 12h keys "
      "0123456789abcdef0123456789abcdef     5m 10s 5s]\n"
      "redis 0 red 6380 master    db 2 u p p: 15ms 4 9\n"
      "memory 5000\n"
      "upstream a 2s 3s 7 9216 30s [a 1 a:1] [::1 80 [::1]:80]\n"
      "limit l mode 1 store 1 down 0 absent api_key client_ip+host 0 0 per jwt.sub header:x-a route [l  5/second "
      "burst 9 "
      "token_bucket :l " +
          seed(":l") +
          "]\n"
          "limit m mode 0 store 0 down 0 absent 0 0 per total [m 1/second 1/second burst 1 token_bucket :m:1s " +
          seed(":m:1s") + "] [m 9/minute 9/minute burst 9 token_bucket :m:1m " + seed(":m:1m") +
          "]\n"
          "limit n mode 0 store 1 down 1 absent 2 403 per api_key [n  1/second burst 1 leases token_bucket :n " +
          seed(":n") +
          "]\n"
          "route r host a.example path /x/{y} methods GET PUT to a limits lx1 nx1 skip m require 1 ignore_case 0 keeps "
          "slashes unknown_key 0 "
          "timeout 6s between_bytes 9s max_body "
          "0 min_rate 0 client_close 0\n"
          "route /h host  path /h methods to  respond 404 no a/b limits skip require 0\n"
          "all mx1 4s 8s 2048 2000 1 1 1\n"
          "path 4s 5s 8192 50 1024 0\n"
          "via gw-1 proxy_fields X-Edge-* Proxy\n"
          "shedding  0s\n"
          "rejection 2 3 0\n"
          "timeouts 7s 1s 2s 3s 4s 5s\n"
          "bounds 8192 50 1024 99 98 97\n"
          "log 0 1 off /tmp/e.log 0\n");
}

TEST(Load, TakesTlsOfAListener) {
  const auto folder = source_path("tests/unit/config/beside/tls/").string();
  std::string source = R"({ "listen": [
    { "address": ":1", "tls": { "certificate": "@good.pem", "key": "@good.key", "min_version": "1.3", "groups": ["P-256", "X25519"],
                                "client_ca": "@ca.pem", "ticket_secret": "0123456789abcdef0123456789abcdef" } },
    { "address": ":2", "tls": { "certificates": [{ "certificate": "@good.pem", "key": "@good.key" }, { "certificate": "@rsa.pem", "key": "@rsa.key" }] } },
    { "address": ":3", "proxy_protocol": true, "tls": [{ "certificate": "@good.pem", "key": "@good.key" }] } ],
    "identity": { "trusted_proxies": ["10.0.0.0/8"], "certificate_headers": { "X-Who": "san", "X-Print": "sha256" } },
    "routes": [{ "path": "/*", "respond": {} }] })";
  for (auto at = source.find('@'); at != std::string::npos; at = source.find('@', at)) source.replace(at, 1, folder);
  auto text = describe(loaded(source));
  for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.erase(at, folder.size());
  EXPECT_THAT(text, testing::HasSubstr("listen  1 :1 tls 1 good.pem+good.key P-256 X25519 ca ca.pem tickets "
                                       "0123456789abcdef0123456789abcdef\n"
                                       "listen  2 :2 tls 0 good.pem+good.key rsa.pem+rsa.key ca  tickets \n"
                                       "listen  3 :3 tls 0 good.pem+good.key ca  tickets  proxy_protocol\n"));
  EXPECT_THAT(text, testing::HasSubstr("X-Who=1 X-Print=2"));
}

TEST(Load, LetsADelayBeNothing) {
  EXPECT_EQ(
      loaded(R"({ "listen": ":1", "drain_delay": "0s", "routes": [{ "path": "/*", "respond": {} }] })").drain_delay,
      Duration(0));
  EXPECT_THAT(messages(R"({ "listen": ":1", "drain": "0s", "routes": [{ "path": "/*", "respond": {} }] })"),
              testing::ElementsAre("\"0s\" is no time at all"));
}

TEST(Load, AllowsCommentsAndTrailingCommasAndAByteOrderMark) {
  EXPECT_EQ(describe(loaded("\xEF\xBB\xBF// a\n{ /* b\n */ \"listen\": [\":8080\",], \"routes\": [{ \"path\": \"/*\", "
                            "\"respond\": {}, },], }\r\n// c")),
            describe(loaded(R"({"listen":":8080","routes":[{"path":"/*","respond":{}}]})")));
}

TEST(Load, ReadsEscapesInStrings) {
  const auto config = loaded(
      R"({ "listen": ":1", "routes": [{ "path": "\/*", "respond": { "body": "\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00" } }] })");
  EXPECT_EQ(config.gateway.routes.at(0).respond->body, "\"\\/\b\f\n\r\t\xC3\xA4\xF0\x9F\x98\x80");
}

TEST(Load, NamesRoutesWithoutANameByWhatTellsThemApart) {
  const auto config = loaded(R"({ "listen": ":1", "routes": [
    { "path": "/a", "methods": ["GET"], "respond": {} }, { "path": "/a", "methods": ["PUT"], "respond": {} },
    { "path": "/a", "methods": ["PUT"], "host": "h", "respond": {} }, { "name": "/b", "path": "/c", "respond": {} }, { "path": "/b", "respond": {} }] })");
  std::vector<std::string> names;
  for (const auto& route : config.gateway.routes) names.push_back(route.name);
  EXPECT_EQ(names, (std::vector<std::string>{"/a", "PUT /a", "PUT h/a", "/b", "/b (4)"}));
}

TEST(Load, DecodesWhatARedisUrlEscapes) {
  const auto config = loaded(R"({ "listen": ":1", "redis": { "url": "redis://us%40er:p%3a%2Fw@[::1]" },
    "limits": { "x": { "rate": "1/s", "per": "total" } }, "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })");
  EXPECT_EQ(config.redis->username, "us@er");
  EXPECT_EQ(config.redis->password, "p:/w");
  EXPECT_EQ(config.redis->nodes, (std::vector<redis::RedisNode>{{"::1", 6379}}));
}

TEST(Load, OfWhatACommandLineComposesIsTheMinimalFileOnOneLine) {
  EXPECT_EQ(
      messages(
          R"({"listen":":8080","upstreams":{"default":"127.0.0.1:3000"},"limits":{"default":{"rate":"5/sec","per":"ip"}},"routes":[{"path":"/*","to":"default","limits":["default"]}]})"),
      (std::vector<std::string>{R"("127.0.0.1:3000" is not a URL)", R"("5/sec" is not a rate)",
                                R"("ip" is not something that a limit can count by)"}));
}

class Placeholders : public testing::Test {
 protected:
  static std::string body(const std::string& text) {
    const auto config =
        loaded(R"({ "listen": ":1", "routes": [{ "path": "/*", "respond": { "body": ")" + text + R"(" } }] })");
    return config.gateway.routes.empty() ? "invalid" : config.gateway.routes[0].respond->body;
  }
  void SetUp() override {
    setenv("HEADGATE_TEST_NAME", "value", 1);
    setenv("HEADGATE_TEST_EMPTY", "", 1);
    setenv("HEADGATE_TEST_JSON", "\", \"status\": 500, \"x\": \"${HEADGATE_TEST_NAME}", 1);
    unsetenv("HEADGATE_TEST_UNSET");
  }
};

TEST_F(Placeholders, StandForTheEnvironment) {
  EXPECT_EQ(body("${HEADGATE_TEST_NAME}"), "value");
  EXPECT_EQ(body("a ${HEADGATE_TEST_NAME} b ${HEADGATE_TEST_NAME}"), "a value b value");
  EXPECT_EQ(body("${HEADGATE_TEST_EMPTY}"), "");
}

TEST_F(Placeholders, FallBackWhereTheVariableIsUnsetOrEmpty) {
  EXPECT_EQ(body("${HEADGATE_TEST_UNSET:-other}"), "other");
  EXPECT_EQ(body("${HEADGATE_TEST_EMPTY:-other}"), "other");
  EXPECT_EQ(body("${HEADGATE_TEST_UNSET:-}"), "");
  EXPECT_EQ(body("${HEADGATE_TEST_NAME:-other}"), "value");
  EXPECT_EQ(body("${HEADGATE_TEST_UNSET:-a:-b}"), "a:-b");
}

TEST_F(Placeholders, AreWrittenOutWithASecondDollar) {
  EXPECT_EQ(body("$${HEADGATE_TEST_NAME}"), "${HEADGATE_TEST_NAME}");
  EXPECT_EQ(body("$ $x $$ 5$"), "$ $x $$ 5$");
}

TEST_F(Placeholders, NeverChangeTheStructureAndAreReplacedOnce) {
  EXPECT_EQ(body("${HEADGATE_TEST_JSON}"), "\", \"status\": 500, \"x\": \"${HEADGATE_TEST_NAME}");
}

/// Tests run beside each other, each in a process of its own.
std::string own_path() { return testing::TempDir() + "/headgate_placeholder_" + std::to_string(::getpid()); }

TEST_F(Placeholders, StandForAFileWithoutItsLastLineEnd) {
  const auto path = own_path();
  const auto with = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return body("${file:" + path + "}");
  };
  EXPECT_EQ(with("secret\n"), "secret");
  EXPECT_EQ(with("secret\r\n"), "secret");
  EXPECT_EQ(with("two\nlines\n\n"), "two\nlines\n");
  EXPECT_EQ(with(""), "");
}

TEST_F(Placeholders, DoNotReadWhatIsNoSmallTextFile) {
  const auto path = own_path();
  const auto why = [&](const std::string& file) {
    return messages(R"({ "listen": ":1", "instance": "${file:)" + file +
                    R"(}", "routes": [{ "path": "/*", "respond": {} }] })")
        .at(0);
  };
  const auto with = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return why(path);
  };
  EXPECT_TRUE(with(std::string(1'048'577, 'x')).ends_with("it is larger than 1MiB"));
  EXPECT_TRUE(with("\xFF").ends_with("it is not UTF-8 text"));
  EXPECT_TRUE(with(std::string("a\0b", 3)).ends_with("it is not UTF-8 text"));
  EXPECT_TRUE(why("/").ends_with("it is not a regular file"));
  EXPECT_TRUE(why("/dev/zero").ends_with("it is not a regular file"));
  EXPECT_TRUE(why("").ends_with("there is no such file"));
}

}  // namespace
}  // namespace headgate::config
