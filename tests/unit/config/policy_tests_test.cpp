// Files of policy tests: what they say, and each mistake in them with its place.

#include "headgate/config/policy_tests.hpp"

#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace headgate::config {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string mistakes(std::string_view source) {
  const auto loaded = load_policy_tests(source);
  EXPECT_FALSE(loaded.file.has_value()) << source;
  return render_text(loaded.diagnostics, "t", source);
}

std::string of_step(const std::string& step) {
  return R"({ "config": "c.json", "tests": [{ "name": "n", "steps": [)" + step + "] }] }";
}

SendStep sent(const std::string& step) {
  const auto source = of_step(step);
  const auto loaded = load_policy_tests(source, "folder");
  EXPECT_TRUE(loaded.file) << render_text(loaded.diagnostics, "t", source);
  return loaded.file ? std::get<SendStep>(loaded.file->tests.at(0).steps.at(0).what) : SendStep();
}

TEST(PolicyTestFiles, AreReadWithThePlacesOfTheirExpectations) {
  const std::string source = R"({
  // comments and trailing commas as everywhere
  "config": "c.json",
  "tests": [{ "name": "first", "start": "2026-05-01T12:00:00Z", "steps": [
    { "wait": "6s" }, { "redis": "down" },
    { "send": "GET /", "expect": { "allowed": 1,
                                   "headers": { "X-A": "b", "X-B": false } } },
  ] }] })";
  const auto loaded = load_policy_tests(source, "folder");
  ASSERT_TRUE(loaded.file) << render_text(loaded.diagnostics, "t", source);
  EXPECT_EQ(loaded.file->config.value, "folder/c.json");
  const auto& test = loaded.file->tests.at(0);
  EXPECT_EQ(test.name.value, "first");
  EXPECT_EQ(test.start.time_since_epoch(), seconds(1'777'636'800));
  EXPECT_EQ(std::get<WaitStep>(test.steps.at(0).what).time, seconds(6));
  EXPECT_FALSE(std::get<RedisStep>(test.steps.at(1).what).up);
  const auto& expect = std::get<SendStep>(test.steps.at(2).what).expect;
  EXPECT_EQ(expect.allowed->place.line, 6U);
  EXPECT_EQ(expect.allowed->place.column, 47U);
  EXPECT_EQ(expect.allowed->place.pointer, "/tests/0/steps/2/expect/allowed");
  ASSERT_EQ(expect.fields.size(), 2U);
  EXPECT_EQ(std::get<std::string>(expect.fields[0].value), "b");
  EXPECT_FALSE(std::get<bool>(expect.fields[1].value));
  EXPECT_EQ(expect.fields[1].place.line, 7U);
}

TEST(PolicyTestFiles, DivideARequestIntoItsParts) {
  const auto whole = sent(R"({ "send": "PUT https://a.example:8443/x/y?z=1#f", "times": 3, "body": "2KiB",
    "ip": "2001:db8::1", "headers": { "A": "1", "B": ["2", "3"] },
    "answer": { "status": 404, "after": "1s", "body": "1kB", "headers": { "C": "4" } } })");
  EXPECT_EQ(whole.method, "PUT");
  EXPECT_EQ(whole.tls, true);
  EXPECT_EQ(whole.host, "a.example:8443");
  EXPECT_EQ(whole.path, "/x/y");
  EXPECT_EQ(whole.query, "?z=1");
  EXPECT_EQ(whole.times, 3U);
  EXPECT_EQ(whole.bytes, 2048U);
  EXPECT_THAT(whole.fields, ElementsAre(Pair("A", "1"), Pair("B", "2"), Pair("B", "3")));
  EXPECT_EQ(whole.answer.status, 404U);
  EXPECT_EQ(whole.answer.after, seconds(1));
  EXPECT_EQ(whole.answer.bytes, 1000U);
  EXPECT_THAT(whole.answer.fields, ElementsAre(Pair("C", "4")));
  EXPECT_EQ(sent(R"({ "send": "GET http://a.example?z" })").path, "/");
  EXPECT_EQ(sent(R"({ "send": "GET /x" })").tls, std::nullopt);
}

TEST(PolicyTestFiles, HaveClaimsOfAnyType) {
  EXPECT_EQ(
      sent(R"({ "send": "GET /", "claims": { "a": { "b": [1, "é\n", true, null,], }, /* c */ "d": -1.5e3 } })").claims,
      "{\"a\":{\"b\":[1,\"é\\u000a\",true,null]},\"d\":-1.5e3}");
}

TEST(PolicyTestFiles, MayHaveCallsOfTheRateLimitService) {
  const auto step = sent(R"({ "domain": "edge", "descriptors": [{ "b": "1", "a": "x,y=z" }, { "c": "" }], "hits": 5,
    "times": 2, "expect": { "allowed": 1, "code": "OVER_LIMIT", "codes": ["OK", "OVER_LIMIT"] } })");
  ASSERT_TRUE(step.call);
  EXPECT_EQ(step.call->domain, "edge");
  ASSERT_EQ(step.call->descriptors.size(), 2U);
  EXPECT_THAT(step.call->descriptors[0].entries, ElementsAre(Pair("a", "x,y=z"), Pair("b", "1")));
  EXPECT_THAT(step.call->descriptors[1].entries, ElementsAre(Pair("c", "")));
  EXPECT_EQ(step.call->hits, 5U);
  EXPECT_EQ(step.times, 2U);
  EXPECT_EQ(step.expect.code->value, "OVER_LIMIT");
  EXPECT_THAT(step.expect.codes->value, ElementsAre("OK", "OVER_LIMIT"));
}

TEST(PolicyTestFiles, DivideKeysBetweenRequestsAndCalls) {
  EXPECT_THAT(mistakes(of_step(R"({ "domain": "edge" })")), HasSubstr("the call has no descriptors"));
  EXPECT_THAT(mistakes(of_step(R"({ "domain": "edge", "descriptors": [{ "a": "1" }], "ip": "192.0.2.1" })")),
              HasSubstr("\"ip\" says something of a request"));
  EXPECT_THAT(mistakes(of_step(R"({ "send": "GET /", "hits": 2 })")),
              HasSubstr("\"hits\" says something of a call of the rate limit service"));
  EXPECT_THAT(mistakes(of_step(R"({ "send": "GET /", "expect": { "code": "OK" } })")),
              HasSubstr("\"code\" describes an answer of the rate limit service"));
  EXPECT_THAT(mistakes(of_step(R"({ "domain": "edge", "descriptors": [{ "a": "1" }], "expect": { "status": 429 } })")),
              HasSubstr("\"status\" does not describe an answer of the rate limit service"));
  for (const char* const step :
       {R"({ "domain": "", "descriptors": [{ "a": "1" }] })", R"({ "domain": "edge", "descriptors": [] })",
        R"({ "domain": "edge", "descriptors": [{}] })", R"({ "domain": "edge", "descriptors": [{ "a": 1 }] })",
        R"({ "domain": "edge", "descriptors": [{ "a": "1" }], "hits": 0 })",
        R"({ "domain": "edge", "descriptors": [{ "a": "1" }], "hits": 4294967296 })",
        R"({ "domain": "edge", "descriptors": [{ "a": "1" }], "expect": { "code": "429" } })",
        R"({ "domain": "edge", "send": "GET /", "descriptors": [{ "a": "1" }] })"})
    EXPECT_THAT(mistakes(of_step(step)), HasSubstr("error")) << step;
}

TEST(PolicyTestFiles, NameEveryMistakeAtOnce) {
  const auto told = mistakes(R"({ "config": "c.json", "tests": [
    { "name": "a", "steps": [{ "sent": "GET /" }, { "wait": "6" }, { "send": "GET" }, { "redis": "gone" }] },
    { "name": "a", "steps": [{ "wait": "1s", "times": 2 }, { "send": "GET /", "expect": { "statsu": 429 } }, {}] } ] })");
  EXPECT_THAT(told, HasSubstr("t:2:32: error: unknown key \"sent\" [/tests/0/steps/0/sent]"));
  EXPECT_THAT(told, HasSubstr("did you mean \"send\"?"));
  EXPECT_THAT(told, HasSubstr("t:2:61: error: \"6\" has no unit"));
  EXPECT_THAT(told, HasSubstr("\"GET\" is not a request"));
  EXPECT_THAT(told, HasSubstr("\"gone\" is not one of: down, up"));
  EXPECT_THAT(told, HasSubstr("the test at 2:15 has this name too"));
  EXPECT_THAT(told, HasSubstr("\"times\" says something of a request"));
  EXPECT_THAT(told, HasSubstr("did you mean \"status\"?"));
  EXPECT_THAT(told, HasSubstr("\"send\", \"domain\", \"wait\" or \"redis\" is missing here"));
  EXPECT_THAT(told, HasSubstr("8 errors"));
}

