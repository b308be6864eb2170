// headgate explain --request-id: the story of requests that a real gateway has logged, compared with what clients saw.

#include "blackbox/harness/gateway.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace headgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json with_log(const Json& log) {
  return {{"log", log},
          {"instance", "edge-1"},
          {"limits", {{"x", {{"rate", "2/day"}, {"per", "client_ip"}}}}},
          {"all_routes", {{"limits", {"x"}}}}};
}

/// Three requests, of which the last one is rejected, and the log of them.
class PastRequests : public testing::Test {
 protected:
  explicit PastRequests() = default;
  void make(const Json& log) {
    Proxy proxy(with_log(log));
    auto client = proxy.client();
    for (const char* path : {"/a?token=secret", "/b", "/c"}) answers.push_back(client.get(path));
    server = "http://127.0.0.1:" + std::to_string(proxy.upstream.port());
    EXPECT_EQ(proxy.gateway.terminate(), 0);
    text = proxy.gateway.process().out();
    file = std::make_unique<TemporaryFile>(text, "access.log");
  }
  static std::string id_of(const Message& answer) { return answer.value("X-Request-Id"); }
  Ran explain(const std::string& id, Words more = {}) const {
    Words words = {"explain", "--request-id", id, "--log", file->path()};
    words.insert(words.end(), more.begin(), more.end());
    return run_headgate(words);
  }
  void expect_the_story() {
    ASSERT_EQ(answers[1].status(), 200);
    ASSERT_EQ(answers[2].status(), 429);
    const Ran passed = explain(id_of(answers[1]));
    EXPECT_EQ(passed.code, 0) << passed.err;
    EXPECT_THAT(passed.out, AllOf(HasSubstr("request   GET /b at "),
                                  HasSubstr(" on edge-1\noutcome   passed, and the upstream answered 200\n"
                                            "route     /*, to upstream app\ncaller    127.0.0.1\nserver    "),
                                  HasSubstr(" ms in all"), HasSubstr("allowed"), Not(HasSubstr("Not in the record"))));
    const Ran rejected = explain(id_of(answers[2]));
    EXPECT_THAT(rejected.out, AllOf(HasSubstr("request   GET /c at "),
                                    HasSubstr("outcome   was refused with 429 (limit) by limit x; was told to wait "),
                                    HasSubstr("route     /*, no server was asked\n"), HasSubstr("rejected"),
                                    Not(HasSubstr("\nserver"))));
    const Ran json = explain(id_of(answers[2]), {"--json"});
    const auto told = Json::parse(json.out);
    ASSERT_EQ(told.at("requests").size(), 1U);
    const auto& one = told["requests"][0];
    EXPECT_EQ(one.at("outcome").at("retry_after").dump(), answers[2].value("Retry-After"));
    EXPECT_EQ(one.at("outcome").at("status"), 429);
    EXPECT_EQ(one.at("outcome").at("passed"), false);
    EXPECT_EQ(one.at("limits")[0].at("remaining").dump(), answers[2].value("X-RateLimit-Remaining"));
    EXPECT_EQ(one.at("limits")[0].at("counted_in"), "memory");
    EXPECT_EQ(one.at("attempts"), 0);
    EXPECT_EQ(one.at("missing"), Json::array());
    EXPECT_EQ(told.at("lines"), 3);
    const auto first = Json::parse(explain(id_of(answers[0]), {"--json"}).out).at("requests").at(0);
    EXPECT_EQ(first.at("limits")[0].at("remaining").dump(), answers[0].value("X-RateLimit-Remaining"));
    EXPECT_EQ(first.at("attempts"), 1);
    EXPECT_THAT(server, HasSubstr(first.at("server").get<std::string>()));
    EXPECT_EQ(first.at("request").at("path"), "/a");
  }

  std::vector<Message> answers;
  std::string server, text;
  std::unique_ptr<TemporaryFile> file;
};

TEST_F(PastRequests, AreToldAsTheirClientsSawThem) {
  make({{"format", "json"}});
  expect_the_story();
}

TEST_F(PastRequests, AreToldFromEcs) {
  make({{"format", "ecs"}});
  expect_the_story();
}

