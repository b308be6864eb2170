#include "headgate/config/load.hpp"

#include "describe.hpp"
#include "files.hpp"
#include "loaded.hpp"
#include "support/per.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace headgate::config {
namespace {

using namespace std::chrono_literals;
using test::described;

std::vector<std::string> messages(const std::string& source) {
  std::vector<std::string> out;
  for (const auto& each : load(source).diagnostics) out.push_back(each.message);
  return out;
}

constexpr const char* kMinimal = R"({
  "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
  "limits": { "per-ip": { "rate": "100/minute", "per": "client_ip" } },
  "routes": [{ "path": "/*", "to": "app", "limits": ["per-ip"] }] })";

limit::Rule expected_rule(const char* limit, const char* suffix, Rate rate, std::uint64_t burst) {
  limit::Rule rule;
  rule.limit = limit;
  rule.rate = rate;
  rule.burst = burst;
  rule.algorithm = limit::find_algorithm("token_bucket");
  rule.suffix = suffix;
  rule.seed = stable_hash(suffix);
  return rule;
}

limit::Limit expected_limit(const char* name, std::vector<limit::Per> per, std::vector<limit::Rule> rules) {
  limit::Limit limit;
  limit.name = name;
  limit.per = std::move(per);
  limit.tiers = {{"", std::move(rules)}};
  return limit;
}

TEST(Load, FillsInTheDefaultsOfTheOptionTypes) {
  const auto config = loaded(kMinimal);
  Config expected;
  expected.listen = {{.host = "", .port = 8080, .text = ":8080"}};
  gateway::UpstreamOptions app;
  app.name = "app";
  app.servers = {{.host = "127.0.0.1", .port = 3000, .text = "127.0.0.1:3000"}};
  expected.upstreams = {app};
  expected.limits = {
      expected_limit("per-ip", {test::make_per("client_ip")}, {expected_rule("per-ip", ":per-ip", {100, 1min}, 100)})};
  gateway::RouteOptions route;
  route.name = route.path = "/*";
  route.to = "app";
  route.limits = {{.limit = "per-ip", .cost = {}}};
  expected.gateway.routes = {route};
  expected.admin.emplace();
  EXPECT_EQ(described(without_origin(config)), described(expected));
}

