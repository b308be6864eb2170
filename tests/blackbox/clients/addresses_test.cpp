// From which addresses routes may be used, and routes that are chosen by the address.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "blackbox/limits/comes.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace headgate::test {
namespace {

/// "/open" for all; "/office" for two blocks but one address in them; all routes not for 127.0.0.66.
Json by_addresses() {
  return {{"all_routes", {{"addresses", {{"deny", {"127.0.0.66"}}}}}},
          {"routes",
           Json::array({{{"path", "/open"}, {"to", "app"}},
                        {{"path", "/office"},
                         {"to", "app"},
                         {"addresses", {{"allow", {"127.0.0.0/28", "127.1.0.0/16"}}, {"deny", {"127.0.0.9"}}}}}})}};
}

int status(const Proxy& proxy, const std::string& source, const std::string& path, const std::string& fields = "") {
  return proxy.client(source).get(path, fields).status();
}

TEST(Addresses, AreLetInByTheSmallestBlockThatHoldsThem) {
  const Proxy proxy(by_addresses());
  EXPECT_EQ(status(proxy, "127.0.0.5", "/office"), 200);
  EXPECT_EQ(status(proxy, "127.1.9.9", "/office"), 200);
  EXPECT_EQ(status(proxy, "127.0.0.9", "/office"), 403) << "denied within an allowed block";
  EXPECT_EQ(status(proxy, "127.0.0.16", "/office"), 403) << "in no block";
  EXPECT_EQ(status(proxy, "127.0.0.16", "/open"), 200);
  EXPECT_EQ(status(proxy, "127.0.0.66", "/open"), 403) << "denied for all routes";
}

TEST(Addresses, ThatAreDeniedGetAProblemThatSaysNothingElse) {
  const Proxy proxy(by_addresses());
  const Message answer = proxy.client("127.0.0.9").get("/office");
  expect_problem(answer, 403);
  EXPECT_NE(answer.body.find("Requests from this address are not accepted here."), std::string::npos);
  EXPECT_EQ(answer.body.find("127.0.0.9"), std::string::npos);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Addresses, CannotBeClaimedByAField) {
  auto config = by_addresses();
  const Proxy none(config);
  EXPECT_EQ(status(none, "127.0.0.16", "/office", "X-Forwarded-For: 127.0.0.5\r\n"), 403);
  config["identity"]["trusted_proxies"] = {"127.0.0.16/32"};
  const Proxy proxy(config);
  EXPECT_EQ(status(proxy, "127.0.0.16", "/office", "X-Forwarded-For: 127.0.0.5\r\n"), 200);
  EXPECT_EQ(status(proxy, "127.0.0.16", "/office", "X-Forwarded-For: 127.0.0.5, 127.0.0.9\r\n"), 403);
  EXPECT_EQ(status(proxy, "127.0.0.16", "/open", "X-Forwarded-For: ::ffff:127.0.0.66\r\n"), 403);
}

TEST(Addresses, AreSeenInLogMetricsAndExplain) {
  auto config = by_addresses();
  config["log"] = {{"format", "json"}, {"access", "stderr"}};
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  Proxy proxy(config);
  EXPECT_EQ(status(proxy, "127.0.0.9", "/office"), 403);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return has(log, R"("ended_by":"auth")") && has(log, "address:denied") && has(log, "127.0.0.9 is denied");
  })) << proxy.gateway.process().err();
  const Operator admin(proxy.gateway.process());
  const auto metrics = admin.ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find(R"(kind="address",result="denied")"), std::string::npos) << metrics;
  const auto told = Json::parse(admin.ask("POST", "/api/v1/explain", R"({"url": "/office", "ip": "127.0.0.16"})").body);
  EXPECT_EQ(told["outcome"]["status"], 403) << told;
  EXPECT_NE(told.dump().find("denied"), std::string::npos) << told;
}

TEST(Addresses, OfPreflightsAreLookedAtToo) {
  auto config = by_addresses();
  config["all_routes"]["cors"] = {{"origins", {"https://app.example.com"}}};
  const Proxy proxy(config);
  const auto asked = [&](const std::string& source) {
    return proxy.client(source)
        .ask(request("OPTIONS", "/office", "Origin: https://app.example.com\r\nAccess-Control-Request-Method: GET\r\n"))
        .status();
  };
  EXPECT_EQ(asked("127.0.0.5"), 204);
  EXPECT_EQ(asked("127.0.0.9"), 403);
}

