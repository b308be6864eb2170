// headgate explain for calls of the rate limit service, and the same asked of a running gateway.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/real_server.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Json service(const Json& changes = Json::object()) {
  Json out = Json::parse(R"({
    "listen": { "address": "127.0.0.1:0", "protocol": "rate_limit_service" },
    "admin": { "listen": "127.0.0.1:0" },
    "identity": { "trusted_proxies": ["127.0.0.1/32"] },
    "limits": {
      "login": { "rate": "3/hour", "algorithm": "fixed_window", "per": "descriptor:remote_address" },
      "api": { "rate": "100/hour", "algorithm": "fixed_window", "per": "total" }
    },
    "decide": [
      { "domain": "edge", "match": { "generic_key": "login", "remote_address": "*" }, "limits": ["login"] },
      { "domain": "edge", "match": { "path": "/api/*" }, "limits": ["api"] }
    ],
    "routes": [{ "path": "/", "respond": { "status": 404 } }]
  })");
  out.merge_patch(changes);
  return out;
}

Json one_call() {
  return {{"domain", "edge"},
          {"descriptors",
           {{{"path", "/api/a"}}, {{"generic_key", "login"}, {"remote_address", "203.0.113.9"}}, {{"other", "1"}}}}};
}

TEST(ExplainedCalls, NameTheEntryAndTheLimitsOfEachDescriptor) {
  const TemporaryFile file(service().dump());
  const Ran ran =
      run_headgate({"explain", "-c", file.path(), "--domain", "edge", "--descriptor", "path=/api/a", "--descriptor",
                    "remote_address=203.0.113.9,generic_key=login", "--descriptor", "other=1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("call      of domain edge\n"
                                  "outcome   OK\n"
                                  "decides   1: path=/api/a: OK, by edge: path=/api/*\n"
                                  "          2: generic_key=login, remote_address=203.0.113.9: OK, by "
                                  "edge: generic_key=login, remote_address=*\n"
                                  "          3: other=1: OK and free, because no entry of \"decide\" counts it\n"
                                  "\nno.  limit  tier  key"))
      << ran.out;
  EXPECT_THAT(ran.out, testing::ContainsRegex("  2  login +203.0.113.9 +1  3/hour +0 +3 .* memory  allows\n"));
  EXPECT_THAT(ran.out, HasSubstr("No gateway was asked: all of every limit is left, and nobody is suspended.\n"));
}

TEST(ExplainedCalls, MayHaveHitsThatNeverFit) {
  const TemporaryFile file(service().dump());
  const Words words{
      "explain", "-c", file.path(), "--domain", "edge", "--descriptor", "generic_key=login,remote_address=10.0.0.1",
      "--hits",  "4"};
  EXPECT_THAT(run_headgate(words).out, StartsWith("call      of domain edge\noutcome   OVER_LIMIT by limit login\n"));
}

TEST(ExplainedCalls, OfOneKeyInTwoDescriptorsNeedPermitsForBoth) {
  const TemporaryFile file(service().dump());
  const std::string descriptor = "generic_key=login,remote_address=10.0.0.1";
  const Ran ran = run_headgate({"explain", "-c", file.path(), "--domain", "edge", "--descriptor", descriptor,
                                "--descriptor", descriptor, "--hits", "2", "--json"});
  const auto told = Json::parse(ran.out);
  EXPECT_EQ(told.at("outcome").at("code"), "OVER_LIMIT") << ran.err;
  EXPECT_EQ(told.at("outcome").at("passes"), false);
}

