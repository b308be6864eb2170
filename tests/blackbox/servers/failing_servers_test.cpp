// Two real servers and nothing configured: one hangs, answers 500, dies, or comes and goes. The other is healthy.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// `headgate echo`, which can be stopped, ended and started again on its port.
class Server {
 public:
  explicit Server(const Words& more = {}) : port_(Socket::listen().local_port()) { start(more); }
  ~Server() {
    hang(false);
    end();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start(const Words& more = {}) {
    Words words{"echo", "--listen", "127.0.0.1:" + std::to_string(port_)};
    words.insert(words.end(), more.begin(), more.end());
    process_ = std::make_unique<Process>(words);
    const auto until = Clock::now() + kPatience;
    while (!Socket::connect(port_).is_open() && Clock::now() < until) std::this_thread::sleep_for(milliseconds(5));
  }
  void end() { process_->kill9(); }
  /// Its connections stay, and new ones are accepted by the kernel, but nothing is answered.
  void hang(bool hangs) const { process_->signal(hangs ? SIGSTOP : SIGCONT); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string name() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  std::uint16_t port_;
  std::unique_ptr<Process> process_;
};

/// Clients that ask again and again, each on its own connection, with a pause after each answer.
class Callers {
 public:
  Callers(const Gateway& gateway, unsigned count, milliseconds pause) {
    for (unsigned i = 0; i < count; ++i)
      threads_.emplace_back([this, &gateway, pause] {
        RawClient client = gateway.client();
        while (!over_) {
          const bool good = client.get().status() == 200;
          ++(good ? good_ : bad_);
          if (!good) client = gateway.client();
          std::this_thread::sleep_for(pause);
        }
      });
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;
  ~Callers() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }

  unsigned good() const { return good_; }
  unsigned bad() const { return bad_; }
  /// Waits until so many more have been answered.
  void answer(unsigned more) const {
    const auto wanted = good_ + more;
    const auto until = Clock::now() + kPatience;
    while (good_ < wanted && Clock::now() < until) std::this_thread::sleep_for(milliseconds(5));
  }

 private:
  std::atomic<bool> over_ = false;
  std::atomic<unsigned> good_ = 0;
  std::atomic<unsigned> bad_ = 0;
  std::vector<std::thread> threads_;
};

class FailingServers : public testing::Test {
 protected:
  /// `upstream` is merged into the upstream of both servers.
  void start(const Json& upstream = Json::object(), const Json& route = Json::object()) {
    gateway.emplace(config(upstream, route));
  }
  Json config(const Json& upstream = Json::object(), const Json& route = Json::object()) const {
    Json app = {{"servers", {one.url(), two.url()}}};
    app.merge_patch(upstream);
    Json all = {{"path", "/*"}, {"to", "app"}};
    all.merge_patch(route);
    return {{"upstreams", {{"app", app}}}, {"routes", Json::array({all})}, {"admin", {{"listen", "127.0.0.1:0"}}}};
  }
  bool logged(const std::string& event, std::size_t times = 1) {
    return gateway->process().wait_for_err(
        [&](const std::string& log) { return count_of(log, '"' + event + '"') >= times; });
  }
  /// What the admin interface says of the second server.
  Json second() {
    const auto answer = Look(gateway->process()).get("/api/v1/servers");
    return Json::parse(answer.body)["upstreams"][0]["servers"][1];
  }
  /// For tests that wait for the way back.
  static Json quick() { return {{"eject", {{"time", "300ms"}}}}; }

  Server one;
  Server two;
  std::optional<Reloaded> gateway;
};

TEST_F(FailingServers, OneThatHangsIsOutWithinSecondsAndOneInFortySuffersAfterThat) {
  start();
  Callers callers(gateway->gateway(), 20, milliseconds(20));
  callers.answer(100);
  EXPECT_EQ(callers.bad(), 0U);
  two.hang(true);
  const auto begun = Clock::now();
  ASSERT_TRUE(logged("server_ejected"));
  EXPECT_LE(Clock::now() - begun, seconds(7));
  const auto server = second();
  EXPECT_EQ(server["server"], two.name());
  EXPECT_EQ(server["in"], false);
  EXPECT_EQ(server["reason"], "silent");
  Callers later(gateway->gateway(), 10, milliseconds(5));
  later.answer(200);
  EXPECT_GE(later.good(), 200U);
  EXPECT_EQ(later.bad(), 0U) << "nobody new is sent to it";
  two.hang(false);
}

TEST_F(FailingServers, OneThatHangsComesBackAndItsTrialsAreFew) {
  start(quick(), {{"timeout", "1s"}});
  Callers callers(gateway->gateway(), 20, milliseconds(10));
  callers.answer(100);
  two.hang(true);
  ASSERT_TRUE(logged("server_ejected"));
  // Whoever waits for it gets a 504 after a second.
  std::this_thread::sleep_for(milliseconds(1100));
  const auto good = callers.good();
  const auto bad = callers.bad();
  ASSERT_TRUE(logged("server_trial_failed"));
  std::this_thread::sleep_for(seconds(1));
  EXPECT_LE((callers.bad() - bad) * 40, callers.good() - good + callers.bad() - bad);
  two.hang(false);
  ASSERT_TRUE(logged("server_returned"));
  EXPECT_EQ(second()["in"], true);
}

TEST_F(FailingServers, OneThatAnswers500IsOutAfterThreeOfThem) {
  two.end();
  two.start({"--status", "500"});
  start();
  RawClient client = gateway->client();
  unsigned bad = 0;
  for (int i = 0; i < 6; ++i) bad += client.get().status() == 500;
  EXPECT_EQ(bad, 3U);
  ASSERT_TRUE(logged("server_ejected"));
  bad = 0;
  for (int i = 0; i < 200; ++i) bad += client.get().status() != 200;
  EXPECT_EQ(bad, 0U);
  const Look look(gateway->process());
  const auto metrics = look.text();
  EXPECT_TRUE(has(metrics, R"(headgate_upstream_server_up{upstream="app",server=")" + two.name() + "\"} 0"));
  EXPECT_TRUE(has(metrics, R"(headgate_upstream_server_up{upstream="app",server=")" + one.name() + "\"} 1"));
  EXPECT_TRUE(has(metrics, R"(headgate_upstream_ejections_total{upstream="app",server=")" + two.name() +
                               R"(",reason="failing"} 1)"));
  EXPECT_EQ(look.get("/readyz").status(), 200) << "the other one serves";
}

