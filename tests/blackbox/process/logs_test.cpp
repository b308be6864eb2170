// The logs of a running gateway: complete lines, soon, and none lost, through logrotate, signals and a crash.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;

/// A gateway that logs into a folder that is gone when the test is.
class Logged {
 public:
  explicit Logged(const Json& changes = Json::object()) : place_("", "x"), proxy(with_files(changes)) {}

  std::string path(const std::string& name) const { return (fs::path(place_.path()).parent_path() / name).string(); }
  std::vector<std::string> lines(const std::string& name = "access.log") const {
    std::ifstream in(path(name));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  template <class Holds>
  static bool comes(Holds&& holds) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(Milliseconds(10));
    }
    return true;
  }

 private:
  Json with_files(const Json& changes) const {
    Json all = {{"log", {{"format", "json"}, {"access", path("access.log")}}}};
    all.merge_patch(changes);
    return all;
  }
  TemporaryFile place_;

 public:
  Proxy proxy;
};

TEST(AccessLog, InAFileHasALineAMomentAfterItsRequest) {
  Logged logged;
  EXPECT_EQ(logged.proxy.client().get("/one").status(), 200);
  ASSERT_TRUE(Logged::comes([&] { return logged.lines().size() == 1; })) << "while the gateway runs";
  const Json line = Json::parse(logged.lines()[0], nullptr, false);
  EXPECT_EQ(line.value("path", ""), "/one");
}

TEST(AccessLog, HasEveryRequestWhenTheGatewayHasEnded) {
  Logged logged;
  RawClient client = logged.proxy.client();
  for (int i = 0; i < 300; ++i) ASSERT_EQ(client.get("/" + std::to_string(i)).status(), 200);
  EXPECT_EQ(logged.proxy.gateway.terminate(), 0);
  const auto lines = logged.lines();
  ASSERT_EQ(lines.size(), 300U);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(Json::parse(lines[static_cast<std::size_t>(i)], nullptr, false).value("path", ""),
              "/" + std::to_string(i));
}

TEST(AccessLog, HasWholeLinesWhenTheGatewayIsKilled) {
  Logged logged;
  logged.proxy.gateway.expect_any_end();
  RawClient client = logged.proxy.client();
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.get().status(), 200);
  ASSERT_TRUE(Logged::comes([&] { return logged.lines().size() == 200; })) << "what is older than a moment is there";
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.get().status(), 200);
  logged.proxy.gateway.process().kill9();
  std::ostringstream text;
  text << std::ifstream(logged.path("access.log")).rdbuf();
  EXPECT_TRUE(text.str().ends_with('\n'));
  for (const auto& line : logged.lines()) EXPECT_TRUE(Json::parse(line, nullptr, false).is_object()) << line;
}

TEST(AccessLog, GoesOnInANewFileAfterLogrotate) {
  Logged logged;
  RawClient client = logged.proxy.client();
  int sent = 0;
  for (int turn = 1; turn <= 3; ++turn) {
    for (int i = 0; i < 40; ++i, ++sent) ASSERT_EQ(client.get().status(), 200);
    fs::rename(logged.path("access.log"), logged.path("access.log." + std::to_string(turn)));
    logged.proxy.gateway.process().signal(SIGUSR1);
    ASSERT_TRUE(Logged::comes([&] { return fs::exists(logged.path("access.log")); }));
  }
  EXPECT_EQ(client.get("/last").status(), 200);
  // A line is written after its answer, so the last lines before a signal may be in the file after it.
  const auto all = [&] {
    std::size_t count = logged.lines().size();
    for (int turn = 1; turn <= 3; ++turn) count += logged.lines("access.log." + std::to_string(turn)).size();
    return count;
  };
  EXPECT_TRUE(Logged::comes([&] { return all() == static_cast<std::size_t>(sent) + 1; }))
      << all() << " of " << sent + 1;
  const auto lines = logged.lines();
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) { return line.find("/last") != line.npos; }));
}

