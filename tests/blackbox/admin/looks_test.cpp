// What an operator sees of a running gateway: bounds beside their use, traffic by route, queues before servers.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace headgate::test {
namespace {

const Json kLooked = {{"admin", {{"listen", "127.0.0.1:0"}}}, {"bounds", {{"connections", 20}}}};

/// The member of `list` whose `name` is `value`; null if there is none.
Json found_in(const Json& list, const std::string& name, const std::string& value) {
  for (const auto& each : list)
    if (each.value(name, "") == value) return each;
  return nullptr;
}

template <class Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 500; ++i, std::this_thread::sleep_for(Milliseconds(20)))
    if (condition()) return true;
  return false;
}

std::string run_against(const Operator& operators, const std::string& command) {
  Process shell({"-c", std::string(HEADGATE_BINARY) + ' ' + command + " --admin " + operators.url()}, {}, "/bin/sh");
  EXPECT_EQ(shell.wait(), 0) << command << '\n' << shell.err();
  return shell.out();
}

TEST(LooksAtBounds, NameTheBoundThatIsNearlyReachedAndWhoHoldsIt) {
  Proxy proxy(kLooked);
  const Operator operators(proxy.gateway.process());
  const auto row = [&] { return found_in(operators.get("/api/v1/bounds")["bounds"], "bound", "bounds.connections"); };
  EXPECT_EQ(row()["limit"], 20);
  EXPECT_EQ(row()["warns"], true);
  const auto near = [&] {
    return found_in(operators.get("/api/v1/status")["details"], "subject", "bounds.connections");
  };
  EXPECT_TRUE(near().is_null());
  std::vector<RawClient> clients;
  for (int i = 0; i < 19; ++i) {
    clients.push_back(proxy.client());
    EXPECT_EQ(clients.back().get("/").status(), 200);
  }
  EXPECT_EQ(row()["used"], 19);
  EXPECT_EQ(row()["held_by"], "127.0.0.1 (19)");
  ASSERT_TRUE(comes_true([&] { return !near().is_null(); }));
  EXPECT_EQ(near()["reason"], "bound_near");
  EXPECT_EQ(near()["why"], "19 of 20, most of it: 127.0.0.1 (19)");
  EXPECT_EQ(near()["command"], "headgate bounds");
  EXPECT_EQ(operators.get("/api/v1/status")["state"], "ready") << "nothing fails yet";
  EXPECT_EQ(operators.get("/api/v1/bounds")["bounds"][0]["bound"], "bounds.connections") << "the near ones come first";
  EXPECT_TRUE(Look(proxy.gateway.process()).comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_bound_used{bound="bounds.connections"})") == 19 &&
           now.value(R"(headgate_reason{reason="bound_near",subject="bounds.connections",severity="info"})") == 1;
  }));
  EXPECT_NE(run_against(operators, "bounds").find("bounds.connections"), std::string::npos);
}

TEST(LooksAtBounds, SayThatABoundIsReachedHowManyWereRefusedAndWhoFillsIt) {
  const Json hanging = {{"bounds", {{"connections", 5}}}, {"admin", {{"listen", "127.0.0.1:0"}}}};
  Proxy proxy(hanging);
  const Operator operators(proxy.gateway.process());
  std::vector<RawClient> busy;
  for (int i = 0; i < 5; ++i) {
    busy.push_back(proxy.client());
    busy.back().send(request("GET", "/", "X-Test-Delay-Ms: 20000\r\n"));
  }
  ASSERT_TRUE(proxy.upstream.wait_for_requests(5));
  for (int i = 0; i < 3; ++i) {
    const auto refused = proxy.client("127.0.0.2").get();
    expect_problem(refused, 503);
    EXPECT_EQ(Json::parse(refused.body)["code"], "full");
  }
  const auto reached = [&] {
    return found_in(operators.get("/api/v1/status")["details"], "subject", "bounds.connections");
  };
  ASSERT_TRUE(comes_true([&] { return !reached().is_null() && has(reached().dump(), "refused"); }));
  EXPECT_EQ(reached()["reason"], "bound_reached");
  EXPECT_EQ(reached()["why"], "5 of 5, 3 refused, most of it: 127.0.0.1 (5)");
  EXPECT_EQ(operators.get("/api/v1/status")["state"], "degraded");
  busy.clear();
  ASSERT_TRUE(comes_true([&] { return has(reached().dump(), "a moment ago"); })) << reached();
  EXPECT_EQ(reached()["reason"], "bound_reached") << "with fewer connections now";
}