TEST_F(FailingServers, OneThatDiesFailsNobodyWhoCanBeSentElsewhereAndComesBack) {
  start(quick());
  Callers callers(gateway->gateway(), 10, milliseconds(10));
  callers.answer(50);
  two.end();
  ASSERT_TRUE(logged("server_ejected"));
  EXPECT_LE(callers.bad(), 10U) << "at most those that it was answering";
  EXPECT_EQ(second()["in"], false);
  const auto bad = callers.bad();
  ASSERT_TRUE(logged("server_trial_failed"));
  two.start();
  ASSERT_TRUE(logged("server_returned"));
  EXPECT_EQ(callers.bad(), bad) << "a trial that reaches nobody costs its caller nothing";
}

TEST_F(FailingServers, OneThatComesAndGoesIsOutLongerEachTime) {
  start(quick());
  Callers callers(gateway->gateway(), 10, milliseconds(5));
  for (std::size_t i = 1; i <= 2; ++i) {
    two.end();
    ASSERT_TRUE(logged("server_ejected", i));
    two.start();
    ASSERT_TRUE(logged("server_returned", i));
  }
  two.end();
  ASSERT_TRUE(logged("server_ejected", 3));
  const auto log = gateway->process().err();
  EXPECT_TRUE(has(log, R"("next_trial_in":"300ms")")) << log;
  EXPECT_FALSE(has(log.substr(log.rfind("\"server_ejected\"")), R"("next_trial_in":"300ms")")) << log;
}

TEST_F(FailingServers, AReloadKeepsAnEjection) {
  two.end();
  two.start({"--status", "500"});
  const Json long_time = {{"time", "1m"}};
  const Json other = {{"eject", long_time}, {"idle_timeout", "20s"}};
  start({{"eject", long_time}});
  RawClient client = gateway->client();
  for (int i = 0; i < 6; ++i) client.get();
  ASSERT_TRUE(logged("server_ejected"));
  ASSERT_TRUE(gateway->reload(config(other)));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get().status(), 200) << "the upstream is another, the server is not";
  ASSERT_TRUE(gateway->reload(config(other, {{"timeout", "20s"}})));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get().status(), 200) << "the upstream is the same";
  ASSERT_TRUE(gateway->reload(config({{"eject", "off"}})));
  unsigned bad = 0;
  for (int i = 0; i < 20; ++i) bad += client.get().status() == 500;
  EXPECT_EQ(bad, 10U);
}

TEST_F(FailingServers, IfBothFailBothStay) {
  one.end();
  two.end();
  one.start({"--status", "500"});
  two.start({"--status", "500"});
  start();
  RawClient client = gateway->client();
  for (int i = 0; i < 40; ++i) EXPECT_EQ(client.get().status(), 500);
  std::this_thread::sleep_for(milliseconds(600));
  EXPECT_EQ(second()["in"], true);
}