TEST(Load, TakesEveryKeyOfTheFile) {
  const auto config = loaded(R"({
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
  "log": { "level": "debug", "format": "json", "access": "off", "error": "/tmp/e.log" } })");
  Config expected;
  expected.instance = expected.log.instance = expected.gateway.via = "gw-1";
  expected.listen = {{.host = "127.0.0.1", .port = 80, .text = "127.0.0.1:80"},
                     {.host = "::1", .port = 81, .text = "[::1]:81", .proxy_protocol = true}};
  expected.workers = 3;
  expected.drain_delay = 7s;
  expected.drain = 5s;
  expected.admin.emplace();
  auto& identity = expected.identity;
  identity.trusted_proxies = {*identity::parse_network("10.0.0.0/8"), *identity::parse_network("::1")};
  identity.address_field = identity::AddressField::x_real_ip;
  identity.ipv6_prefix = expected.bounds.ipv6_prefix = 56;
  identity.failures = {{5, 1min}, 9};
  identity.api_key.written = true;
  identity.api_key.headers = {"x-token"};
  identity.api_key.query = "key";
  identity.api_key.cookie = "k";
  identity.api_key.pass_on = true;
  identity::JwtIssuer issuer;
  issuer.issuer = "iss";
  issuer.audiences = {"aud"};
  issuer.algorithms = {identity::JwtAlgorithm::HS256};
  issuer.types = {"at+jwt"};
  issuer.demands_type = true;
  issuer.leeway = 1s;
  issuer.max_age = 12h;
  issuer.keys.secret = "0123456789abcdef0123456789abcdef";
  auto& jwt = identity.jwt.emplace();
  jwt.issuers = {issuer};
  jwt.header = "x-jwt";
  jwt.cookie = "jwt";
  jwt.query = "token";
  jwt.pass_on = false;
  jwt.remember = 7;
  jwt.claim_headers = {{"X-User", "sub"}};
  auto& redis = expected.redis.emplace();
  redis.nodes = {{"red", 6380}};
  redis.database = 2;
  redis.username = "u";
  redis.password = "p";
  redis.key_prefix = "p:";
  redis.timeout = 15ms;
  redis.instances = 4;
  redis.max_in_flight = 9;
  expected.memory.max_keys = 5000;
  gateway::UpstreamOptions upstream;
  upstream.name = "a";
  upstream.servers = {{.host = "a", .port = 1, .text = "a:1"}, {.host = "::1", .port = 80, .text = "[::1]:80"}};
  upstream.connect_timeout = 2s;
  upstream.idle_timeout = 3s;
  upstream.max_idle = 7;
  upstream.head_bytes = 9 * 1024;
  expected.upstreams = {upstream};
  const auto per = test::make_per;
  auto l =
      expected_limit("l", {per("jwt.sub"), per("header:X-A"), per("route")}, {expected_rule("l", ":l", {5, 1s}, 9)});
  l.mode = limit::Mode::observe;
  l.store = limit::Store::redis;
  l.if_redis_down = limit::IfRedisDown::allow;
  l.if_absent.instead = {{per("api_key")}, {per("client_ip"), per("host")}};
  auto m = expected_limit("m", {per("total")},
                          {expected_rule("m", ":m:1s", {1, 1s}, 1), expected_rule("m", ":m:1m", {9, 1min}, 9)});
  m.if_redis_down = limit::IfRedisDown::allow;
  m.tiers[0].rules[0].name = "1/second";
  m.tiers[0].rules[1].name = "9/minute";
  auto n = expected_limit("n", {per("api_key")}, {expected_rule("n", ":n", {1, 1s}, 1)});
  n.store = limit::Store::redis;
  n.if_redis_down = limit::IfRedisDown::reject;
  n.if_absent.last = limit::IfAbsent::Last::reject;
  n.if_absent.status = 403;
  n.tiers[0].rules[0].leases = true;
  expected.limits = {l, m, n};
  auto& path = expected.gateway;
  path.proxy_fields = {"X-Edge-*", "Proxy"};
  auto& all = path.all_routes;
  all.ignore_case = true;
  all.limits = {{.limit = "m", .cost = {}}};
  all.unknown_key = gateway::UnknownKey::reject;
  all.timeout = 4s;
  all.between_bytes = 8s;
  all.max_body = 2048;
  all.client_close = gateway::ClientClose::ignore;
  all.min_rate = 2000;
  gateway::RouteOptions r;
  r.name = "r";
  r.host = "a.example";
  r.path = "/x/{y}";
  r.ignore_case = false;
  r.encoded_slash = gateway::EncodedSlash::keep;
  r.methods = {"GET", "PUT"};
  r.to = "a";
  r.limits = {{.limit = "l", .cost = {}}, {.limit = "n", .cost = {}}};
  r.skip_limits = {"m"};
  r.require = gateway::Require::jwt;
  r.unknown_key = gateway::UnknownKey::anonymous;
  r.timeout = 6s;
  r.between_bytes = 9s;
  r.max_body = r.min_rate = 0;
  r.client_close = gateway::ClientClose::end;
  gateway::RouteOptions h;
  h.name = h.path = "/h";
  h.conditions.any_case = true;
  h.respond = {.status = 404, .body = "no", .content_type = "a/b"};
  path.routes = {r, h};
  expected.timeouts = {.handshake = 7s, .idle = 1s, .head = 2s, .body = 3s, .write = 4s, .tunnel = 5s};
  path.write_timeout = 4s;
  path.tunnel_timeout = 5s;
  path.head_bounds = expected.bounds.head = {.bytes = 8192, .fields = 50, .target_bytes = 1024};
  expected.bounds.connections = 99;
  expected.bounds.handshakes = 98;
  expected.bounds.handshakes_per_address = 97;
  path.rejection.headers = gateway::RejectionHeaders::legacy;
  path.rejection.body.form = gateway::OwnBody::Form::none;
  expected.log.level = observe::LogLevel::debug;
  expected.log.format = observe::LogFormat::json;
  expected.log.access = "off";
  expected.log.error = "/tmp/e.log";
  EXPECT_EQ(described(without_origin(config)), described(expected));
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
  const auto config = loaded(source);
  const auto pair = [&](const std::string& name) {
    return net::CertificateFiles{.certificate = folder + name + ".pem", .key = folder + name + ".key"};
  };
  net::ServerTlsOptions one;
  one.certificates = {pair("good")};
  one.protocols = {"h2", "http/1.1", "http/1.0"};
  auto two = one;
  two.certificates.push_back(pair("rsa"));
  auto careful = one;
  careful.oldest = net::TlsVersion::tls_1_3;
  careful.groups = {"P-256", "X25519"};
  careful.client_ca = folder + "ca.pem";
  careful.ticket_secret = "0123456789abcdef0123456789abcdef";
  const std::vector<net::ListenOptions> expected{
      {.host = "", .port = 1, .text = ":1", .http2 = true, .tls = careful},
      {.host = "", .port = 2, .text = ":2", .http2 = true, .tls = two},
      {.host = "", .port = 3, .text = ":3", .proxy_protocol = true, .http2 = true, .tls = one}};
  EXPECT_EQ(described(config.listen), described(expected));
  using Part = identity::CertificatePart;
  const std::vector<std::pair<std::string, Part>> fields{{"X-Who", Part::san}, {"X-Print", Part::sha256}};
  EXPECT_EQ(config.identity.certificate_headers, fields);
}

TEST(Load, LetsADelayBeNothing) {
  EXPECT_EQ(
      loaded(R"({ "listen": ":1", "drain_delay": "0s", "routes": [{ "path": "/*", "respond": {} }] })").drain_delay,
      Duration(0));
  EXPECT_THAT(messages(R"({ "listen": ":1", "drain": "0s", "routes": [{ "path": "/*", "respond": {} }] })"),
              testing::ElementsAre("\"0s\" is too short"));
}

TEST(Load, AllowsCommentsAndTrailingCommasAndAByteOrderMark) {
  EXPECT_EQ(described(without_origin(
                loaded("\xEF\xBB\xBF// a\n{ /* b\n */ \"listen\": [\":8080\",], \"routes\": [{ \"path\": \"/*\", "
                       "\"respond\": {}, },], }\r\n// c"))),
            described(without_origin(loaded(R"({"listen":":8080","routes":[{"path":"/*","respond":{}}]})"))));
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

TEST_F(Placeholders, FallBackIfTheVariableIsUnsetOrEmpty) {
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
