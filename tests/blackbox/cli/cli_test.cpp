// The command line: its output, on which stream, and its exit codes.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

const std::string kMinimal = R"({
  "listen": "127.0.0.1:0",
  "upstreams": { "app": "http://127.0.0.1:1" },  // where requests go
  "limits": { "per-ip": { "rate": "100/minute", "per": "client_ip" } },
  "routes": [ { "path": "/*", "to": "app", "limits": ["per-ip"] } ],
}
)";

const std::string kWrong = R"({
  "listen": "127.0.0.1:0",
  "upstreams": { "app": "http://127.0.0.1:1" },
  "limits": { "per-ip": { "brust": 20, "rate": "100r/m", "per": "client_ip" } },
  "routes": [ { "path": "/*", "to": "app", "limits": ["per-pi"] } ]
}
)";

TEST(CommandLine, PrintsItsVersion) {
  const Ran ran = run_headgate({"version"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("headgate ")) << ran.out;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(run_headgate({"--version"}).out, ran.out);
  const Ran json = run_headgate({"version", "--json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_TRUE(Json::parse(json.out, nullptr, false).contains("version")) << json.out;
}

TEST(CommandLine, HelpsOnStandardOutput) {
  const Ran ran = run_headgate({"--help"});
  EXPECT_EQ(ran.code, 0);
  for (const char* command : {"run", "proxy", "echo", "check", "version"})
    EXPECT_TRUE(has(ran.out, command)) << command;
  EXPECT_EQ(run_headgate({"proxy", "--help"}).code, 0);
}

TEST(CommandLine, GuessesWhatAMistypedCommandMeant) {
  const Ran ran = run_headgate({"rnu"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "unknown command \"rnu\"; did you mean \"run\"?")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(CommandLine, NamesTheOptionThatItDoesNotKnow) {
  EXPECT_EQ(run_headgate({"--frob"}).err, "headgate: unknown option \"--frob\"; see headgate --help\n");
  EXPECT_EQ(run_headgate({"-x"}).err, "headgate: unknown option \"-x\"; see headgate --help\n");
  EXPECT_EQ(run_headgate({"--vresion"}).err, "headgate: unknown option \"--vresion\"; did you mean \"--version\"?\n");
  EXPECT_EQ(run_headgate({"keys", "--frob"}).err, "headgate: unknown option \"--frob\"; see headgate keys --help\n");
  EXPECT_EQ(run_headgate({"status", "--jsno"}).err, "headgate: unknown option \"--jsno\"; did you mean \"--json\"?\n");
  EXPECT_TRUE(has(run_headgate({}).err, "A subcommand is required")) << "where nothing is wrong but that";
}

/// Runs a line of a shell, in which $H is headgate.
Ran run_line(const std::string& line) {
  Process shell({"-c", line}, {"H=" HEADGATE_BINARY}, "/bin/bash");
  Ran out;
  out.code = shell.wait();
  out.out = shell.out();
  out.err = shell.err();
  return out;
}

TEST(CommandLine, SaysThatItsOutputCannotBeWritten) {
  const TemporaryFile file(kMinimal);
  const std::string config = " -c " + file.path();
  for (const std::string& words : {std::string("version"), std::string("--help"), std::string("--version"),
                                   std::string("help keys"), std::string("completion bash"), std::string("schema"),
                                   "check" + config, "routes --json" + config, "explain GET /x" + config}) {
    const auto ran = run_line("$H " + words + " > /dev/full");
    EXPECT_EQ(ran.code, 1) << words;
    EXPECT_TRUE(ran.err.starts_with("headgate: cannot write the output")) << words << ran.err;
  }
  EXPECT_EQ(run_line("$H version > /dev/full").err, "headgate: cannot write the output: No space left on device\n");
  Proxy proxy(Json{{"admin", {{"listen", "127.0.0.1:0"}}}});
  const auto admin = " --admin http://127.0.0.1:" + std::to_string(admin_port(proxy.gateway.process()));
  for (const std::string& words :
       {"limits" + admin, "status --json" + admin, "explain GET /x" + admin, "top --every 100ms" + admin}) {
    const auto ran = run_line("$H " + words + " > /dev/full");
    EXPECT_EQ(ran.code, 1) << words;
    EXPECT_TRUE(ran.err.starts_with("headgate: cannot write the output")) << words << ran.err;
    EXPECT_EQ(count_of(ran.err, "\n"), 1U) << words << ran.err;
  }
  const auto wrong = run_line("$H check -c /nowhere/x > /dev/full");
  EXPECT_EQ(wrong.code, run_headgate({"check", "-c", "/nowhere/x"}).code) << "what is wrong first is told";
}

TEST(CommandLine, IsQuietIfItsReaderHasLeft) {
  for (const std::string before : {"", "trap '' PIPE; "}) {
    const auto ran = run_line(before + "for i in 1 2 3; do $H schema | head -c 1 > /dev/null; done");
    EXPECT_EQ(ran.err, "") << before;
    EXPECT_EQ(ran.code, 0) << before;
  }
}

TEST(CommandLine, RefusesWhatItDoesNotKnowWith2) {
  for (const Words& words :
       std::vector<Words>{{},
                          {"zzzzzzzz"},
                          {"--nonsense"},
                          {"run", "--nonsense"},
                          {"proxy"},
                          {"proxy", "--to"},
                          {"check", "-c"},
                          {"proxy", "--to", "nonsense"},
                          {"proxy", "--to", "http://127.0.0.1:1", "--limit", "lots"},
                          {"proxy", "--to", "http://127.0.0.1:1", "--per", "nobody", "--limit", "5/second"},
                          {"proxy", "--to", "http://127.0.0.1:1", "--listen", "nowhere"},
                          {"echo", "--listen", ":99999"},
                          {"echo", "--delay", "5"},
                          {"echo", "--status", "42"},
                          {"check", "--format", "xml"}}) {
    const Ran ran = run_headgate(words);
    std::string line = "headgate";
    for (const auto& word : words) line += " " + word;
    EXPECT_EQ(ran.code, 2) << line << "\n" << ran.err;
    EXPECT_NE(ran.err, "") << line;
    EXPECT_EQ(ran.out, "") << line;
  }
}

TEST(Check, SaysWhatAValidFileMeans) {
  const TemporaryFile file(kMinimal);
  const Ran ran = run_headgate({"check", "-c", file.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, file.path() + " is valid: 1 listener, 1 upstream")) << ran.out;
  EXPECT_TRUE(has(ran.out, "per-ip")) << ran.out;
  EXPECT_EQ(ran.err, "");
}

TEST(Check, FindsEveryMistakeWithItsPlace) {
  const TemporaryFile file(kWrong);
  const Ran ran = run_headgate({"check", "-c", file.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, file.path() + ":4:27: error: unknown key \"brust\" [/limits/per-ip/brust]")) << ran.err;
  EXPECT_TRUE(has(ran.err, "did you mean \"burst\"?")) << ran.err;
  EXPECT_TRUE(has(ran.err, "\"100r/m\" is not a rate [/limits/per-ip/rate]")) << ran.err;
  EXPECT_TRUE(has(ran.err, "no limit is named \"per-pi\" [/routes/0/limits/0]")) << ran.err;
  EXPECT_TRUE(has(ran.err, "^~~~~~~")) << ran.err;
  EXPECT_TRUE(has(ran.err, "3 errors")) << ran.err;
}

TEST(Check, SpeaksJsonToEditors) {
  const TemporaryFile file(kWrong);
  const Ran ran = run_headgate({"check", "--format", "json", "-c", file.path()});
  EXPECT_EQ(ran.code, 3);
  const Json said = Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(said.is_object()) << ran.out;
  const Json& mistakes = said["diagnostics"];
  ASSERT_EQ(mistakes.size(), 3U) << ran.out;
  EXPECT_EQ(mistakes[0].value("line", 0), 4);
  EXPECT_EQ(mistakes[0].value("column", 0), 27);
  EXPECT_EQ(mistakes[0].value("pointer", ""), "/limits/per-ip/brust");
  EXPECT_EQ(mistakes[0].value("severity", ""), "error");
  const TemporaryFile good(kMinimal);
  const auto well = Json::parse(run_headgate({"check", "--format", "json", "-c", good.path()}).out, nullptr, false);
  EXPECT_EQ(well["diagnostics"], Json::array());
  ASSERT_EQ(well["routes"].size(), 1U) << well;
  EXPECT_EQ(well["routes"][0]["open_to"], Json::array({"anyone"}));
}

TEST(Check, NeverEndsInACrash) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("\0\0", 2),
        std::string("{\"a\":"), std::string("\xff\xfe{}"), std::string(100000, '['), std::string("{\"listen\": 1e999}"),
        std::string("/*"), std::string("{\"routes\": [{}]}"), std::string("{\"listen\": {\"listen\": {}}}")}) {
    const TemporaryFile file(text);
    const Ran ran = run_headgate({"check", "-c", file.path()});
    EXPECT_EQ(ran.code, 3) << visible(text) << ran.err;
    EXPECT_TRUE(has(ran.err, "error: ")) << visible(text) << ran.err;
    EXPECT_FALSE(has(ran.err, "Sanitizer")) << ran.err;
  }
}

TEST(Check, NamesAFileItCannotRead) {
  const Ran ran = run_headgate({"check", "-c", "/nonexistent/headgate.json"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "/nonexistent/headgate.json")) << ran.err;
}

TEST(Check, StrictlyTakesWarningsForErrors) {
  std::string unused = kMinimal;
  unused.replace(unused.find(", \"limits\": [\"per-ip\"]"), 22, "");
  const TemporaryFile file(unused);
  const Ran ran = run_headgate({"check", "-c", file.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "warning: ")) << ran.err;
  EXPECT_EQ(run_headgate({"check", "--strict", "-c", file.path()}).code, 3);
}

TEST(Check, GivesAdviceThatOnlyStrictFailsOn) {
  const std::string begin = R"({ "listen": ":1", "admin": { "listen": ":2", "token": "0123456789abcdef" },
    "routes": [{ "path": "/*", "respond": {} }])";
  const TemporaryFile file(begin + " }");
  const Ran ran = run_headgate({"check", "-c", file.path()});
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(has(ran.err, ":1:40: advice: administration is on every network of this machine")) << ran.err;
  EXPECT_TRUE(has(ran.err, "[/admin/listen] (open_admin)")) << ran.err;
  EXPECT_TRUE(has(ran.err, "\n1 piece of advice\n")) << ran.err;
  EXPECT_TRUE(has(ran.out, " is valid: ")) << ran.out;
  EXPECT_EQ(run_headgate({"check", "--strict", "-c", file.path()}).code, 3);
  const TemporaryFile accepted(begin + R"(, "accept_advice": ["open_admin /admin"] })");
  const Ran silent = run_headgate({"check", "--strict", "-c", accepted.path()});
  EXPECT_EQ(silent.code, 0);
  EXPECT_EQ(silent.err, "");
}

TEST(Fmt, LaysOutWhatComesFromAPipe) {
  const auto ran = run_line(R"(printf '{"a":1,// one\n"b":[ ]}' | $H fmt -)");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "{ \"a\": 1,  // one\n  \"b\": [] }\n");
  const auto bad = run_line(R"(printf '{"a" 1}' | $H fmt --check -)");
  EXPECT_EQ(bad.code, 3);
  EXPECT_TRUE(bad.err.starts_with("stdin:1:6: error: expected ':'")) << bad.err;
}

TEST(Schema, IsJson) {
  const Ran ran = run_headgate({"schema"});
  EXPECT_EQ(ran.code, 0);
  const Json schema = Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(schema.is_object()) << ran.out.substr(0, 300);
  EXPECT_TRUE(schema["properties"].contains("routes"));
}

}  // namespace
}  // namespace headgate::test