TEST(ExplainedCalls, TakeValuesWithAnySignAsJson) {
  const TemporaryFile file(service().dump());
  const auto entries = [&](const std::string& descriptor) {
    const Ran ran =
        run_headgate({"explain", "-c", file.path(), "--domain", "edge", "--descriptor", descriptor, "--json"});
    return ran.code == 0 ? Json::parse(ran.out).at("call").at("descriptors").at(0).at("descriptor") : Json(ran.err);
  };
  EXPECT_EQ(entries(R"({"path": "/api/a,b=c", "a=b": "{"})"), Json::parse(R"({"a=b": "{", "path": "/api/a,b=c"})"));
  EXPECT_EQ(entries("path=/api/?a=b,empty="), Json::parse(R"({"empty": "", "path": "/api/?a=b"})"));
}

TEST(ExplainedCalls, RefuseWhatIsNoDescriptorWith2) {
  const TemporaryFile file(service().dump());
  for (const std::string wrong : {"", "login", "=x", "a=1,", "a=1,b", "a=1,a=2", "{}", "{\"a\": 1}", "{\"a\"", "[]"}) {
    const Ran ran = run_headgate({"explain", "-c", file.path(), "--domain", "edge", "--descriptor", wrong});
    EXPECT_EQ(ran.code, 2) << wrong;
    EXPECT_THAT(ran.err, HasSubstr("headgate")) << wrong;
  }
  EXPECT_EQ(run_headgate({"explain", "-c", file.path(), "--domain", "edge"}).code, 2);
  EXPECT_EQ(run_headgate({"explain", "-c", file.path(), "--descriptor", "a=1"}).code, 2);
  EXPECT_EQ(run_headgate({"explain", "-c", file.path(), "--domain", "edge", "--descriptor", "a=1", "--hits", "0"}).code,
            2);
  EXPECT_EQ(run_headgate({"explain", "GET", "/", "-c", file.path(), "--domain", "e", "--descriptor", "a=1"}).code, 2);
}

TEST(ExplainedCalls, AreReadFromTheBodyOfTheAdminInterface) {
  Gateway gateway(service());
  const Operator look(gateway.process());
  for (const char* const body :
       {R"({"domain": "edge"})", R"({"descriptors": [{"a": "1"}]})", R"({"domain": "", "descriptors": [{"a": "1"}]})",
        R"({"domain": "edge", "descriptors": []})", R"({"domain": "edge", "descriptors": [{}]})",
        R"({"domain": "edge", "descriptors": [{"a": 1}]})", R"({"domain": "edge", "descriptors": {"a": "1"}})",
        R"({"domain": "edge", "descriptors": [{"a": "1"}], "hits": 0})",
        R"({"domain": "edge", "descriptors": [{"a": "1"}], "hits": 4294967296})",
        R"({"domain": "edge", "descriptors": [{"a": "1"}], "url": "/"})"}) {
    SCOPED_TRACE(body);
    expect_refusal(look.ask("POST", "/api/v1/explain", body), 400);
  }
  Json many = {{"domain", "edge"}, {"descriptors", Json::array()}};
  for (int i = 0; i < 33; ++i) many["descriptors"].push_back({{"path", "/api/" + std::to_string(i)}});
  const auto answer = look.ask("POST", "/api/v1/explain", many.dump());
  EXPECT_EQ(Json::parse(answer.body).at("outcome").at("code"), "INVALID_ARGUMENT") << answer.body;
}

TEST(ExplainedCalls, OfASuspendedKeySaySo) {
  Gateway gateway(service());
  const auto admin = Operator(gateway.process()).url();
  const Ran added = run_headgate({"suspensions", "add", "login", "203.0.113.9", "--for", "10m", "--admin", admin});
  ASSERT_EQ(added.code, 0) << added.err;
  const Words words{"explain",  "--admin",      admin,
                    "--domain", "edge",         "--descriptor",
                    "path=/a",  "--descriptor", "generic_key=login,remote_address=203.0.113.9"};
  const Ran ran = run_headgate(words);
  EXPECT_THAT(ran.out, HasSubstr("outcome   OVER_LIMIT by limit login; passes in 10 min\n")) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("  2  login .* suspended for 10 min\n"));
  auto as_json = words;
  as_json.emplace_back("--json");
  EXPECT_EQ(Json::parse(run_headgate(as_json).out).at("outcome").at("ended_by"), "ban");
}

/// A running service that is asked what the next call gets.
class ForetoldCalls : public testing::Test {
 protected:
  void SetUp() override {
    Process probe({"-c", "import grpc"}, {}, kPython);
    if (probe.wait(std::chrono::seconds(30)) != 0) GTEST_SKIP() << "no grpc for " << kPython;
  }
  static void expect_foretold(const Json& changes, const std::string& store) {
    Gateway gateway(service(changes));
    const Operator look(gateway.process());
    for (int used = 0; used < 5; ++used) {
      Json told;
      for (int i = 0; i < 2; ++i)  // the question takes nothing
        told = Json::parse(look.ask("POST", "/api/v1/explain", one_call().dump()).body);
      const auto& descriptors = told.at("call").at("descriptors");
      EXPECT_EQ(descriptors.at(0).at("entry"), "edge: path=/api/*");
      EXPECT_TRUE(descriptors.at(2).at("entry").is_null());
      const auto& login = descriptors.at(1).at("limits").at(0);
      EXPECT_EQ(login.at("key"), "203.0.113.9");
      EXPECT_EQ(login.at("counted_in"), store);
      EXPECT_EQ(login.at("rules").at(0).at("used"), std::min(used, 3)) << told;
      EXPECT_EQ(descriptors.at(0).at("limits").at(0).at("rules").at(0).at("used"), std::min(used, 3))
          << "a call that is over a limit takes nothing";
      const std::string code = used < 3 ? "OK" : "OVER_LIMIT";
      EXPECT_EQ(told.at("outcome").at("code"), code);
      EXPECT_EQ(descriptors.at(1).at("code"), code);
      EXPECT_EQ(told.at("outcome").contains("retry_after"), used >= 3);
      Process asking({HEADGATE_SOURCE_DIR "/tests/blackbox/clients/rate_limit.py", std::to_string(gateway.port()), "1",
                      "edge", "path=/api/a", "generic_key=login,remote_address=203.0.113.9", "other=1"},
                     {}, kPython);
      ASSERT_EQ(asking.wait(std::chrono::seconds(60)), 0) << asking.err();
      EXPECT_THAT(asking.out(), StartsWith(code + "; OK api"));
    }
  }
};

TEST_F(ForetoldCalls, GetWhatWasForetold) { expect_foretold(Json::object(), "memory"); }

TEST_F(ForetoldCalls, GetWhatWasForetoldWithRedis) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  expect_foretold({{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "1s"}}},
                   {"limits", {{"login", {{"store", "redis"}}}, {"api", {{"store", "redis"}}}}}},
                  "redis");
}

TEST_F(ForetoldCalls, FailIfRedisIsDownAndTheirLimitThenRejects) {
  Gateway gateway(service({{"redis", {{"url", "redis://127.0.0.1:1"}, {"timeout", "100ms"}}},
                           {"limits", {{"login", {{"store", "redis"}, {"if_redis_down", "reject"}}}}}}));
  const auto admin = Operator(gateway.process()).url();
  const Ran ran = run_headgate(
      {"explain", "--admin", admin, "--domain", "edge", "--descriptor", "generic_key=login,remote_address=1"});
  EXPECT_THAT(ran.out, HasSubstr("outcome   UNAVAILABLE by limit login")) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Redis does not answer."));
}

}  // namespace
}  // namespace headgate::test
