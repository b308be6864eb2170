// What a key has used of a limit, as an operator sees it and resets it.

#include "blackbox/harness/operator.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::test {
namespace {

Json under_limit(const Json& limit, const Json& more = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}}, {"limits", {{"x", limit}}}, {"all_routes", {{"limits", {"x"}}}}};
  out.merge_patch(more);
  return out;
}

const std::string kMine = "/api/v1/limits/x/keys/127.0.0.1";

TEST(AdminKeys, SayWhatIsUsedAndConsumeNothing) {
  Proxy proxy(under_limit({{"rate", "3/day"}, {"per", "client_ip"}}));
  const Operator look(proxy.gateway.process());
  auto key = look.get(kMine);
  EXPECT_EQ(key["rules"][0]["used"], 0);
  EXPECT_EQ(key["rules"][0]["remaining"], 3);
  EXPECT_EQ(key["store"], "memory");
  EXPECT_EQ(proxy.client().get().status(), 200);
  for (int i = 0; i < 5; ++i) key = look.get(kMine);
  EXPECT_EQ(key["rules"][0]["rule"], "3/day");
  EXPECT_EQ(key["rules"][0]["limit"], 3);
  EXPECT_EQ(key["rules"][0]["used"], 1);
  EXPECT_EQ(key["rules"][0]["next_request"], "allowed");
  EXPECT_NEAR(key["rules"][0]["full_in_seconds"].get<double>(), 28800, 10);
  for (const int status : {200, 200, 429}) EXPECT_EQ(proxy.client().get().status(), status);
  key = look.get(kMine);
  EXPECT_EQ(key["rules"][0]["used"], 3);
  EXPECT_EQ(key["rules"][0]["next_request"], "rejected");
  EXPECT_NEAR(key["rules"][0]["retry_after_seconds"].get<double>(), 28800, 10);
}

TEST(AdminKeys, AreForgottenByAReset) {
  for (const char* algorithm : {"token_bucket", "leaky_bucket", "fixed_window", "sliding_window", "sliding_log"}) {
    Proxy proxy(under_limit({{"rate", "2/day"}, {"burst", nullptr}, {"algorithm", algorithm}, {"per", "client_ip"}}));
    const Operator operators(proxy.gateway.process());
    auto status = proxy.client().get().status();
    EXPECT_EQ(status, 200) << algorithm;
    while (status == 200) status = proxy.client().get().status();
    EXPECT_EQ(status, 429) << algorithm;
    const auto answer = operators.ask("DELETE", kMine);
    EXPECT_EQ(answer.status(), 200) << answer.body;
    EXPECT_EQ(Json::parse(answer.body)["reset"], true) << algorithm << answer.body;
    EXPECT_EQ(proxy.client().get().status(), 200) << algorithm;
  }
}

TEST(AdminKeys, OfSeveralRatesAndTiersHaveARowForEach) {
  const Json tiers = {{"free", {{"rate", {"2/minute", "5/day"}}}}, {"pro", {{"rate", "100/minute"}}}};
  Proxy proxy(
      under_limit({{"tiers", tiers}, {"tier_from", "api_key"}, {"default_tier", "free"}, {"per", "client_ip"}},
                  {{"identity", {{"api_key", {{"keys", {{"k", {{"key", "0123456789abcdef"}, {"tier", "pro"}}}}}}}}}}));
  const Operator look(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get().status(), 200);
  const auto key = look.get(kMine);
  ASSERT_EQ(key["rules"].size(), 2U) << key;
  EXPECT_EQ(key["tier"], "free");
  EXPECT_EQ(key["rules"][1]["rule"], "5/day");
  EXPECT_EQ(key["rules"][1]["used"], 1);
  EXPECT_EQ(look.get(kMine + "?tier=pro")["rules"][0]["limit"], 100);
  expect_refusal(look.ask("GET", kMine + "?tier=gold"), 404);
}

TEST(AdminKeys, AreWrittenAsTheLimitCountsThem) {
  Proxy proxy(under_limit({{"rate", "3/day"}, {"per", {"header:X-Team", "route"}}, {"if_absent", "skip"}}));
  const Operator look(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get("/a", "X-Team: red/blue\r\n").status(), 200);
  const auto key = look.get("/api/v1/limits/x/keys/red%2Fblue%7C%2F%2A");
  EXPECT_EQ(key["key"], "red/blue|/*");
  EXPECT_EQ(key["rules"][0]["used"], 1);
  expect_refusal(look.ask("GET", "/api/v1/limits/y/keys/a"), 404);
  expect_refusal(look.ask("GET", "/api/v1/limits/x/keys/" + std::string(257, 'a')), 400);
  EXPECT_EQ(look.ask("GET", "/api/v1/limits/x/keys/%zz").status(), 400);
}