TEST(PolicyTestFiles, AreBounded) {
  EXPECT_THAT(mistakes(of_step(R"({ "send": "GET /", "times": 1000000000000 })")), HasSubstr("from 1 to 1000000"));
  EXPECT_THAT(mistakes(of_step(R"({ "send": "GET /", "times": 0 })")), HasSubstr("from 1 to 1000000"));
  EXPECT_THAT(mistakes(of_step(R"({ "wait": "365000d" })")), HasSubstr("366"));
  EXPECT_THAT(mistakes(of_step(R"({ "send": "GET /", "headers": { "A": "b\r\nC: d" } })")),
              HasSubstr("cannot be the value of a field"));
  EXPECT_THAT(mistakes(of_step(R"({ "send": "GET /", "ip": "300.1.1.1" })")), HasSubstr("is not an address"));
  EXPECT_THAT(mistakes(R"({ "config": "c", "tests": [{ "name": "n", "start": "2026-01-01", "steps": [] }] })"),
              HasSubstr("is not a moment"));
  EXPECT_THAT(mistakes(std::string(9UL << 20U, ' ')), HasSubstr("at most 8 MiB"));
  EXPECT_THAT(mistakes("[]"), HasSubstr("is an object"));
  EXPECT_THAT(mistakes(""), HasSubstr("error"));
}

