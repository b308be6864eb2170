// headgate simulate: what it prints, and how it ends.

#include "blackbox/harness/process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace headgate::test {
namespace {

constexpr const char* kPolicy = R"({
  "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" }, "memory": { "max_keys": 10000 },
  "limits": { "per-ip": { "rate": "5/minute", "per": "client_ip" } },
  "routes": [ { "path": "/*", "to": "app", "limits": ["per-ip"] } ]
})";

/// A folder with a policy, another one, and a log of twenty lines, of which one cannot be read.
struct Simulates : testing::Test {
  Simulates() {
    char name[] = "/tmp/headgate_simulate_XXXXXX";
    folder = ::mkdtemp(name);
    write("policy.json", kPolicy);
    write("other.json", std::regex_replace(std::string(kPolicy), std::regex("5/minute"), "8/minute"));
    std::string log;
    for (int i = 0; i < 20; ++i) {
      const auto second = (i < 10 ? "0" : "") + std::to_string(i);
      log += i == 7 ? "<script>\x1b[2J\n"
                    : "192.0.2." + std::string(i % 2 == 0 ? "1" : "2") + " - - [24/Nov/2026:09:00:" + second +
                          " +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"curl\"\n";
    }
    write("access.log", log);
  }
  ~Simulates() override { std::system(("rm -r " + folder).c_str()); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  }
  std::string path(const std::string& name) const { return folder + "/" + name; }
  /// With the policy and the log, and these words.
  int run(Words more) {
    Words words{"simulate", "-c", path("policy.json"), "--log", path("access.log")};
    words.insert(words.end(), more.begin(), more.end());
    return run_only(words);
  }
  int run_only(const Words& words) {
    Process process(words);
    const int code = process.wait();
    out = process.out();
    err = process.err();
    EXPECT_EQ(process.sanitizer_report(), "");
    return code;
  }

  std::string folder;
  std::string out;
  std::string err;
};

TEST_F(Simulates, ALogAndTellsWhoWouldBeRejected) {
  ASSERT_EQ(run({"--json", "--html", path("report.html"), "--suggest", "0%", "--compare", path("other.json"),
                 "--assert", "rejected(limit=per-ip) < 60%", "--assert", "rejected(key=192.0.2.1) == 4"}),
            0)
      << err;
  const auto json = nlohmann::json::parse(out);
  EXPECT_EQ(json["requests"], 19);
  EXPECT_EQ(json["unread"], 1);
  EXPECT_EQ(json["from"], "2026-11-24T09:00:00Z");
  EXPECT_EQ(json["until"], "2026-11-24T09:00:19Z");
  const auto& limit = json["limits"][0];
  EXPECT_EQ(limit["name"], "per-ip");
  EXPECT_EQ(limit["tiers"][0]["name"], "");
  EXPECT_EQ(limit["tiers"][0]["requests"], 19);
  EXPECT_EQ(limit["tiers"][0]["keys"], 2);
  EXPECT_EQ(limit["tiers"][0]["keys_rejected"], 2);
  EXPECT_EQ(limit["worst"][0]["key"], "192.0.2.1");
  EXPECT_EQ(limit["worst"][0]["requests"], 10);
  EXPECT_EQ(json["suggestions"]["tiers"][0]["rejected"], 0);
  EXPECT_EQ(json["comparison"]["requests_hit"], 0);
  EXPECT_GT(json["comparison"]["requests_freed"], 0);
  std::ifstream file(path("report.html"));
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("<code>192.0.2.1</code>"), std::string::npos);
  EXPECT_EQ(page.str().find("<script"), std::string::npos) << "a line of the log is in it";
  EXPECT_FALSE(std::regex_search(page.str(), std::regex("(src|href)=|url\\(|@import"))) << "it asks for something";
}