/// The rules of docs/logs.md, for the files in `directory`, and for no gateway but those of this process.
std::string rules_of_logrotate(const std::string& directory) {
  std::ifstream in(HEADGATE_SOURCE_DIR "/docs/logs.md");
  std::string page{std::istreambuf_iterator<char>(in), {}};
  const auto begin = page.find("/var/log/headgate/*.log {");
  const auto end = page.find("\n}\n", begin);
  if (end == std::string::npos) return {};
  auto rules = page.substr(begin, end + 3 - begin);
  const auto replace = [&rules](const std::string& what, const std::string& by) {
    const auto at = rules.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    if (at != std::string::npos) rules.replace(at, what.size(), by);
  };
  replace("/var/log/headgate", directory);
  replace("pkill -USR1 -x headgate", "pkill -USR1 -x -P " + std::to_string(::getpid()) + " headgate");
  return rules;
}

TEST(AccessLog, GoesOnInANewFileUnderTheRulesOfTheDocumentation) {
  const char* const there = "test -x /usr/sbin/logrotate && command -v pkill >/dev/null";
  if (std::system(there) != 0) GTEST_SKIP() << "no logrotate on this machine";  // NOLINT(cert-env33-c)
  Logged logged;
  const TemporaryFile beside("", "state");
  const auto rules = beside.path() + ".rules";
  std::ofstream(rules) << rules_of_logrotate(fs::path(logged.path("x")).parent_path().string());
  fs::permissions(rules, fs::perms::owner_read | fs::perms::owner_write);
  const auto rotate = "/usr/sbin/logrotate -f -s " + beside.path() + " " + rules + " >&2";
  RawClient client = logged.proxy.client();
  for (int turn = 0; turn < 2; ++turn) {
    const auto path = "/turn-" + std::to_string(turn);
    ASSERT_EQ(client.get(path).status(), 200);
    ASSERT_TRUE(Logged::comes([&] { return logged.lines().size() == 1; }))
        << "the new file has only what came after it";
    EXPECT_TRUE(has(logged.lines()[0], path));
    ASSERT_EQ(std::system(rotate.c_str()), 0);  // NOLINT(cert-env33-c)
    EXPECT_TRUE(fs::exists(logged.path("access.log.1")));
    ASSERT_TRUE(Logged::comes([&] { return fs::exists(logged.path("access.log")); })) << "it was told";
  }
  EXPECT_TRUE(fs::exists(logged.path("access.log.2.gz")));
  fs::remove(rules);
}

TEST(AccessLog, SaysWhyARequestWasRefusedAndWhereItWouldHaveGone) {
  const Json shop = {{"routes", {{{"name", "shop"}, {"host", "shop.example"}, {"path", "/a/*"}, {"to", "app"}}}}};
  Logged logged(shop);
  const std::string host = "Host: shop.example\r\n";
  const std::vector<std::string> requests{
      "GET /a/1 HTTP/1.1\r\n" + host + "Bad Field: x\r\n\r\n",
      "GET /a/1?q=" + std::string(9000, 'q') + " HTTP/1.1\r\n" + host + "\r\n",
      "GET /a/1 HTTP/1.1\r\n" + host + "X: " + std::string(20'000, 'x') + "\r\n\r\n",
      "POST /a/1 HTTP/1.1\r\n" + host + "Content-Length: 100000000\r\n\r\n"};
  const std::vector<int> statuses{400, 414, 431, 413};
  for (std::size_t i = 0; i < requests.size(); ++i)
    EXPECT_EQ(logged.proxy.client().ask(requests[i]).status(), statuses[i]) << i;
  ASSERT_TRUE(Logged::comes([&] { return logged.lines().size() == requests.size(); }));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Json line = Json::parse(logged.lines()[i], nullptr, false);
    EXPECT_EQ(line.value("status", 0), statuses[i]) << line;
    EXPECT_EQ(line.value("host", ""), "shop.example") << line;
    EXPECT_EQ(line.value("path", ""), "/a/1") << line;
    EXPECT_EQ(line.value("route", ""), "shop") << line;
    EXPECT_NE(line.value("reason", ""), "") << line;
  }
}

TEST(AccessLog, SaysWhichGatewayAndInViaToo) {
  Logged logged(Json{{"instance", "edge-7"}});
  EXPECT_EQ(logged.proxy.client().get().value("Via"), "1.1 edge-7");
  EXPECT_EQ(logged.proxy.forwarded().value("Via"), "1.1 edge-7");
  ASSERT_TRUE(Logged::comes([&] { return logged.lines().size() == 1; }));
  EXPECT_EQ(Json::parse(logged.lines()[0], nullptr, false).value("instance", ""), "edge-7");
  EXPECT_TRUE(logged.proxy.gateway.process().says(R"("instance":"edge-7")"));
}