TEST(LooksAtBounds, NameTrustedProxiesWhereTheyFillOneAndTheseGiveWayLast) {
  const Json behind = {{"bounds", {{"connections", 4}}},
                       {"identity", {{"trusted_proxies", {"127.0.0.1"}}}},
                       {"admin", {{"listen", "127.0.0.1:0"}}}};
  Proxy proxy(behind);
  const Operator operators(proxy.gateway.process());
  std::vector<RawClient> idle;
  for (int i = 0; i < 4; ++i) {
    idle.push_back(proxy.client());
    EXPECT_EQ(idle.back().get().status(), 200);
  }
  const auto row = [&] { return found_in(operators.get("/api/v1/bounds")["bounds"], "bound", "bounds.connections"); };
  EXPECT_EQ(row()["held_by"], "trusted proxies and exempt addresses (4)");
  EXPECT_EQ(proxy.client("127.0.0.2").get().status(), 200) << "the one that was idle longest made room";
  EXPECT_TRUE(idle.front().closes());
  EXPECT_EQ(proxy.client().get().status(), 200) << "their own new one too";
}

TEST(LooksAtBounds, HaveTheBoundsOfOtherPartsToo) {
  Proxy proxy({{"admin", {{"listen", "127.0.0.1:0"}}},
               {"memory", {{"max_keys", 5000}}},
               {"bounds", {{"buffered", "64MiB"}, {"connections_per_address", 50}}},
               {"limits", {{"x", {{"rate", "5/day"}, {"per", "client_ip"}}}}},
               {"all_routes", {{"limits", {"x"}}}}});
  EXPECT_EQ(proxy.client().get().status(), 200);
  const Operator operators(proxy.gateway.process());
  const auto table = operators.get("/api/v1/bounds")["bounds"];
  for (const std::string name :
       {"bounds.connections", "bounds.connections_per_address", "bounds.buffered", "bounds.handshakes", "descriptors",
        "memory.max_keys", "suspensions", "overrides", "log.access", "log.error", "metrics_of_routes",
        "admin.connections", "admin.events", "admin.dashboards"})
    EXPECT_FALSE(found_in(table, "bound", name).is_null()) << name;
  EXPECT_EQ(found_in(table, "bound", "memory.max_keys")["limit"], 5000);
  EXPECT_EQ(found_in(table, "bound", "memory.max_keys")["used"], 1);
  EXPECT_EQ(found_in(table, "bound", "memory.max_keys")["warns"], false) << "nothing that matters was forgotten";
  EXPECT_GT(found_in(table, "bound", "descriptors")["used"], 3);
  EXPECT_EQ(found_in(table, "bound", "admin.connections")["used"], 1) << "this call";
}

