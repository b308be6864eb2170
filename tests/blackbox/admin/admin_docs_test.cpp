// The examples of docs/admin.md, done.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace headgate::test {
namespace {

struct Shown {
  std::string command;
  std::string output;
};

/// All commands of the blocks ```console, with what they print.
std::vector<Shown> examples_of(const std::string& path) {
  std::vector<Shown> out;
  std::ifstream page(path);
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({line.substr(2), {}});
    } else if (inside && !out.empty()) {
      out.back().output += line + '\n';
    }
  }
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// What differs from run to run: numbers, digests, units of time, and how wide columns are.
std::string shape_of(std::string text) {
  text = std::regex_replace(text, std::regex("(/\\*|all routes) .*"), "$1 <traffic>");
  text = std::regex_replace(text, std::regex(" +[0-9]+ +[0-9]+ +[0-9]+ %( +127\\.0\\.0\\.1 \\([0-9]+\\))?"), " <use>");
  text = std::regex_replace(text, std::regex("k_[0-9a-f]{16}"), "<id>");
  // Before digests: the fraction of a number may look like one.
  text = std::regex_replace(text, std::regex("(_seconds\": )[0-9.]+"), "$1<seconds>");
  text = std::regex_replace(text, std::regex("[0-9a-f]{12}\\b"), "<digest>");
  text = std::regex_replace(text, std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"), "<time>");
  text = std::regex_replace(text, std::regex("\\b[0-9]+(\\.[0-9]+)? (s|min|h|d)\\b"), "<span>");
  text = std::regex_replace(text, std::regex("pid [0-9]+"), "pid <n>");
  text = std::regex_replace(text, std::regex("((workers|connections) +)[0-9]+"), "$1<n>");
  text = std::regex_replace(text, std::regex("[0-9.]+ ((requests|rejected|failed|in|out)/s|ms)"), "<n> $1");
  text = std::regex_replace(text, std::regex("the start .*"), "the start <use>");  // of a server, lately
  text = std::regex_replace(text, std::regex("over [0-9.<span>]+( s)?"), "over <span>");
  return std::regex_replace(text, std::regex(" +"), " ");
}

TEST(AdminDocs, ExamplesAreTrue) {
  const FakeUpstream other;
  const Json limit = {{"rate", "3/day"}, {"per", "client_ip"}, {"ban", {{"after", 50}, {"for", "1d"}}}};
  Json changes = {{"admin", {{"listen", "127.0.0.1:0"}}},
                  {"instance", "edge-1"},
                  {"limits", {{"per-ip", limit}}},
                  {"all_routes", {{"limits", {"per-ip"}}}}};
  Reloaded file(changes);
  const auto one = "127.0.0.1:" + std::to_string(file.upstream.port());
  const auto two = "127.0.0.1:" + std::to_string(other.port());
  changes["upstreams"]["app"] = {{"servers", {"http://" + one, "http://" + two}}};
  ASSERT_TRUE(file.reload(changes));
  const Operator operators(file.process());
  ASSERT_TRUE(Look(file.process()).status_comes_to("/readyz", 200));
  const auto use_up = [&] {
    for (const int status : {200, 200, 200, 429}) EXPECT_EQ(file.client().get().status(), status);
  };
  use_up();
  const auto counted = [&] { return operators.get("/api/v1/limits/per-ip")["decisions"]["rejected"] == 1; };
  for (int i = 0; i < 100 && !counted(); ++i) std::this_thread::sleep_for(Milliseconds(20));
  auto examples = examples_of(HEADGATE_SOURCE_DIR "/docs/admin.md");
  ASSERT_GT(examples.size(), 12U);
  // The last one needs what the others have ended: the gateway, and what the key has used.
  std::rotate(examples.begin(), examples.end() - 1, examples.end());
  for (const auto& example : examples) {
    auto command = replaced(example.command, "headgate ", std::string(HEADGATE_BINARY) + ' ');
    command = replaced(command, "http://127.0.0.1:9900", operators.url());
    command = replaced(replaced(command, "10.0.0.5:3000", one), "10.0.0.6:3000", two);
    Process shell({"-c", command}, {"HEADGATE_ADMIN=" + operators.url(), "HEADGATE_ADMIN_TOKEN="}, "/bin/sh");
    EXPECT_EQ(shell.wait(), 0) << command << '\n' << shell.err();
    auto wanted = replaced(example.output, "/etc/headgate/headgate.json", file.path());
    wanted = replaced(replaced(wanted, "10.0.0.5:3000", one), "10.0.0.6:3000", two);
    auto printed = shell.out();
    const auto reload = printed.find("reload        ");
    if (reload != std::string::npos) printed.erase(reload, printed.find('\n', reload) + 1 - reload);  // by this test
    EXPECT_EQ(shape_of(printed), shape_of(wanted)) << command;
  }
  EXPECT_EQ(file.process().wait(), 0);
}

}  // namespace
}  // namespace headgate::test