TEST(PolicyTestFiles, ThatAreBrokenAnywhereAreOnlyReported) {
  const auto whole = content(source_path("conf/examples/identity.test.json"));
  for (std::size_t cut = 0; cut + 1 < whole.size(); cut += 23) {
    EXPECT_FALSE(load_policy_tests(whole.substr(0, cut)).file) << cut;
    auto other = whole;
    other[cut] = "{}[]\",:0\\\x80"[cut % 10];
    const auto loaded = load_policy_tests(other);
    EXPECT_TRUE(loaded.file || !loaded.diagnostics.empty()) << cut;
  }
}

constexpr std::string_view kConfig = R"({
  "listen": ":1", "upstreams": { "app": "http://127.0.0.1:1" },
  "limits": { "per-ip": { "rate": "1/s", "per": "client_ip" } },
  "routes": [{ "name": "things", "path": "/*", "to": "app", "limits": ["per-ip"] }] })";

TEST(PolicyTestFiles, NameWhatTheirConfigurationHas) {
  const auto config = load(kConfig);
  ASSERT_TRUE(config.config);
  const auto source = of_step(R"({ "redis": "down" },
    { "send": "GET /", "claims": {}, "api_key_owner": "acme", "expect": { "limit": "per-pi", "route": "thing", "upstream": "b" } },
    { "send": "GET /", "expect": { "limit": "failed-authentication", "route": "things", "upstream": "app" } })");
  const auto loaded = load_policy_tests(source);
  ASSERT_TRUE(loaded.file);
  const auto told = render_text(check_names(*loaded.file, *config.config, {}), "t", source);
  EXPECT_THAT(told, HasSubstr("this configuration counts nothing in Redis"));
  EXPECT_THAT(told, HasSubstr("verifies no token"));
  EXPECT_THAT(told, HasSubstr("this configuration knows no API keys"));
  EXPECT_THAT(told, HasSubstr("there is no limit \"per-pi\""));
  EXPECT_THAT(told, HasSubstr("did you mean \"things\"?"));
  EXPECT_THAT(told, HasSubstr("there is no upstream \"b\""));
  EXPECT_THAT(told, HasSubstr("6 errors"));
}

TEST(PolicyTestFiles, HaveASchemaThatIsShipped) {
  EXPECT_EQ(content(source_path("conf/headgate.test.schema.json")), policy_tests_schema())
      << "write it anew: ./dev docs reference";
  const auto schema = nlohmann::json::parse(policy_tests_schema());
  EXPECT_EQ(schema["required"].dump(), R"(["config","tests"])");
  EXPECT_EQ(schema["$defs"]["step"]["oneOf"].size(), 4U);
  EXPECT_EQ(schema["$defs"]["step"]["properties"]["claims"]["type"], "object");
}

TEST(PolicyTestFiles, HaveTheirWordsInTheirPage) {
  EXPECT_THAT(content(source_path("docs/policy_tests.md")),
              HasSubstr("<!-- generated: begin -->\n" + policy_tests_reference() + "<!-- generated: end -->"))
      << "write it anew: ./dev docs reference";
}

TEST(PolicyTestFiles, StandBesideEveryExample) {
  for (const auto& example : shipped_configurations()) {
    auto tests = example;
    tests.replace_extension(".test.json");
    EXPECT_TRUE(std::filesystem::exists(tests)) << tests;
  }
}

}  // namespace
}  // namespace headgate::config