TEST(LooksAtServers, TellHowManyWait) {
  Json upstream = {{"max_in_flight", 1}, {"queue", {{"length", 3}, {"wait", "20s"}}}};
  FakeUpstream server;
  upstream["servers"] = {server.url()};
  Gateway gateway(config_for(server, {{"admin", {{"listen", "127.0.0.1:0"}}}, {"upstreams", {{"app", upstream}}}}));
  const Operator operators(gateway.process());
  auto held = gateway.client();
  held.send(request("GET", "/held", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(server.wait_for_heads(1));
  auto waits = gateway.client();
  waits.send(request("GET", "/"));
  const auto queue = [&] { return operators.get("/api/v1/servers")["upstreams"][0]["queues"][0]; };
  ASSERT_TRUE(comes_true([&] { return queue()["waiting"] == 1; })) << queue();
  EXPECT_EQ(queue()["length"], 3);
  EXPECT_EQ(queue()["for"], "servers");
  EXPECT_NE(run_against(operators, "servers").find("1 of 3"), std::string::npos);
  const auto bounds = operators.get("/api/v1/bounds")["bounds"];
  EXPECT_EQ(found_in(bounds, "bound", "upstreams.app.queue.length")["used"], 1);
  EXPECT_EQ(found_in(bounds, "bound", "upstreams.app.max_in_flight")["used"], 1);
  server.release();
  EXPECT_EQ(held.read().status(), 200);
  EXPECT_EQ(waits.read().status(), 200);
}

TEST(LooksAtTraffic, TellWhatEachRouteHasToDo) {
  const Json limit = {{"rate", "2/day"}, {"per", "client_ip"}};
  Proxy proxy({{"admin", {{"listen", "127.0.0.1:0"}}},
               {"limits", {{"x", limit}}},
               {"routes", Json::array({{{"name", "busy"}, {"path", "/busy"}, {"to", "app"}},
                                       {{"name", "tight"}, {"path", "/tight"}, {"to", "app"}, {"limits", {"x"}}},
                                       {{"name", "calm"}, {"path", "/calm"}, {"to", "app"}}})}});
  const Operator operators(proxy.gateway.process());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(proxy.client().get("/busy").status(), 200);
  for (int i = 0; i < 3; ++i) proxy.client().get("/tight");
  const auto ask = [&](const std::string& more) { return operators.get("/api/v1/traffic?window=1m" + more); };
  ASSERT_TRUE(comes_true([&] {
    const auto now = ask("");
    return now["routes"].size() == 2 && now["routes"][1]["statuses_per_second"]["429"] > 0;
  })) << ask("");
  const auto all = ask("");
  EXPECT_EQ(all["routes"][0]["route"], "busy");
  EXPECT_GT(all["routes"][0]["statuses_per_second"]["2xx"], 0);
  EXPECT_GT(all["routes"][0]["seconds"]["p99"], 0);
  EXPECT_GT(all["routes"][0]["own_seconds"]["p50"], 0);
  EXPECT_GT(all["routes"][1]["statuses_per_second"]["429"], 0);
  EXPECT_EQ(all["routes"][1]["statuses_per_second"]["4xx"], 0) << "429 has a number of its own";
  EXPECT_EQ(all["left_out"]["routes"], 0);
  const auto one = ask("&n=1");
  EXPECT_EQ(one["routes"].size(), 1U);
  EXPECT_EQ(one["left_out"]["routes"], 1);
  EXPECT_EQ(ask("&route=tight")["routes"][0]["route"], "tight");
  EXPECT_EQ(ask("&route=calm")["routes"].size(), 0U);
  expect_refusal(operators.ask("GET", "/api/v1/traffic?route=nobody"), 404);
  expect_refusal(operators.ask("GET", "/api/v1/traffic?n=0"), 400);
  expect_refusal(operators.ask("GET", "/api/v1/traffic?window=1h"), 400);
  const auto text = run_against(operators, "traffic --window 1m --limit 1");
  EXPECT_NE(text.find("busy"), std::string::npos) << text;
  EXPECT_NE(text.find("and 1 more"), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b"), std::string::npos) << "nothing is redrawn in a pipe";
  EXPECT_TRUE(Json::parse(run_against(operators, "traffic --json"), nullptr, false).is_object());
}

class LooksAtCertificates : public WithCertificates {};

TEST_F(LooksAtCertificates, TellWhatEndsSoonInTheSameWordsEverywhere) {
  Gateway gateway(
      in_front_of(1, trusting({{"certificate", files->path("expired.crt")}, {"key", files->path("expired.key")}})));
  const Operator operators(gateway.process());
  const auto list = operators.get("/api/v1/certificates")["certificates"];
  const auto own = found_in(list, "use", "upstream");
  ASSERT_FALSE(own.is_null()) << list;
  EXPECT_EQ(own["file"], files->path("expired.crt"));
  EXPECT_EQ(own["used_by"], Json::array({"app"}));
  EXPECT_EQ(own["names"], Json::array({"localhost", "127.0.0.1"}));
  EXPECT_LT(own["days_left"], 0);
  const auto authority = found_in(list, "use", "upstream_ca");
  EXPECT_EQ(authority["file"], files->path("ca.crt"));
  const auto sentence = "the certificate \"" + files->path("expired.crt") + "\" expires soon";
  EXPECT_TRUE(own.value("ending", "").starts_with(sentence + ": it has ended")) << own;
  const auto reason = [&] {
    return found_in(operators.get("/api/v1/status")["details"], "reason", "certificate_ends");
  };
  ASSERT_TRUE(comes_true([&] { return !reason().is_null(); }));
  EXPECT_EQ(reason()["sentence"], sentence);
  EXPECT_EQ(own["ending"], reason()["sentence"].get<std::string>() + ": " + reason()["why"].get<std::string>());
  EXPECT_EQ(reason()["command"], "headgate certs");
  const auto certs = run_headgate({"certs", "--admin", operators.url()});
  EXPECT_EQ(certs.code, 1);
  EXPECT_NE(certs.err.find(own["ending"].get<std::string>()), std::string::npos) << certs.err;
  EXPECT_NE(certs.out.find("expired.crt"), std::string::npos) << certs.out;
  EXPECT_EQ(run_headgate({"certs", "--json", "--admin", operators.url()}).code, 1);
}

TEST(LooksOfAReader, AreAllowed) {
  const Json admin = {{"listen", "127.0.0.1:0"}, {"token", "long-enough-token-1"}, {"read_token", "reads-only-12345"}};
  const Json changes = {{"admin", admin}};
  Proxy proxy(changes);
  const Operator reader(proxy.gateway.process(), "reads-only-12345");
  for (const auto* path : {"/api/v1/bounds", "/api/v1/traffic", "/api/v1/certificates", "/api/v1/servers"})
    EXPECT_EQ(reader.ask("GET", path).status(), 200) << path;
  EXPECT_EQ(Operator(reader.port()).ask("GET", "/api/v1/certificates").status(), 401);
}

}  // namespace
}  // namespace headgate::test
