// SIGUSR2: a new process takes over the listening sockets, and no client notices. And sockets from a service manager.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/upgraded.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;

const std::string kToTunnel = "Connection: upgrade\r\nUpgrade: x\r\n";

bool ends(pid_t pid) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(stat, text) || has(text, ") Z ")) return true;
    std::this_thread::sleep_for(Milliseconds(10));
  }
  return false;
}

/// The answer with which the old process closes a connection. Its worker may hear of the upgrade a moment later.
Message last_answer(RawClient& client) {
  Message last = client.get();
  for (int i = 0; i < 1000 && last.status() == 200 && last.all("Connection") != "close"; ++i) last = client.get();
  return last;
}

TEST(Upgrade, TheNewProcessServesOnTheSamePortWithTheNewFile) {
  Upgraded upgraded(Json{{"workers", 2}});
  EXPECT_FALSE(upgraded.gateway.client().get().has("X-RateLimit-Limit"));
  upgraded.gateway.write(Json{{"workers", 3},
                              {"limits", {{"x", {{"rate", "5/day"}, {"per", "client_ip"}}}}},
                              {"all_routes", {{"limits", {"x"}}}}});
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  EXPECT_TRUE(ends(upgraded.processes().front()));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(upgraded.gateway.client().get().value("X-RateLimit-Limit"), "5");
  upgraded.gateway.write(Json{{"workers", 1}});
  ASSERT_TRUE(upgraded.upgrade()) << "with fewer workers than sockets";
  EXPECT_TRUE(ends(upgraded.processes()[1])) << "else it may still accept";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(upgraded.gateway.client().get().status(), 200);
}