TEST_F(PastRequests, AreLookedForInAllFilesAndInStandardInput) {
  make({{"format", "json"}});
  const TemporaryFile other("not JSON\n", "other.log");
  const auto id = id_of(answers[1]);
  const Ran both = run_headgate({"explain", "--request-id", id, "--log", other.path(), file->path(), file->path()});
  EXPECT_THAT(both.out, HasSubstr("Skipped 1 of 7 lines, which are not JSON.\n")) << both.err;
  EXPECT_THAT(both.out, Not(HasSubstr("----"))) << "a line that came twice is told once";
  const auto command = std::string(HEADGATE_BINARY) + " explain --request-id " + id + " --log - < " + file->path();
  auto* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string out(4096, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), pipe));
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_THAT(out, HasSubstr("request   GET /b at "));
}

TEST_F(PastRequests, ThatTheLogLacksAreNoSuccess) {
  make({{"format", "json"}});
  const Ran none = explain("ANOTHER");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, AllOf(HasSubstr("request ANOTHER is not in the log (3 lines)"), HasSubstr("log.keep_ok")));
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(explain("no such\nid").code, 2);
  EXPECT_EQ(run_headgate({"explain", "--request-id", "A", "--log", "/no/such/file"}).code, 1);
  EXPECT_EQ(run_headgate({"explain", "--request-id", "A"}).code, 2) << "which log?";
  EXPECT_EQ(run_headgate({"explain", "GET", "/", "--request-id", "A", "--log", file->path()}).code, 2);
  const TemporaryFile packed("\x1f\x8b\x08", "access.log.gz");
  const Ran compressed = run_headgate({"explain", "--request-id", "A", "--log", packed.path()});
  EXPECT_EQ(compressed.code, 1);
  EXPECT_THAT(compressed.err, HasSubstr("zcat FILE |"));
}

TEST_F(PastRequests, InOtherFormatsCannotBeToldAndThatIsSaid) {
  make({{"format", "text"}});
  const Ran text_line = explain(id_of(answers[1]));
  EXPECT_EQ(text_line.code, 1);
  EXPECT_THAT(text_line.err, AllOf(HasSubstr("in the format text"), HasSubstr("set log.format to json or ecs")));
  answers.clear();
  make({{"format", "combined"}});
  const Ran combined = explain(id_of(answers[1]));
  EXPECT_EQ(combined.code, 1);
  EXPECT_THAT(combined.err, AllOf(HasSubstr("3 of them not JSON"), HasSubstr("formats json and ecs")));
}

TEST_F(PastRequests, WithFewFieldsSayWhichAreMissing) {
  make({{"format", "json"}, {"fields", {"request_id", "status", "ended_by"}}});
  const Ran few = explain(id_of(answers[2]));
  EXPECT_EQ(few.code, 0) << few.err;
  EXPECT_THAT(few.out,
              AllOf(HasSubstr("outcome   was refused with 429 (limit)\n"),
                    HasSubstr("Not in the record, because log.fields leaves it out: ts "), HasSubstr(" limit.\n")));
  answers.clear();
  make({{"format", "json"}, {"fields", {"status", "limit", "decision"}}});
  const Ran nameless = explain(id_of(answers[2]));
  EXPECT_EQ(nameless.code, 1);
  EXPECT_THAT(nameless.err, HasSubstr("the field request_id is missing in these lines"));
}

TEST_F(PastRequests, SayHowManyLinesWereLeftOutBefore) {
  Proxy proxy(with_log({{"format", "json"}, {"refusals_every", "1s"}}));
  auto client = proxy.client();
  Message last;
  for (int i = 0; i < 200 && last.status() != 200; ++i) last = client.get("/");
  for (int i = 0; i < 6; ++i) client.get("/");
  std::this_thread::sleep_for(Milliseconds(1250));  // the file's own clock decides
  last = client.get("/");
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  const TemporaryFile log(proxy.gateway.process().out(), "access.log");
  const Ran ran = run_headgate({"explain", "--request-id", id_of(last), "--log", log.path()});
  EXPECT_THAT(ran.out, HasSubstr("\nBefore it, lines of 4 requests like it were left out of the log.\n")) << ran.err;
}

}  // namespace
}  // namespace headgate::test
