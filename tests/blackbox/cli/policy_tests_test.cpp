// headgate test: what a person and a CI see of policy tests.

#include "blackbox/harness/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace headgate::test {
namespace {

using testing::HasSubstr;

class PolicyTestFiles : public testing::Test {
 protected:
  PolicyTestFiles() : folder_(place_.path() + ".d") { std::filesystem::create_directory(folder_); }
  ~PolicyTestFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }

  const std::string config_ = R"({ "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
    "limits": { "per-ip": { "rate": "10/minute", "per": "client_ip" } },
    "routes": [{ "name": "all", "path": "/*", "to": "app", "limits": ["per-ip"] }] })";
  const std::string tests_ = R"({ "config": "headgate.json", "tests": [
  { "name": "ten <at> once", "steps": [{ "send": "GET /", "times": 11, "expect": { "allowed": 10, "rejected": 1 } }] },
  { "name": "eleven at once", "steps": [
    { "send": "GET /", "times": 11,
      "expect": { "allowed": 11, "status": 200 } }] }
] })";

 private:
  TemporaryFile place_{""};
  std::filesystem::path folder_;
};

TEST_F(PolicyTestFiles, ThatDoNotHoldAreShownAtTheirPlaceWithTheReason) {
  write("headgate.json", config_);
  const auto file = write("a.test.json", tests_);
  const auto ran = run_headgate({"test", in(""), "--junit", in("out.xml")});
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  ok      ten <at> once\n  FAILED  eleven at once\n"));
  EXPECT_THAT(ran.out, HasSubstr(file + ":5:30: error: expected 11 allowed, got 10 of 11; the 11th was the first that "
                                        "was not, it got 429 (limit) by limit per-ip, to come back in 6s "
                                        "[/tests/1/steps/0/expect/allowed]"));
  EXPECT_THAT(ran.out, HasSubstr("  right before the last of these 11 requests:\n  request   GET / at localhost\n"
                                 "  outcome   is refused with 429 (limit) by limit per-ip; passes in 6 s\n"));
  EXPECT_THAT(ran.out, HasSubstr(file + ":5:44: error: expected status 200, got 429 for the last request"));
  EXPECT_THAT(ran.out, HasSubstr("2 tests in 1 file: 1 does not hold\n"));
  const auto xml = text("out.xml");
  EXPECT_THAT(xml, HasSubstr(R"(<testsuites name="headgate" tests="2" failures="1" errors="0">)"));
  EXPECT_THAT(xml, HasSubstr(R"(<testcase name="ten &lt;at&gt; once")"));
  EXPECT_THAT(xml, HasSubstr(R"(<failure message=")" + file + ":5:30: expected 11 allowed"));
}

TEST_F(PolicyTestFiles, AreChosenByWordsOfTheirNamesAndPrintedAsJson) {
  write("headgate.json", config_);
  const auto file = write("a.test.json", tests_);
  const auto ran = run_headgate({"test", file, "--filter", "<at>", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto told = nlohmann::json::parse(ran.out);
  EXPECT_EQ(told["tests"], 1);
  EXPECT_EQ(told["failed"], 0);
  EXPECT_EQ(told["files"][0]["tests"][0]["requests"], 11);
  const auto none = run_headgate({"test", file, "--filter", "nobody"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("no test has \"nobody\" in its name"));
}

TEST_F(PolicyTestFiles, WithMistakesEndWithThreeAndTheOthersRun) {
  write("headgate.json", config_);
  write("a.test.json", tests_);
  write("b.test.json", R"({ "config": "missing.json", "tests": [{ "name": "x", "steps": [{ "wait": "1s" }] }] })");
  write("c.test.json", R"({ "config": "headgate.json", "tests": [{ "name": "x", "steps": [
    { "send": "GET /", "expect": { "limit": "per-pi" } }] }] })");
  write("d.test.json", R"({ "confg": "headgate.json" })");
  const auto ran = run_headgate({"test", in(""), "--junit", in("out.xml")});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("FAILED  eleven at once"));
  EXPECT_THAT(ran.out, HasSubstr("2 tests in 4 files: 1 does not hold; 3 files have mistakes\n"));
  EXPECT_THAT(ran.err, HasSubstr(in("b.test.json") + ":1:13: error: cannot read " + in("missing.json")));
  EXPECT_THAT(ran.err, HasSubstr("there is no limit \"per-pi\""));
  EXPECT_THAT(ran.err, HasSubstr("did you mean \"per-ip\"?"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean \"config\"?"));
  EXPECT_THAT(text("out.xml"), HasSubstr(R"(failures="1" errors="3")"));
}

TEST_F(PolicyTestFiles, AreCountedAsPeopleCount) {
  write("headgate.json", config_);
  const auto of = [](const std::string& expected) {
    return R"({ "config": "headgate.json", "tests": [{ "name": "one", "steps": [{ "send": "GET /", "expect": )" +
           expected + " }] }] }";
  };
  const auto holds = write("holds.test.json", of(R"({ "status": 200 })"));
  const auto fails = write("fails.test.json", of(R"({ "status": 201 })"));
  const auto broken = write("broken.test.json", "{");
  const auto last = [](const Words& words) {
    auto out = run_headgate(words).out;
    while (out.ends_with('\n')) out.pop_back();
    return out.substr(out.rfind('\n') + 1);
  };
  EXPECT_EQ(last({"test", holds}), "1 test in 1 file: it holds");
  EXPECT_EQ(last({"test", fails}), "1 test in 1 file: it does not hold");
  EXPECT_EQ(last({"test", holds, fails}), "2 tests in 2 files: 1 does not hold");
  EXPECT_EQ(last({"test", fails, fails}), "2 tests in 2 files: none holds");
  EXPECT_EQ(last({"test", broken}), "no test in 1 file; 1 file has mistakes");
}

TEST_F(PolicyTestFiles, MustBeThere) {
  EXPECT_EQ(run_headgate({"test", in("none.test.json")}).code, 3);
  const auto empty = run_headgate({"test", in("")});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("ends with .test.json"));
}

TEST(PolicyTestsOfExamples, HoldForTheRateLimitService) {
  const auto ran = run_headgate({"test", HEADGATE_SOURCE_DIR "/conf/rate_limit_service"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 tests in 1 file: all hold\n"));
}

}  // namespace
}  // namespace headgate::test