TEST(AddressFiles, AreReadAgainAndABadOneChangesNothing) {
  const TemporaryFile denied("# nobody yet\n", "denied.txt");
  Proxy proxy(
      Json{{"admin", {{"listen", "127.0.0.1:0"}}}, {"all_routes", {{"addresses", {{"deny_file", denied.path()}}}}}});
  EXPECT_EQ(status(proxy, "127.0.0.7", "/"), 200);
  std::ofstream(denied.path()) << "127.0.0.0/29 # all of them\n";
  EXPECT_TRUE(comes(Milliseconds(10'000), [&] { return status(proxy, "127.0.0.7", "/") == 403; }));
  EXPECT_EQ(status(proxy, "127.0.0.8", "/"), 200);
  std::ofstream(denied.path()) << "127.0.0.0/24\n127.0.0.300\n";
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([&](const std::string& log) {
    return log.find("addresses_refused") != std::string::npos && log.find(denied.path() + ":2: ") != std::string::npos;
  })) << proxy.gateway.process().err();
  EXPECT_EQ(status(proxy, "127.0.0.7", "/"), 403);
  EXPECT_EQ(status(proxy, "127.0.0.8", "/"), 200);
  const Operator admin(proxy.gateway.process());
  EXPECT_TRUE(comes(Milliseconds(10'000), [&] {
    return admin.get("/api/v1/status").dump().find("addresses_refused") != std::string::npos;
  })) << admin.get("/api/v1/status");
  std::ofstream(denied.path()) << "";
  EXPECT_TRUE(comes(Milliseconds(10'000), [&] { return status(proxy, "127.0.0.7", "/") == 200; }));
  EXPECT_TRUE(comes(Milliseconds(10'000),
                    [&] { return admin.get("/api/v1/status").dump().find("addresses_refused") == std::string::npos; }));
}

TEST(AddressFiles, HoldForTheNextProcessToo) {
  const TemporaryFile denied("127.0.0.7\n", "denied.txt");
  Upgraded upgraded(Json{{"all_routes", {{"addresses", {{"deny_file", denied.path()}}}}}});
  const auto from = [&](const std::string& source) {
    return RawClient(upgraded.gateway.gateway().port(0), source).get().status();
  };
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  EXPECT_EQ(from("127.0.0.7"), 403);
  EXPECT_EQ(from("127.0.0.8"), 200);
  std::ofstream(denied.path()) << "127.0.0.8\n";
  EXPECT_TRUE(comes(Milliseconds(10'000), [&] { return from("127.0.0.8") == 403 && from("127.0.0.7") == 200; }));
  std::ofstream(denied.path()) << "127.0.0.300\n";
  ASSERT_TRUE(upgraded.gateway.tells("\"upgrade_failed\"", [&] { ::kill(upgraded.processes().back(), SIGUSR2); }))
      << upgraded.gateway.process().err();
  EXPECT_EQ(from("127.0.0.8"), 403) << "whoever serves goes on with what it knows";
}

TEST(AddressFiles, ThatAllowRefuseAllOthersAlsoWhenTheyAreEmpty) {
  const TemporaryFile allowed("", "allowed.txt");
  Proxy proxy(Json{{"all_routes", {{"addresses", {{"allow_file", Json::array({allowed.path()})}}}}}});
  EXPECT_EQ(status(proxy, "127.0.0.7", "/"), 403);
  std::ofstream(allowed.path()) << "127.0.0.7\n";
  EXPECT_TRUE(comes(Milliseconds(10'000), [&] { return status(proxy, "127.0.0.7", "/") == 200; }));
  EXPECT_EQ(status(proxy, "127.0.0.8", "/"), 403);
}

TEST(AddressFiles, MayHaveManyBlocks) {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += "10." + std::to_string(i % 250) + '.' + std::to_string(i / 250 % 250) + '.' +
            std::to_string(i / 62'500 * 2) + '\n';
  const TemporaryFile denied(text + "127.0.0.7\n", "denied.txt");
  const Proxy proxy(Json{{"all_routes", {{"addresses", {{"deny_file", denied.path()}}}}}});
  EXPECT_EQ(status(proxy, "127.0.0.7", "/"), 403);
  EXPECT_EQ(status(proxy, "127.0.0.8", "/"), 200);
}

TEST(AddressFiles, OfARouteAreCheckedBeforeAReload) {
  const TemporaryFile denied("127.0.0.300\n", "denied.txt");
  const TemporaryFile config(
      Json{{"listen", "127.0.0.1:0"},
           {"routes",
            Json::array({{{"path", "/"}, {"respond", Json::object()}, {"addresses", {{"deny_file", denied.path()}}}}})}}
          .dump());
  const auto ran = run_headgate({"check", config.path()});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_NE(ran.err.find("has a mistake in line 1"), std::string::npos) << ran.err << ran.out;
}

TEST(RoutesByAddress, TakeRequestsFromTheirBlocks) {
  const auto to = [](const char* body) { return Json{{"body", body}}; };
  const Proxy proxy(
      Json{{"identity", {{"trusted_proxies", {"127.0.0.77"}}}},
           {"routes",
            Json::array({{{"path", "/*"}, {"respond", to("all")}},
                         {{"path", "/*"}, {"client_ip", "127.0.0.0/24"}, {"respond", to("office")}},
                         {{"path", "/*"}, {"client_ip", {"127.0.0.8/30", "127.9.0.0/28"}}, {"respond", to("desk")}},
                         {{"path", "/*"},
                          {"client_ip", "127.0.0.0/24"},
                          {"headers", {{"X-Debug", true}}},
                          {"respond", to("debug")}}})}});
  const auto at = [&](const std::string& source, const std::string& fields = "") {
    return proxy.client(source).get("/", fields).body;
  };
  EXPECT_EQ(at("127.1.0.1"), "all");
  EXPECT_EQ(at("127.0.0.5"), "office");
  EXPECT_EQ(at("127.0.0.9"), "desk") << "the smaller block";
  EXPECT_EQ(at("127.9.0.1"), "desk");
  EXPECT_EQ(at("127.0.0.5", "X-Debug: 1\r\n"), "debug");
  EXPECT_EQ(at("127.1.0.1", "X-Debug: 1\r\n"), "all");
  EXPECT_EQ(at("127.1.0.1", "X-Forwarded-For: 127.0.0.5\r\n"), "all") << "nobody believes it";
  EXPECT_EQ(at("127.0.0.77", "X-Forwarded-For: 127.0.0.9\r\n"), "desk") << "told by a trusted proxy";
  EXPECT_EQ(at("127.0.0.77", "X-Forwarded-For: 127.1.0.1\r\n"), "all");
}

}  // namespace
}  // namespace headgate::test
