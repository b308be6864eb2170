// A server that an operator takes down: what is in flight there ends now.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace headgate::test {
namespace {

using testing::HasSubstr;

/// Two servers behind two workers. The first one is taken down.
class ServersDown : public testing::Test {
 protected:
  void begin(const Json& upstream = Json::object(), const Json& more = Json::object()) {
    Json app = {{"servers", {first.url(), second.url()}}};
    app.merge_patch(upstream);
    changes = {{"admin", {{"listen", "127.0.0.1:0"}}}, {"workers", 2}, {"upstreams", {{"app", app}}}};
    changes.merge_patch(more);
    gateway = std::make_unique<Reloaded>(changes);
    operators = std::make_unique<Operator>(gateway->process());
  }
  Message use(const std::string& state, const FakeUpstream& server, const std::string& query = "") const {
    return operators->ask("PUT",
                          "/api/v1/upstreams/app/servers/127.0.0.1:" + std::to_string(server.port()) + "/state" + query,
                          R"({"state": ")" + state + "\"}");
  }
  RawClient client() const { return gateway->client(); }
  /// Sends requests that are held, until the first server has so many of them.
  std::vector<RawClient> held_at_first(std::size_t count, const std::string& method = "GET",
                                       const std::string& fields = "X-Test-Hold: 1\r\n", const std::string& body = "") {
    std::vector<RawClient> out;
    const auto before = first.request_count();
    while (first.request_count() < before + count && out.size() < 200) {
      const auto now = first.request_count() + second.request_count();
      auto& one = out.emplace_back(client());
      one.send(request(method, "/",
                       fields + (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n")) +
               body);
      for (int i = 0; i < 200 && first.request_count() + second.request_count() == now; ++i)
        std::this_thread::sleep_for(Milliseconds(5));
    }
    EXPECT_GE(first.request_count(), before + count);
    return out;
  }
  Json server(std::size_t at) const { return operators->get("/api/v1/servers")["upstreams"][0]["servers"][at]; }

  FakeUpstream first, second;
  Json changes;
  std::unique_ptr<Reloaded> gateway;
  std::unique_ptr<Operator> operators;
};

TEST_F(ServersDown, LoseWhatIsInFlightAndGetNothingUntilTheyAreUp) {
  begin();
  auto clients = held_at_first(4);
  const auto at_second = clients.size() - 4;
  const auto answer = use("down", first);
  EXPECT_EQ(answer.status(), 200) << answer.body;
  EXPECT_EQ(Json::parse(answer.body)["in_flight"], 4) << answer.body;
  second.release();  // and only this one
  std::size_t lost = 0, well = 0;
  for (auto& one : clients) {
    const auto got = one.read();
    lost += got.status() == 502 ? 1 : 0;
    well += got.status() == 200 ? 1 : 0;
  }
  EXPECT_EQ(lost, 4U);
  EXPECT_EQ(well, at_second);
  EXPECT_EQ(server(0)["out"], Json::array({"down"}));
  EXPECT_EQ(server(0)["in"], false);
  EXPECT_TRUE(Look(gateway->process()).comes_to([&](const MetricsText& now) {
    return now.value(R"(headgate_upstream_server_up{upstream="app",server="127.0.0.1:)" + std::to_string(first.port()) +
                     "\"}") == 0;
  }));
  const auto before = first.connections();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client().get().status(), 200);
  EXPECT_EQ(first.connections(), before);
  auto next = changes;
  next["upstreams"]["app"]["balance"] = "round_robin";
  ASSERT_TRUE(gateway->reload(next));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client().get().status(), 200);
  EXPECT_EQ(first.connections(), before) << "it stays down over a reload";
  first.release();
  EXPECT_TRUE(first.wait_for_closed(before));
  EXPECT_EQ(use("up", first).status(), 200);
  for (int i = 0; i < 100 && first.connections() == before; ++i) EXPECT_EQ(client().get().status(), 200);
  EXPECT_GT(first.connections(), before);
  EXPECT_TRUE(wait_until([&] { return server(0)["in"] == true; }));
  // Another thread writes the log.
  for (int i = 0; i < 100 && !has(gateway->process().out(), "an operator took it down"); ++i) client().get();
  EXPECT_THAT(gateway->process().out(), testing::HasSubstr("an operator took it down"));
}