TEST(AccessLog, TellsTierCostAndWhenToComeBack) {
  Logged logged({{"limits",
                  {{"x",
                    {{"per", "client_ip"},
                     {"tiers", {{"free", {{"rate", "10/minute"}}}, {"pro", {{"rate", "100/minute"}}}}},
                     {"tier_from", "header:X-Tier"},
                     {"default_tier", "free"}}}}},
                 {"identity", {{"trusted_proxies", {"127.0.0.1"}}}},
                 {"all_routes", {{"limits", Json::array({{{"use", "x"}, {"cost", 6}}})}}}});
  RawClient client = logged.proxy.client();
  EXPECT_EQ(client.get().status(), 200);
  const Message refused = client.get();
  EXPECT_EQ(refused.status(), 429);
  ASSERT_TRUE(Logged::comes([&] { return logged.lines().size() == 2; }));
  const Json first = Json::parse(logged.lines()[0], nullptr, false);
  const Json second = Json::parse(logged.lines()[1], nullptr, false);
  EXPECT_EQ(first.value("tier", ""), "free") << first;
  EXPECT_EQ(first.value("cost", 0), 6);
  EXPECT_EQ(first.value("decision", ""), "allowed");
  EXPECT_FALSE(first.contains("retry_after_s"));
  EXPECT_EQ(second.value("decision", ""), "rejected") << second;
  EXPECT_EQ(second.value("cost", 0), 6);
  EXPECT_EQ(std::to_string(second.value("retry_after_s", 0)), refused.value("Retry-After"));
}

TEST(AccessLog, GivesACallerOneIdOnAllGatewaysThatShareASecret) {
  const auto id_with = [](const std::string& secret) {
    Json changes = {{"limits", {{"x", {{"rate", "9/minute"}, {"per", "client_ip"}}}}},
                    {"all_routes", {{"limits", {"x"}}}}};
    if (!secret.empty()) changes["log"]["secret"] = secret;
    Logged logged(changes);
    EXPECT_EQ(logged.proxy.client().get().status(), 200);
    EXPECT_TRUE(Logged::comes([&] { return logged.lines().size() == 1; }));
    return Json::parse(logged.lines()[0], nullptr, false).value("key_id", "");
  };
  const auto id = id_with("a secret of some length, 1");
  EXPECT_EQ(id.size(), 18U);
  EXPECT_EQ(id_with("a secret of some length, 1"), id);
  EXPECT_NE(id_with("a secret of some length, 2"), id);
  EXPECT_NE(id_with(""), id_with("")) << "drawn at each start";
}

TEST(Signals, WithoutAMeaningDoNoHarm) {
  Logged logged;
  RawClient client = logged.proxy.client();
  for (const int signal : {SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGXFSZ, SIGXCPU, SIGURG, SIGWINCH,
                           SIGCHLD, SIGCONT, SIGRTMIN, SIGRTMAX}) {
    logged.proxy.gateway.process().signal(signal);
    EXPECT_EQ(client.get().status(), 200) << "after signal " << signal;
  }
}

TEST(Signals, WhileDrainingNeitherReloadNorEndIt) {
  Logged logged;
  RawClient client = logged.proxy.client();
  ASSERT_TRUE(client.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(logged.proxy.upstream.wait_for_requests(1));
  auto& process = logged.proxy.gateway.process();
  process.signal(SIGTERM);
  ASSERT_TRUE(process.wait_for_err([](const std::string& text) { return text.find("draining") != std::string::npos; }));
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2}) process.signal(signal);
  logged.proxy.upstream.release();
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(process.wait(), 0);
}

TEST(Signals, BeforeItServesDoNotEndIt) {
  FakeUpstream upstream;
  const TemporaryFile file(config_for(upstream).dump());
  Process process(Words{"run", "-c", file.path()});
  ASSERT_TRUE(
      process.wait_for_err([](const std::string& text) { return text.find("listening") != std::string::npos; }));
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGHUP, SIGUSR1}) process.signal(signal);
  EXPECT_TRUE(process.wait_for_err([](const std::string& text) { return text.find("started") != std::string::npos; }));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace headgate::test