TEST(Upgrade, WhatIsInFlightAndWhatIsIdleIsFinishedByTheOldProcess) {
  Upgraded upgraded(Json::object());
  auto& gateway = upgraded.gateway;
  RawClient tunnel = gateway.client();
  tunnel.send(request("GET", "/", kToTunnel));
  ASSERT_EQ(tunnel.read_head().status(), 101);
  RawClient idle = gateway.client();
  ASSERT_EQ(idle.get().status(), 200);
  RawClient busy = gateway.client();
  busy.send(request("GET", "/", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(gateway.upstream.wait_for_heads(3));
  ASSERT_TRUE(upgraded.upgrade());
  EXPECT_EQ(gateway.client().get().status(), 200) << "by the new one";
  const Message last = last_answer(idle);
  EXPECT_EQ(last.status(), 200) << "an idle connection is not closed under a request";
  EXPECT_EQ(last.all("Connection"), "close");
  gateway.upstream.release();
  EXPECT_EQ(busy.read().status(), 200);
  tunnel.send("still here");
  EXPECT_EQ(tunnel.read_bytes(10), "still here");
  tunnel.socket().finish_sending();
  tunnel.read_to_end();
  EXPECT_TRUE(ends(upgraded.processes().front()));
}

TEST(Upgrade, TakesTheAdminPortAlong) {
  Upgraded upgraded(Json{{"admin", {{"listen", "127.0.0.1:0"}}}});
  const auto port = admin_port(upgraded.gateway.process());
  const auto started = [&] {
    const auto answer = RawClient(port).ask("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    EXPECT_EQ(answer.status(), 200);
    const auto at = answer.body.find("\nprocess_start_time_seconds ");
    return answer.body.substr(at, answer.body.find('\n', at + 1) - at);
  };
  const auto before = started();
  std::this_thread::sleep_for(Milliseconds(20));  // two clock ticks: the process start is counted in them
  ASSERT_TRUE(upgraded.upgrade());
  EXPECT_TRUE(ends(upgraded.processes().front()));
  EXPECT_NE(started(), before);
  EXPECT_EQ(RawClient(port).ask("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status(), 200);
}

TEST(Upgrade, ABadFileLeavesTheOldProcessServing) {
  Upgraded upgraded(Json::object());
  auto& gateway = upgraded.gateway;
  gateway.write_text("{ \"listen\": 7 ");
  ASSERT_TRUE(gateway.tells("\"upgrade_failed\"", [&] { gateway.process().signal(SIGUSR2); }));
  EXPECT_EQ(gateway.client().get().status(), 200);
  gateway.write(Json::object());
  ASSERT_TRUE(upgraded.upgrade()) << "and it can be tried again";
  EXPECT_EQ(gateway.client().get().status(), 200);
}

/// Log collectors read the stderr of both processes as one stream.
TEST(Upgrade, ThatFailsSaysWhyInTheFormatOfTheLog) {
  Upgraded upgraded(Json::object());
  auto& gateway = upgraded.gateway;
  const auto fails = [&] { return gateway.tells("\"upgrade_failed\"", [&] { gateway.process().signal(SIGUSR2); }); };
  gateway.write_text("{ \"listen\": 7,\n  \"drian\": \"5s\" }");
  ASSERT_TRUE(fails());
  Socket taken = Socket::listen();
  gateway.write(Json{{"listen", {"127.0.0.1:0", "127.0.0.1:" + std::to_string(taken.local_port())}}});
  ASSERT_TRUE(fails());
  std::vector<Json> mistakes;
  std::vector<std::string> reasons;
  std::istringstream lines(gateway.process().err());
  for (std::string line; std::getline(lines, line);) {
    const auto event = Json::parse(line, nullptr, false);
    ASSERT_TRUE(event.is_object()) << line;
    if (event["event"] == "config_error") mistakes.push_back(event);
    if (event["event"] == "upgrade_failed") reasons.push_back(event["reason"]);
  }
  ASSERT_GE(mistakes.size(), 3U) << gateway.process().err();
  const auto typo = std::find_if(mistakes.begin(), mistakes.end(),
                                 [](const Json& each) { return has(each["message"].get<std::string>(), "drian"); });
  ASSERT_NE(typo, mistakes.end()) << gateway.process().err();
  EXPECT_EQ((*typo)["file"], gateway.path());
  EXPECT_EQ((*typo)["line"], 2);
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_TRUE(has(reasons[0], gateway.path() + ":1:")) << reasons[0];
  EXPECT_TRUE(has(reasons[1], std::to_string(taken.local_port()))) << reasons[1];
  EXPECT_EQ(gateway.client().get().status(), 200);
}

TEST(Upgrade, ThatFailsSaysItsErrorAlsoBehindManyWarnings) {
  Upgraded upgraded(Json::object());
  auto& gateway = upgraded.gateway;
  Json config{{"workers", "many"}, {"limits", Json::object()}};
  for (int i = 0; i < 30; ++i)
    config["limits"]["unused-" + std::to_string(i)] = {{"rate", "5/day"}, {"per", "client_ip"}};
  gateway.write(config);
  ASSERT_TRUE(gateway.tells("\"upgrade_failed\"", [&] { gateway.process().signal(SIGUSR2); }));
  const auto log = gateway.process().err();
  EXPECT_TRUE(has(log, "\"config_error\"")) << log;
  EXPECT_TRUE(has(log, "\"config_warning\"")) << log;
  EXPECT_TRUE(has(log.substr(log.find("\"upgrade_failed\"")), gateway.path() + ':')) << log;
}

/// The new process has the port then, but the old one still has connections of it.
TEST(Upgrade, DoesNotOpenTheAdminInterfaceToWhoHasNoToken) {
  Upgraded upgraded(Json{{"admin", {{"listen", "127.0.0.1:0"}, {"token", "token-of-operators-123"}}}});
  const auto port = admin_port(upgraded.gateway.process());
  RawClient stranger(port);
  ASSERT_TRUE(stranger.send("GET /api/v1/config HTTP/1.1\r\nHost: 127.0.0.1\r\n"));
  EXPECT_EQ(RawClient(port).ask("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status(), 200);
  ASSERT_TRUE(upgraded.upgrade());
  stranger.send("\r\n");
  const auto answer = stranger.read_to_end();
  EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 401 ")) << answer;
}

TEST(Upgrade, AnAddressThatIsGoneFromTheFileIsClosed) {
  Upgraded upgraded(Json{{"listen", {"127.0.0.1:0", "127.0.0.1:0"}}});
  const auto second = upgraded.gateway.gateway().port(1);
  RawClient waits(second);
  upgraded.gateway.write(Json{{"listen", Json::array({"127.0.0.1:0"})}});
  ASSERT_TRUE(upgraded.upgrade());
  EXPECT_EQ(last_answer(waits).status(), 200);
  EXPECT_TRUE(ends(upgraded.processes().front()));
  EXPECT_FALSE(RawClient(second).is_open());
  EXPECT_EQ(upgraded.gateway.client().get().status(), 200);
}

TEST(Upgrade, ASecondProcessByAccidentIsStillRefused) {
  Upgraded upgraded(Json::object());
  Json config = config_for(upgraded.gateway.upstream);
  config["listen"] = "127.0.0.1:" + std::to_string(upgraded.gateway.gateway().port());
  const TemporaryFile file(config.dump());
  EXPECT_EQ(run_headgate({"run", "-c", file.path()}).code, 1);
  ASSERT_TRUE(upgraded.upgrade());
  const auto ran = run_headgate({"run", "-c", file.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "is taken")) << ran.err;
}

TEST(Upgrade, AStopAfterwardsEndsBothInTime) {
  Upgraded upgraded(Json{{"drain", "300ms"}});
  RawClient tunnel = upgraded.gateway.client();
  tunnel.send(request("GET", "/", kToTunnel));
  ASSERT_EQ(tunnel.read_head().status(), 101);
  ASSERT_TRUE(upgraded.upgrade());
  EXPECT_TRUE(upgraded.gateway.process().runs()) << "as long as its tunnel";
  upgraded.gateway.process().signal(SIGTERM);
  EXPECT_TRUE(ends(upgraded.processes().front()));
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A gateway says that it listens before its workers serve.
bool comes_to_name(const std::string& path, pid_t pid) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (content_of(path) != std::to_string(pid) + '\n') {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return true;
}

TEST(PidFile, HasTheNumberOfTheProcessThatServes) {
  const TemporaryFile beside("", "pid");
  const auto path = beside.path() + ".of-the-gateway";
  {
    Upgraded upgraded(Json{{"pid_file", path}});
    ASSERT_TRUE(comes_to_name(path, upgraded.gateway.process().pid()));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0644));
    ASSERT_TRUE(upgraded.upgrade());
    EXPECT_EQ(content_of(path), std::to_string(upgraded.processes().back()) + '\n');
    ASSERT_TRUE(ends(upgraded.processes().front()));
    EXPECT_EQ(content_of(path), std::to_string(upgraded.processes().back()) + '\n')
        << "it is not the old one's any more";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(PidFile, OfAnUpgradeThatFailsStays) {
  const TemporaryFile beside("", "pid");
  const auto path = beside.path() + ".of-the-gateway";
  Upgraded upgraded(Json{{"pid_file", path}});
  ASSERT_TRUE(comes_to_name(path, upgraded.gateway.process().pid()));
  upgraded.gateway.write(Json{{"pid_file", path}, {"routes", 1}});
  ASSERT_TRUE(upgraded.gateway.tells("upgrade_failed", [&] { upgraded.gateway.process().signal(SIGUSR2); }));
  EXPECT_EQ(content_of(path), std::to_string(upgraded.gateway.process().pid()) + '\n');
}

/// What the gateways below have beside it.
Json with_pid_file(const std::string& path) {
  return {{"pid_file", path},
          {"listen", "127.0.0.1:0"},
          {"admin", "off"},
          {"routes", Json::array({{{"path", "/*"}, {"respond", Json::object()}}})}};
}

TEST(PidFile, DoesNotReplaceAFileOfAnotherKind) {
  const TemporaryFile notes("not a number\n", "notes");
  {
    Gateway gateway(with_pid_file(notes.path()));
    EXPECT_TRUE(gateway.process().wait_for_err([](const std::string& log) { return has(log, "pid_file_failed"); }));
    EXPECT_EQ(gateway.client().get().status(), 200);
  }
  EXPECT_EQ(content_of(notes.path()), "not a number\n");
}

TEST(PidFile, OfAnotherProcessIsLeftAtTheEnd) {
  const TemporaryFile pid("", "pid");
  {
    Gateway gateway(with_pid_file(pid.path()));
    ASSERT_TRUE(comes_to_name(pid.path(), gateway.process().pid()));
    std::ofstream(pid.path()) << "1\n";
  }
  EXPECT_EQ(content_of(pid.path()), "1\n");
}

/// What systemd does for a socket unit, and for Type=notify.
class ServiceManager {
 public:
  ServiceManager() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    const timeval patience{8, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;
  ~ServiceManager() {
    ::close(socket_);
    fs::remove(path());
  }
  std::string path() const { return folder_.path() + ".notify"; }
  std::string hears() const {
    char text[256];
    const auto got = ::recv(socket_, text, sizeof text, 0);
    return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "nothing";
  }

 private:
  TemporaryFile folder_{"", "manager"};
  int socket_;
};

/// Passes the sockets on from descriptor 3, as systemd does: LISTEN_PID is the process that the shell becomes.
Words activated(const std::vector<const Socket*>& sockets, const Words& command) {
  std::string script =
      "export LISTEN_PID=$$ LISTEN_FDS=" + std::to_string(sockets.size()) + " LISTEN_FDNAMES=web; exec \"$@\"";
  for (std::size_t i = 0; i < sockets.size(); ++i)
    script += ' ' + std::to_string(3 + i) + "<&" + std::to_string(sockets[i]->fd());
  Words out{"-c", script, "bash"};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

TEST(SocketActivation, UsesTheSocketThatFitsAndWarnsAboutTheOther) {
  FakeUpstream upstream;
  const Socket fits = Socket::listen();
  const Socket other = Socket::listen();
  for (const auto* each : {&fits, &other}) ::fcntl(each->fd(), F_SETFD, 0);
  RawClient early(fits.local_port());
  ASSERT_TRUE(early.send(request("GET", "/")));
  Json config = config_for(upstream, {{"workers", 2}, {"log", {{"format", "json"}}}});
  config["listen"] = "127.0.0.1:" + std::to_string(fits.local_port());
  const TemporaryFile file(config.dump());
  const ServiceManager manager;
  Process process(activated({&fits, &other}, {HEADGATE_BINARY, "run", "-c", file.path()}),
                  {"NOTIFY_SOCKET=" + manager.path()}, "/bin/bash");
  EXPECT_EQ(manager.hears(), "READY=1") << process.err();
  EXPECT_EQ(early.read().status(), 200) << "a client that came before the process";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(RawClient(fits.local_port()).get().status(), 200);
  EXPECT_TRUE(process.wait_for_err([](const auto& err) { return has(err, "\"passed_socket_unused\""); }))
      << process.err();
  process.signal(SIGTERM);
  EXPECT_EQ(manager.hears(), "STOPPING=1");
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(process.sanitizer_report(), "");
}

}  // namespace
}  // namespace headgate::test