TEST_F(ServersDown, AreLeftByRequestsThatMayBeRetried) {
  begin({{"retry", {{"budget", "100%"}}}});
  auto clients = held_at_first(3);
  EXPECT_EQ(use("down", first).status(), 200);
  second.release();
  for (auto& one : clients) EXPECT_EQ(one.read().status(), 200);
}

TEST_F(ServersDown, AreNotLeftByRequestsThatMayNotBeRepeated) {
  begin({{"retry", {{"budget", "100%"}}}});
  auto clients = held_at_first(1, "POST", "X-Test-Hold: 1\r\n", "once");
  EXPECT_EQ(use("down", first).status(), 200);
  second.release();
  std::size_t lost = 0;
  for (auto& one : clients) lost += one.read().status() == 502 ? 1 : 0;
  EXPECT_EQ(lost, 1U);
}

TEST_F(ServersDown, CutAnswersOffThatHaveBegun) {
  begin({{"retry", {{"budget", "100%"}}}});
  auto clients = held_at_first(1, "GET", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\n");
  auto& last = clients.back();
  EXPECT_EQ(last.read_head().status(), 200);
  EXPECT_EQ(use("down", first).status(), 200);
  EXPECT_LT(last.read_to_end().size(), 1000U);
  second.release();
}

TEST_F(ServersDown, CloseIdleConnectionsOnAllWorkers) {
  begin();
  for (int i = 0; i < 100 && first.connections() < 2; ++i) EXPECT_EQ(client().get().status(), 200);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client().get().status(), 200);
  const auto open = first.connections();
  const auto others = second.closed();
  ASSERT_GE(open, 1U);
  EXPECT_EQ(use("down", first).status(), 200);
  EXPECT_TRUE(first.wait_for_closed(open));
  EXPECT_EQ(second.closed(), others);
}

TEST_F(ServersDown, CloseTunnels) {
  begin();
  const std::string upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  std::vector<RawClient> tunnels;
  while (first.request_count() < 2 && tunnels.size() < 100) {
    auto& one = tunnels.emplace_back(client());
    one.send(request("GET", "/ws", upgrade));
    ASSERT_EQ(one.read_head().status(), 101);
  }
  ASSERT_EQ(first.request_count(), 2U);
  EXPECT_EQ(use("down", first).status(), 200);
  EXPECT_TRUE(first.wait_for_closed(2));
  std::size_t alive = 0;
  for (auto& one : tunnels) {
    one.send("hello");
    alive += one.read_bytes(5) == "hello" ? 1 : 0;
  }
  EXPECT_EQ(alive, second.request_count()) << "tunnels elsewhere go on";
}

TEST_F(ServersDown, AreTheLastOnesOnlyByForce) {
  begin();
  EXPECT_EQ(use("down", first).status(), 200);
  expect_refusal(use("down", second), 409);
  expect_refusal(use("drain", second), 409);
  EXPECT_EQ(use("down", second, "?force").status(), 200);
  const auto status = client().get().status();
  EXPECT_TRUE(status == 502 || status == 503) << status;
  EXPECT_EQ(use("drain", first, "?force").status(), 200);
  EXPECT_EQ(server(0)["out"], Json::array({"drained"})) << "one state follows the other";
  EXPECT_EQ(use("up", first).status(), 200);
  EXPECT_EQ(client().get().status(), 200);
}

TEST_F(ServersDown, EndCopiesOfAMirrorAndNothingElse) {
  FakeUpstream shadow;
  begin(Json::object(), {{"upstreams", {{"shadow", {{"servers", {shadow.url()}}}}}},
                         {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"mirror", {{"to", "shadow"}}}}})}});
  auto one = client();
  one.send(request("GET", "/", "X-Test-Delay-Ms: 300\r\n"));
  ASSERT_TRUE(shadow.wait_for_heads(1));
  const auto name = "127.0.0.1:" + std::to_string(shadow.port());
  EXPECT_EQ(operators->ask("PUT", "/api/v1/upstreams/shadow/servers/" + name + "/state?force", R"({"state": "down"})")
                .status(),
            200);
  EXPECT_TRUE(shadow.wait_for_closed(1));
  EXPECT_EQ(one.read().status(), 200);
  EXPECT_EQ(client().get().status(), 200) << "a copy that finds no server hurts nobody";
}