/// As the interface wants a key in a path.
std::string escaped(const std::string& key) {
  std::string out;
  for (const char c : key) out += c == '/' ? "%2F" : c == '.' ? "%2e" : std::string(1, c);
  return out;
}

TEST(AdminKeys, MayBeDotsAndSlashes) {
  for (const std::string key : {"..", ".", "../..", "a/../b", "a/./b", "../../../status", "..;x", "a//b", "%2e"}) {
    Proxy proxy(under_limit({{"rate", "2/day"}, {"per", "header:X-Team"}, {"if_absent", "skip"}}));
    const Operator operators(proxy.gateway.process());
    EXPECT_EQ(proxy.client().get("/", "X-Team: " + key + "\r\n").status(), 200);
    const auto path = "/api/v1/limits/x/keys/" + (key == "%2e" ? "%252e" : escaped(key));
    const auto seen = operators.get(path);
    ASSERT_TRUE(seen.is_object() && seen.contains("rules")) << key;
    EXPECT_EQ(seen.value("key", ""), key) << seen;
    EXPECT_EQ(seen["rules"][0]["used"], 1) << key;
    auto ran = run_headgate({"limits", "x", key, "--admin", operators.url()});
    EXPECT_TRUE(has(ran.out, key + " under x\n")) << ran.err;
    EXPECT_TRUE(has(ran.out, "2/day     1   2")) << ran.out;
    ran = run_headgate({"reset", "x", key, "--admin", operators.url()});
    EXPECT_TRUE(has(ran.out, "2/day     0   2")) << key << ran.out << ran.err;
    EXPECT_EQ(operators.ask("DELETE", path).status(), 200) << key;
  }
}

TEST(AdminKeys, AreOneSegmentOfThePathAsItIsSent) {
  Proxy proxy(under_limit({{"rate", "2/day"}, {"per", "header:X-Team"}, {"if_absent", "skip"}}));
  const Operator look(proxy.gateway.process());
  const std::string keys = "/api/v1/limits/x/keys/";
  EXPECT_EQ(look.get(keys + "..").value("key", ""), "..") << "nothing is resolved";
  expect_refusal(look.ask("GET", keys + "a/../b"), 404);
  expect_refusal(look.ask("GET", "/api/v1/../v1/status"), 404);
  expect_refusal(look.ask("GET", "/api%2Fv1/status"), 404);
  EXPECT_EQ(look.ask("GET", "/api/v%31/status").status(), 200) << "an escape is what it stands for";
  EXPECT_EQ(look.ask("GET", "//healthz").status(), 200) << "after a base URL that ends with a slash";
  for (const std::string wrong : {"a%00b", "%zz", "%2", "%", "a\\b", "a\"b"})
    EXPECT_EQ(look.ask("GET", keys + wrong).status(), 400) << wrong;
}

TEST(AdminKeys, InFlightAreShownButNotReset) {
  Proxy proxy(under_limit({{"in_flight", 2}, {"per", "client_ip"}}));
  const Operator operators(proxy.gateway.process());
  auto slow = proxy.client();
  slow.send(request("GET", "/", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  EXPECT_EQ(operators.get(kMine)["rules"][0]["used"], 1);
  expect_refusal(operators.ask("DELETE", kMine), 409);
  proxy.upstream.release();
  EXPECT_EQ(slow.read().status(), 200);
}

TEST(AdminKeys, InRedisAreOneForAllGateways) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const Json shared = {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}},
                       {"workers", 2}};
  const auto config = under_limit({{"rate", "2/day"}, {"per", "client_ip"}}, shared);
  Proxy one(config);
  Proxy other(config);
  const Operator first(one.gateway.process());
  for (const int status : {200, 200, 429}) EXPECT_EQ(one.client().get().status(), status);
  EXPECT_EQ(other.client().get().status(), 429);
  const auto key = Operator(other.gateway.process()).get(kMine);
  EXPECT_EQ(key["store"], "redis");
  EXPECT_EQ(key["rules"][0]["used"], 2);
  const auto answer = first.ask("DELETE", kMine);
  EXPECT_EQ(answer.status(), 200) << answer.body;
  EXPECT_EQ(Json::parse(answer.body)["reset"], true) << answer.body;
  // What a gateway knows of a rejection it believes for a second at most.
  const auto passes = [](const Proxy& proxy) {
    for (int i = 0; i < 100; ++i) {
      if (proxy.client().get().status() == 200) return true;
      std::this_thread::sleep_for(Milliseconds(20));
    }
    return false;
  };
  EXPECT_TRUE(passes(one));
  EXPECT_TRUE(passes(other));
}