TEST_F(FailingServers, WhereNoneCanBeReachedTheGatewaySaysSo) {
  start();
  const Look look(gateway->process());
  RawClient client = gateway->client();
  EXPECT_EQ(client.get().status(), 200);
  const auto up = [this](const Server& server) {
    return "headgate_upstream_server_up{upstream=\"app\",server=\"" + server.name() + "\"}";
  };
  EXPECT_EQ(look.metrics().value(up(one)), 1);
  EXPECT_EQ(Json::parse(look.get("/api/v1/status").body)["details"], Json::array());

  one.end();
  two.end();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(gateway->client().get().status(), 502);
  const auto reason = R"(headgate_reason{reason="no_server",subject="app",severity="degraded"})";
  // The answer at the start may be of the moment for which the first failures are counted: more must come after it.
  ASSERT_TRUE(look.comes_to([&](const MetricsText& now) {
    EXPECT_EQ(client.get().status(), 502);
    client = gateway->client();
    return now.value(reason) == 1;
  }));
  EXPECT_EQ(look.metrics().value(up(one)), 0) << "although it still gets requests";
  EXPECT_EQ(look.metrics().value(up(two)), 0);
  EXPECT_EQ(look.get("/readyz").body, "ready, but degraded: no server of upstream \"app\" answers\n");
  EXPECT_EQ(look.get("/readyz").status(), 200) << "other upstreams may work";
  const auto status = Json::parse(look.get("/api/v1/status").body);
  EXPECT_EQ(status["state"], "degraded");
  EXPECT_EQ(status["details"][0]["reason"], "no_server");
  EXPECT_TRUE(has(status["details"][0]["why"].get<std::string>(), "could not be connected to")) << status;
  EXPECT_EQ(status["details"][0]["command"], "headgate servers");
  ASSERT_TRUE(logged("reason_began"));
  EXPECT_EQ(second()["up"], false);
  EXPECT_EQ(second()["failing"]["last"], "could not be connected to");
  EXPECT_GE(second()["failing"]["in_a_row"], 3);

  Operator operators(gateway->process());
  const auto told = Json::parse(operators.ask("POST", "/api/v1/explain", R"({"url": "/x"})").body);
  EXPECT_EQ(told["outcome"]["passes"], false) << told;
  EXPECT_EQ(told["outcome"]["fails"]["upstream"], "app");

  one.start();
  ASSERT_TRUE(wait_until([&] { return gateway->client().get().status() == 200; }));
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return !now.value(reason) && now.value(up(one)) == 1; }));
  EXPECT_EQ(look.get("/readyz").body, "ready\n");
  ASSERT_TRUE(logged("reason_ended"));
}

TEST_F(FailingServers, OneWithoutPeersIsDownWhenNothingReachesIt) {
  start({{"servers", Json::array({one.url()})}});
  const Look look(gateway->process());
  one.end();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(gateway->client().get().status(), 502);
  const auto up = "headgate_upstream_server_up{upstream=\"app\",server=\"" + one.name() + "\"}";
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return now.value(up) == 0; }));
  const Ran told = run_headgate({"servers", "--admin", Operator(gateway->process()).url()});
  EXPECT_TRUE(has(told.out, "failing")) << told.out << told.err;
  EXPECT_TRUE(has(told.out, "could not be connected to")) << told.out;
}

TEST_F(FailingServers, AnOpenCircuitRefusesAtOnceAndClosesAgain) {
  one.end();
  two.end();
  one.start({"--status", "503"});
  two.start({"--status", "503"});
  start({{"circuit", {{"at_least", 10}, {"try_again", "1s"}}}});
  RawClient client = gateway->client();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(client.get().status(), 503);
  ASSERT_TRUE(logged("circuit_opened"));
  const Message refused = client.get();
  expect_problem(refused, 503);
  EXPECT_EQ(refused.value("Retry-After"), "1");
  EXPECT_TRUE(has(refused.body, "The servers behind this gateway are failing at the moment."));
  const Look look(gateway->process());
  EXPECT_TRUE(has(look.text(), "headgate_upstream_circuit_open{upstream=\"app\"} 1"));
  EXPECT_EQ(Json::parse(look.get("/api/v1/servers").body)["upstreams"][0]["circuit"], "open");
  one.end();
  two.end();
  one.start();
  two.start();
  ASSERT_TRUE(logged("circuit_tries"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get().status(), 200);
  ASSERT_TRUE(logged("circuit_closed"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_TRUE(has(look.text(), "headgate_upstream_circuit_refused_total{upstream=\"app\"} 1"));
}

}  // namespace
}  // namespace headgate::test