TEST_F(ServersDown, AreAskedByNoHealthCheckUntilTheyAreUp) {
  CheckedServer checked("one"), other("two");
  Json upstreams;
  upstreams["app"] = {{"servers", {checked.url(), other.url()}},
                      {"health", {{"path", "/healthz"}, {"every", "100ms"}, {"timeout", "300ms"}}}};
  begin(Json::object(), {{"upstreams", upstreams}});
  ASSERT_TRUE(checked.wait_for_checks(2));
  const auto target = "/api/v1/upstreams/app/servers/" + checked.url().substr(7) + "/state";
  EXPECT_EQ(operators->ask("PUT", target, R"({"state": "down"})").status(), 200);
  ASSERT_TRUE(other.wait_for_checks(2)) << "one may be on its way";
  const auto then = checked.checks();
  ASSERT_TRUE(other.wait_for_checks(6));
  EXPECT_EQ(checked.checks(), then);
  EXPECT_EQ(operators->ask("PUT", target, R"({"state": "up"})").status(), 200);
  EXPECT_TRUE(checked.wait_for_checks(2));
}

TEST_F(ServersDown, HaveTheWeightThatAnOperatorGivesThemUntilTheFileSaysSomethingElse) {
  begin();
  const auto size = [this](const std::string& body) {
    return operators->ask("PUT", "/api/v1/upstreams/app/servers/127.0.0.1:" + std::to_string(first.port()) + "/size",
                          body);
  };
  for (const auto* const wrong : {"", "[]", "{}", R"({"weight": 0})", R"({"weight": 1001})", R"({"weight": "3"})",
                                  R"({"weight": 3, "colour": 1})", R"({"max_in_flight": -1})"})
    EXPECT_EQ(size(wrong).status(), 400) << wrong;
  EXPECT_EQ(size(R"({"max_in_flight": 5})").status(), 409) << "the configuration does not bound it";
  EXPECT_EQ(server(0)["weight"], 1);

  const auto answer = size(R"({"weight": 3})");
  EXPECT_EQ(answer.status(), 200) << answer.body;
  ASSERT_TRUE(wait_until([this] { return server(0)["weight"] == 3; }));
  EXPECT_EQ(server(0)["set_by_operator"], true);
  const auto share_of_first = [this] {
    const auto before = first.request_count();
    auto one = client();
    for (int i = 0; i < 40; ++i) EXPECT_EQ(one.get().status(), 200);
    return first.request_count() - before;
  };
  // The turns of unequal weights are spread evenly over any forty, to three more or fewer; without the weight it
  // has 20.
  const auto has_three_of_four = [&] { return std::abs(static_cast<int>(share_of_first()) - 30) <= 3; };
  EXPECT_TRUE(wait_until(has_three_of_four));

  changes["drain"] = "7s";
  ASSERT_TRUE(gateway->reload(changes));
  EXPECT_EQ(server(0)["weight"], 3) << "this reload does not change the server";
  EXPECT_TRUE(has_three_of_four());
  changes["upstreams"]["app"]["servers"][0] = {{"url", first.url()}, {"weight", 2}};
  ASSERT_TRUE(gateway->reload(changes));
  EXPECT_EQ(server(0)["weight"], 2);
  EXPECT_TRUE(gateway->process().wait_for_err(
      [](const std::string& log) { return log.find("\"server_size_ended\"") != std::string::npos; }));
}

TEST_F(ServersDown, HaveTheBoundThatAnOperatorGivesThem) {
  begin({{"max_in_flight", 1}, {"servers", Json::array({first.url()})}});
  auto held = held_at_first(1);
  EXPECT_EQ(client().get().status(), 503);
  const auto answer =
      operators->ask("PUT", "/api/v1/upstreams/app/servers/127.0.0.1:" + std::to_string(first.port()) + "/size",
                     R"({"max_in_flight": 2})");
  EXPECT_EQ(answer.status(), 200) << answer.body;
  EXPECT_TRUE(wait_until([this] { return server(0)["max_in_flight"] == 2; }));
  EXPECT_TRUE(wait_until([this] { return client().get().status() == 200; }));
  // An answer is read a moment before its place is free.
  EXPECT_TRUE(wait_until([this] { return server(0)["in_flight"] == 1; })) << "what was under way is counted on";
  first.release();
  EXPECT_EQ(held[0].read().status(), 200);
}

}  // namespace
}  // namespace headgate::test