TEST(AdminKeys, InShardsAreTheSumOfThemAndAreAllReset) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  Proxy proxy(under_limit(
      {{"rate", "16/day"}, {"per", "client_ip"}, {"shards", 4}},
      {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}}, {"workers", 2}}));
  const Operator look(proxy.gateway.process());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
  auto key = look.get(kMine);
  EXPECT_EQ(key["shards"], 4);
  EXPECT_EQ(key["rules"].size(), 1U);
  EXPECT_EQ(key["rules"][0]["rule"], "16/day");
  EXPECT_EQ(key["rules"][0]["limit"], 16);
  EXPECT_EQ(key["rules"][0]["used"], 5);
  EXPECT_EQ(key["rules"][0]["remaining"], 11);
  EXPECT_EQ(key["rules"][0]["next_request"], "allowed");
  int admitted = 5;
  for (int i = 0; i < 40; ++i) admitted += proxy.client().get().status() == 200 ? 1 : 0;
  key = look.get(kMine);
  EXPECT_EQ(key["rules"][0]["used"], admitted);
  EXPECT_EQ(key["rules"][0]["next_request"], admitted == 16 ? "rejected" : "allowed") << key;
  const auto answer = Json::parse(look.ask("DELETE", kMine).body);
  EXPECT_EQ(answer["reset"], true) << answer;
  EXPECT_EQ(answer["rules"][0]["used"], 0);
  EXPECT_EQ(look.get(kMine)["rules"][0]["remaining"], 16);
}

TEST(AdminKeys, SayThatRedisDoesNotAnswer) {
  const auto port = Socket::listen().local_port();
  Proxy proxy(under_limit({{"rate", "2/day"}, {"per", "client_ip"}},
                          {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(port)}}}}));
  const Operator look(proxy.gateway.process());
  ASSERT_EQ(proxy.client().get().status(), 200);
  expect_refusal(look.ask("GET", kMine), 503);
}