TEST_F(Simulates, AndSaysItToPeople) {
  ASSERT_EQ(run({}), 0) << err;
  EXPECT_TRUE(std::regex_search(out, std::regex("19 requests of 19 s from .*access\\.log \\(combined\\), 2 keys")))
      << out;
  EXPECT_NE(out.find("1 line of 20 could not be read:\n"), std::string::npos) << out;
  EXPECT_TRUE(std::regex_search(out, std::regex("per-ip +19 +\\d+ +\\d+\\.\\d % +2 +2 +192\\.0\\.2\\.1"))) << out;
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

TEST_F(Simulates, AndEndsWithFiveUnlessItIsAsAsserted) {
  EXPECT_EQ(run({"--assert", "rejected(limit=per-ip) < 1%", "--assert", "rejected(limit=per-ip) < 100%"}), 5);
  EXPECT_TRUE(std::regex_search(
      err, std::regex("headgate: rejected\\(limit=per-ip\\) < 1% does not hold: it is [0-9.]+ % \\(\\d+ of 19\\)\n")))
      << err;
  EXPECT_EQ(err.find("< 100%"), std::string::npos) << err;
}

TEST_F(Simulates, WithoutALineOfTheLogsOfAGateway) {
  write("policy.json",
        std::regex_replace(std::string(kPolicy), std::regex("\"5/minute\""),
                           "\"5/minute\", \"ban\": { \"after\": 2, \"within\": \"1m\", \"for\": \"10m\" }"));
  ASSERT_EQ(run({"--json"}), 0) << err;
  const auto json = nlohmann::json::parse(out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << out;
  EXPECT_EQ(err, "") << "a suspension of a simulation concerns nobody";
}

TEST_F(Simulates, NothingThatHoldsIfNoRequestWasRead) {
  const Words asserts{"simulate", "-c", path("policy.json"), "--assert", "rejected(limit=per-ip) < 100%", "--log"};
  for (const auto& text : {std::string(), std::string(200'000, '\n'), std::string("# nothing\n")}) {
    write("empty.log", text);
    auto words = asserts;
    words.push_back(path("empty.log"));
    EXPECT_NE(run_only(words), 0) << text.size();
  }
  EXPECT_EQ(run({"--until", "2000-01-01", "--assert", "rejected(limit=per-ip) < 100%"}), 5);
  EXPECT_NE(err.find("no request was read, so nothing that is asserted holds"), std::string::npos) << err;
}

TEST_F(Simulates, OnlyWhatItIsToldClearly) {
  const auto refused = [&](const Words& words) {
    EXPECT_EQ(run_only(words), 2) << out;
    return err;
  };
  const auto config = path("policy.json");
  EXPECT_EQ(refused({"simulate", "-c", config}).substr(0, 47), "headgate: either --log or --arrivals is needed\n");
  EXPECT_EQ(refused({"simulate", "-c", config, "--arrivals", "steady 10/s fo 1m"}),
            "headgate: --arrivals: \"fo\" is not understood here\n"
            "  steady 10/s fo 1m\n"
            "              ^~\n"
            "  help: write \"for 10m\", \"at 5m\"\n");
  EXPECT_EQ(refused({"simulate", "-c", config, "--arrivals", "burst 1", "--assert", "rejected(limit=per-pi) < 1%"}),
            "headgate: --assert: no limit of a route is named \"per-pi\"\n"
            "  rejected(limit=per-pi) < 1%\n"
            "                 ^~~~~~\n"
            "  help: did you mean \"per-ip\"?\n");
  EXPECT_NE(refused({"simulate", "-c", config, "--log", "-", "--suggest", "1%"}).find("only once"), std::string::npos);
  EXPECT_EQ(run_only({"simulate", "-c", config, "--log", path("no.log")}), 1);
  EXPECT_NE(err.find("no.log"), std::string::npos) << err;
}

TEST_F(Simulates, RequestsThatNobodyHasSent) {
  ASSERT_EQ(run_only({"simulate", "--limit", "10/minute", "--arrivals", "burst 25, 1 tenant", "--json"}), 0) << err;
  const auto json = nlohmann::json::parse(out);
  EXPECT_EQ(json["requests"], 25);
  EXPECT_EQ(json["limits"][0]["name"], "default");
  EXPECT_EQ(json["limits"][0]["tiers"][0]["rejected"], 15);
  EXPECT_EQ(json["limits"][0]["worst"][0]["key"], "198.18.0.1");
  ASSERT_EQ(run_only({"simulate", "--limit", "10/minute", "--per", "jwt.sub", "--arrivals", "burst 25, 1 tenant",
                      "--map", "jwt.sub=tenant", "--json"}),
            0)
      << err;
  EXPECT_EQ(nlohmann::json::parse(out)["limits"][0]["worst"][0]["key"], "tenant-1");
}

}  // namespace
}  // namespace headgate::test
