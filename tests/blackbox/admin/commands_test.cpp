// The commands that serve: run, proxy and echo; and healthcheck, which asks one of them.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace headgate::test {
namespace {

const std::string kBad = R"({
  "listen": "127.0.0.1:0",
  "limits": { "per-ip": { "brust": 20, "rate": "1/second", "per": "client_ip" } },
  "routes": [ { "path": "/*", "respond": {}, "limits": ["per-ip"] } ]
}
)";

TEST(Run, RefusesABadFileWith3) {
  const TemporaryFile file(kBad);
  const Ran ran = run_headgate({"run", "-c", file.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "unknown key \"brust\"")) << ran.err;
  EXPECT_FALSE(has(ran.err, "listening on")) << ran.err;
}

TEST(Run, SaysThatItsPortIsTaken) {
  const Socket taken = Socket::listen();
  const std::string port = std::to_string(taken.local_port());
  const TemporaryFile file(R"({"listen": "127.0.0.1:)" + port + R"(", "routes": [{"path": "/*", "respond": {}}]})");
  const Ran ran = run_headgate({"run", "-c", file.path()});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_TRUE(has(ran.err, port)) << ran.err;
  EXPECT_TRUE(has(ran.err, "taken")) << ran.err;
}

TEST(Run, DoesNotShareItsPortWithAnotherGateway) {
  // SO_REUSEPORT, which the workers use, must not let a second gateway take half of the connections silently.
  FakeUpstream upstream;
  const Gateway first(config_for(upstream));
  const Json same = config_for(upstream, Json{{"listen", "127.0.0.1:" + std::to_string(first.port())}});
  const TemporaryFile file(same.dump());
  const Ran ran = run_headgate({"run", "-c", file.path()});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_TRUE(has(ran.err, "taken")) << ran.err;
}

TEST(Run, FindsItsFileInTheEnvironment) {
  const TemporaryFile file(kBad);
  const Ran ran = run_headgate({"run"}, {"HEADGATE_CONFIG=" + file.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, file.path() + ":3:27")) << ran.err;
}

TEST(Run, WithoutAFileNamesEveryPlaceItLookedAt) {
  Process process({"-c", "cd / && unset HEADGATE_CONFIG && exec " HEADGATE_BINARY " run"}, {}, "/bin/sh");
  EXPECT_EQ(process.wait(), 3);
  for (const char* place : {"$HEADGATE_CONFIG", "conf/headgate.json", "/etc/headgate/headgate.json", "-c FILE"})
    EXPECT_TRUE(process.says(place)) << process.err();
  const Ran ran = run_headgate({"run"}, {"HEADGATE_CONFIG=/nowhere/headgate.json"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "cannot read /nowhere/headgate.json, which $HEADGATE_CONFIG names")) << ran.err;
}

TEST(Run, TakesRelativePathsFromWhereItsFileIs) {
  FakeUpstream upstream;
  const Json log = {{"log", {{"access", "./logs/access.log"}}},
                    {"identity", {{"api_key", {{"file", "api-keys.json"}}}}},
                    {"instance", "${file:name.txt}"}};
  const TemporaryFile file(config_for(upstream, log).dump());
  const auto directory = std::filesystem::path(file.path()).parent_path();
  std::filesystem::create_directory(directory / "logs");
  std::ofstream(directory / "api-keys.json") << R"({ "keys": [] })";
  std::ofstream(directory / "name.txt") << "gate-1";
  Gateway gateway(Words{"run", "-c", file.path()});
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_EQ(gateway.terminate(), 0);
  EXPECT_GT(std::filesystem::file_size(directory / "logs/access.log"), 0U);
  std::filesystem::remove_all(directory);
}

TEST(Run, LogsEachRequestOnceAndNoQuery) {
  for (const char* format : {"text", "json"}) {
    Proxy proxy(Json{{"log", {{"format", format}, {"access", "stdout"}}}});
    EXPECT_EQ(proxy.client().get("/path?secret=1", "X-API-Key: hidden\r\nX-Request-Id: marked\r\n").status(), 200);
    EXPECT_EQ(proxy.client().get("/evil%22%7B%7D").status(), 200);
    EXPECT_EQ(proxy.gateway.terminate(), 0);
    const std::string log = proxy.gateway.process().out();
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
    EXPECT_TRUE(has(log, "/path")) << log;
    EXPECT_TRUE(has(log, "200")) << log;
    EXPECT_FALSE(has(log, "secret")) << log;
    EXPECT_FALSE(has(log, "hidden")) << log;
    if (std::string(format) != "json") continue;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      const Json entry = Json::parse(line, nullptr, false);
      ASSERT_TRUE(entry.is_object()) << line;
      EXPECT_EQ(entry.value("status", 0), 200) << line;
      EXPECT_EQ(entry.value("event", ""), "request") << line;
    }
    EXPECT_TRUE(has(log, "\"request_id\":\"marked\"")) << log;
  }
}

TEST(ProxyCommand, NeedsNoFile) {
  FakeUpstream upstream;
  const Gateway gateway(Words{"proxy", "--to", upstream.url(), "--limit", "5/minute", "--listen", "127.0.0.1:0"});
  RawClient client = gateway.client();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get().status(), 200);
  const Message refused = client.get();
  EXPECT_EQ(refused.status(), 429);
  EXPECT_TRUE(refused.value("RateLimit").starts_with("\"default\";r=0")) << visible(refused.head);
  EXPECT_EQ(upstream.request_count(), 5U);
}

TEST(ProxyCommand, GivesASecondOneAFreePortForItsAdminInterfaceQuietly) {
  FakeUpstream upstream;
  const Words words{"proxy", "--to", upstream.url(), "--listen", "127.0.0.1:0"};
  Gateway first(words);
  Gateway second(words);
  EXPECT_NE(admin_port(first.process()), admin_port(second.process()));
  EXPECT_FALSE(has(second.process().err(), "warn")) << second.process().err();
  EXPECT_EQ(Look(second.process()).get("/healthz").status(), 200);
}

TEST(ProxyCommand, IsAdministeredWhereItIsTold) {
  FakeUpstream upstream;
  const auto with = [&](const std::string& admin) {
    return Words{"proxy", "--to", upstream.url(), "--listen", "127.0.0.1:0", "--admin", admin};
  };
  Gateway off(with("off"));
  EXPECT_FALSE(has(off.process().err(), "admin_listening")) << off.process().err();
  Gateway there(with("127.0.0.1:0"));
  EXPECT_NE(admin_port(there.process()), 9900);
  const Ran nowhere = run_headgate(with("nowhere"));
  EXPECT_EQ(nowhere.code, 2) << nowhere.err;
}

TEST(ProxyCommand, CountsPerWhomItIsTold) {
  FakeUpstream upstream;
  const Gateway gateway(Words{"proxy", "--to", upstream.url(), "--limit", "1/minute", "--per", "header:X-Tenant",
                              "--listen", "127.0.0.1:0"});
  RawClient client = gateway.client();
  EXPECT_EQ(client.get("/", "X-Tenant: a\r\n").status(), 200);
  EXPECT_EQ(client.get("/", "X-Tenant: a\r\n").status(), 429);
  EXPECT_EQ(client.get("/", "X-Tenant: b\r\n").status(), 200);
}

TEST(ProxyCommand, WithoutALimitOnlyForwards) {
  FakeUpstream upstream;
  const Gateway gateway(Words{"proxy", "--to", upstream.url(), "--listen", "127.0.0.1:0"});
  RawClient client = gateway.client();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_FALSE(client.get().has("RateLimit"));
}

TEST(Echo, DoesWhatTheQueryOrTheFieldsSay) {
  const Gateway echo(Words{"echo", "--listen", "127.0.0.1:0"});
  RawClient client = echo.client();
  EXPECT_EQ(client.get("/x").status(), 200);
  EXPECT_EQ(client.get("/x?status=404").status(), 404);
  EXPECT_EQ(client.get("/x", "X-Echo-Status: 503\r\n").status(), 503);
  EXPECT_EQ(client.get("/x?bytes=100000").body.size(), 100000U);
  EXPECT_EQ(client.get("/x", "X-Echo-Bytes: 7\r\n").body.size(), 7U);
  EXPECT_EQ(client.ask(request("HEAD", "/x?bytes=100"), Kind::answer_to_head).value("Content-Length"), "100");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(client.get("/x?delay=200ms").status(), 200);
  EXPECT_EQ(client.get("/x", "X-Echo-Delay: 200ms\r\n").status(), 200);
  EXPECT_GE(std::chrono::steady_clock::now() - start, Milliseconds(400));
  for (const char* nonsense :
       {"/x?status=1", "/x?status=abc", "/x?bytes=-1", "/x?delay=5", "/x?bytes=1e9", "/x?status="}) {
    const Message answer = client.get(nonsense);
    EXPECT_TRUE(answer.ok() && (answer.status() == 200 || answer.status() == 400)) << nonsense << visible(answer.head);
    if (!answer.ok() || answer.status() == 400) client = echo.client();
  }
}

TEST(Echo, DescribesTheRequest) {
  const Gateway echo(Words{"echo", "--listen", "127.0.0.1:0"});
  RawClient client = echo.client();
  const Message answer = client.ask(request_with_body("POST", "/hello?a=b", "body", "X-Marked: yes\r\n"));
  EXPECT_TRUE(has(answer.body, "POST /hello?a=b")) << answer.body;
  EXPECT_TRUE(has(answer.body, "X-Marked: yes")) << answer.body;
  EXPECT_EQ(client.get().status(), 200);
}

TEST(Echo, HasDefaultsOfItsOwn) {
  const Gateway echo(Words{"echo", "--listen", "127.0.0.1:0", "--status", "418", "--bytes", "10"});
  const Message answer = echo.client().get();
  EXPECT_EQ(answer.status(), 418);
  EXPECT_EQ(answer.body.size(), 10U);
}

TEST(Echo, StandsBehindAGateway) {
  const Gateway echo(Words{"echo", "--listen", "127.0.0.1:0"});
  const Gateway gateway(Words{"proxy", "--to", "http://127.0.0.1:" + std::to_string(echo.port()), "--limit", "2/minute",
                              "--listen", "127.0.0.1:0"});
  RawClient client = gateway.client();
  EXPECT_TRUE(has(client.get("/hello").body, "X-Forwarded-For: 127.0.0.1"));
  EXPECT_EQ(client.get("/?status=404").status(), 404);
  EXPECT_EQ(client.get().status(), 429);
}

/// A gateway that has only this to say.
class Saying {
 public:
  explicit Saying(std::string json)
      : thread_([this, json = std::move(json)] {
          boost::asio::ip::tcp::iostream stream(door_.accept());
          std::string line;
          while (std::getline(stream, line) && line != "\r") continue;
          stream << "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
                 << json.size() << "\r\n\r\n"
                 << json << std::flush;
        }) {}
  ~Saying() { thread_.join(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(door_.local_endpoint().port()); }

 private:
  boost::asio::io_context loop_;
  boost::asio::ip::tcp::acceptor door_{loop_, {boost::asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

TEST(Traffic, ReadsLongTimesAsSeconds) {
  const Saying gateway(R"({"over_seconds": 10, "routes": [{"route": "slow", "requests_per_second": 1,
    "seconds": {"p50": 3.262, "p95": 12.49, "p99": 1204.2}, "own_seconds": {"p50": 0.000231, "p95": 0.0412, "p99": 0.999}}]})");
  const auto ran = run_headgate({"traffic", "--admin", gateway.url()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* time : {"3.26 s", "12.5 s", "1204 s", "0.231 ms", "41.2 ms", "999 ms"})
    EXPECT_TRUE(has(ran.out, time)) << time << " is not in " << ran.out;
}

TEST(Healthcheck, AsksTheAdminInterfaceUnlessItIsToldAnotherUrl) {
  FakeUpstream upstream;
  Json config = config_for(upstream);
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  Gateway gateway(config);
  const auto admin = "HEADGATE_ADMIN=http://127.0.0.1:" + std::to_string(admin_port(gateway.process())) + "/";
  const auto ran = run_headgate({"healthcheck"}, {admin});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(upstream.requests().size(), 0U) << "a probe is no request to a server";
  const auto gone = Socket::listen().local_port();
  const auto dead = run_headgate({"healthcheck"}, {"HEADGATE_ADMIN=http://127.0.0.1:" + std::to_string(gone)});
  EXPECT_EQ(dead.code, 1);
  EXPECT_TRUE(has(dead.err, "/healthz did not answer")) << dead.err;
}

TEST(Healthcheck, IsZeroOrOne) {
  FakeUpstream upstream;
  const Gateway gateway(config_for(upstream));
  EXPECT_EQ(run_headgate({"healthcheck", "http://127.0.0.1:" + std::to_string(gateway.port()) + "/"}).code, 0);
  Socket gone = Socket::listen();
  const std::string url = "http://127.0.0.1:" + std::to_string(gone.local_port()) + "/";
  gone.close();
  EXPECT_EQ(run_headgate({"healthcheck", url}).code, 1);
}

}  // namespace
}  // namespace headgate::test