TEST(AdminKeys, AreShownAndResetByCommands) {
  Proxy proxy(under_limit({{"rate", "2/day"}, {"per", "client_ip"}}));
  const Operator operators(proxy.gateway.process());
  for (const int status : {200, 200, 429}) EXPECT_EQ(proxy.client().get().status(), status);
  auto ran = run_headgate({"limits", "x", "127.0.0.1", "--admin", operators.url()});
  EXPECT_THAT(ran.out, testing::MatchesRegex("127.0.0.1 under x\n"
                                             "rule   used  of  left  full in  the next request\n"
                                             "2/day     2   2     0  (1 d |23 h)     rejected for 1[12] h\n"))
      << ran.err;
  ran = run_headgate({"reset", "x", "127.0.0.1", "--admin", operators.url()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "2/day     0   2     2  0 s      allowed\n")) << ran.out;
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(AdminKeys, AreOnlyDigestsInTheLogOfChanges) {
  Proxy proxy(under_limit({{"rate", "2/day"}, {"per", "client_ip"}}, {{"log", {{"format", "json"}}}}));
  auto& process = proxy.gateway.process();
  EXPECT_EQ(Operator(process).ask("DELETE", "/api/v1/limits/x/keys/192.0.2.77").status(), 200);
  ASSERT_TRUE(process.wait_for_err([](const std::string& log) { return has(log, "name=x key=k_"); })) << process.err();
  EXPECT_EQ(process.err().find("192.0.2.77"), std::string::npos);
}

const Json kApiKeys = {
    {"api_key",
     {{"keys", {{"pro", {{"key", "0123456789abcdef"}, {"tier", "pro"}}}, {"friend", {{"key", "0123456789abcded"}}}}}}}};

TEST(AdminKeys, ThatReplaceAMissingOneAreNamedByWhatTheyCountBy) {
  Proxy proxy(
      under_limit({{"rate", "3/day"}, {"per", "api_key"}, {"if_absent", "client_ip"}}, {{"identity", kApiKeys}}));
  const Operator operators(proxy.gateway.process());
  for (int i = 0; i < 4; ++i) (void)proxy.client().get();
  const std::string mine = "/api/v1/limits/x/keys/client_ip%3D127.0.0.1";
  const auto key = operators.get(mine);
  EXPECT_EQ(key["key"], "client_ip=127.0.0.1");
  EXPECT_EQ(key["rules"][0]["used"], 3);
  EXPECT_EQ(operators.get(kMine)["rules"][0]["used"], 0) << "an owner of this name is somebody else";
  EXPECT_EQ(Json::parse(operators.ask("DELETE", mine).body)["reset"], true);
  EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_EQ(operators.ask("GET", "/api/v1/limits/x/keys/client_ip%3Dme").status(), 400);
}

TEST(AdminKeys, OfAKnownApiKeyAreOfItsOwnTier) {
  const Json tiers = {{"free", {{"rate", "2/day"}}}, {"pro", {{"rate", "100/day"}}}};
  Proxy proxy(under_limit({{"tiers", tiers},
                           {"tier_from", "api_key"},
                           {"default_tier", "free"},
                           {"per", "api_key"},
                           {"if_absent", "client_ip"}},
                          {{"identity", kApiKeys}}));
  const Operator look(proxy.gateway.process());
  const auto size = [&](const std::string& owner) {
    return look.get("/api/v1/limits/x/keys/" + owner)["rules"][0]["limit"];
  };
  EXPECT_EQ(size("pro"), 100);
  EXPECT_EQ(size("friend"), 2);
  EXPECT_EQ(size("nobody"), 2);
  EXPECT_EQ(size("pro?tier=free"), 2);
}

TEST(AdminKeys, OfWhoIsExemptAreNotCounted) {
  Proxy proxy(under_limit({{"rate", "3/day"}, {"per", "client_ip"}, {"exempt", {{"client_ip", {"127.0.0.0/8"}}}}}));
  const Operator operators(proxy.gateway.process());
  for (const char* method : {"GET", "DELETE"}) EXPECT_EQ(operators.ask(method, kMine).status(), 409);
}

TEST(AdminKeys, ThatAreSuspendedAreToldSo) {
  Proxy proxy(
      under_limit({{"rate", "1/day"}, {"per", "client_ip"}, {"ban", {{"after", 1}, {"within", "1m"}, {"for", "1h"}}}}));
  const Operator look(proxy.gateway.process());
  for (const int status : {200, 429, 429}) EXPECT_EQ(proxy.client().get().status(), status);
  const auto key = look.get(kMine);
  EXPECT_TRUE(key.contains("suspended_until"));
  EXPECT_EQ(key["rules"][0]["next_request"], "suspended");
  EXPECT_NEAR(key["rules"][0]["retry_after_seconds"].get<double>(), 3600, 10);
}

TEST(AdminKeys, OfALimitThatObservesPass) {
  Proxy proxy(under_limit({{"rate", "1/day"}, {"per", "client_ip"}, {"mode", "observe"}}));
  const Operator look(proxy.gateway.process());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_EQ(look.get(kMine)["rules"][0]["next_request"], "observed");
}

TEST(AdminKeys, ThatCannotExistAreRefused) {
  Proxy proxy(under_limit(
      {{"rate", "3/day"}, {"per", {"client_ip", "method"}}},
      {{"limits", {{"all", {{"rate", "9/day"}, {"per", "total"}}}}}, {"all_routes", {{"limits", {"x", "all"}}}}}));
  const Operator look(proxy.gateway.process());
  EXPECT_EQ(look.ask("GET", kMine).status(), 400);
  EXPECT_EQ(look.ask("GET", kMine + "%7CGET%7C").status(), 400);
  EXPECT_EQ(look.ask("GET", "/api/v1/limits/x/keys/nobody%7CGET").status(), 400);
  EXPECT_EQ(look.ask("GET", "/api/v1/limits/all/keys/x").status(), 400);
  EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_EQ(look.get(kMine + "%7CGET")["rules"][0]["used"], 1);
  EXPECT_EQ(look.get("/api/v1/limits/all/keys/total")["rules"][0]["used"], 1);
}

TEST(AdminKeys, OfAScaledLimitAreFoundByItsName) {
  Proxy proxy(under_limit(
      {{"rate", "8/day"}, {"per", "client_ip"}},
      {{"all_routes", {{"limits", Json::array()}}},
       {"routes",
        {{{"name", "half"}, {"path", "/*"}, {"to", "app"}, {"limits", {{{"use", "x"}, {"scale", "1/2"}}}}}}}}));
  const Operator operators(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_EQ(operators.get("/api/v1/limits/x")["scaled"], Json::array({"x@half"}));
  const auto limit = operators.get("/api/v1/limits/x@half");
  EXPECT_EQ(limit["means"], "1/2 of x, for the route half");
  EXPECT_EQ(limit["tiers"][0]["rules"][0]["rate"], "4/day");
  const auto key = operators.get("/api/v1/limits/x@half/keys/127.0.0.1");
  EXPECT_EQ(key["rules"][0]["limit"], 4);
  EXPECT_EQ(key["rules"][0]["used"], 1);
  const auto top = operators.get("/api/v1/limits/x@half/top?by=allowed");
  EXPECT_EQ(top["limit"], "x@half");
}

}  // namespace
}  // namespace headgate::test
