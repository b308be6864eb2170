// What the admin interface says of a running gateway, and what an operator can do with it.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <csignal>
#include <regex>

namespace headgate::test {
namespace {

Json with_admin(const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}}};
  out.merge_patch(changes);
  return out;
}

const Json kOneLimit = {{"limits", {{"x", {{"rate", "2/day"}, {"per", "client_ip"}}}}},
                        {"all_routes", {{"limits", {"x"}}}}};

TEST(AdminStatus, SaysWhatRuns) {
  Reloaded file(with_admin({{"instance", "edge-1"}, {"workers", 2}}));
  const Operator look(file.process());
  ASSERT_TRUE(Look(file.process()).status_comes_to("/readyz", 200));
  const auto now = look.get("/api/v1/status");
  EXPECT_EQ(now["instance"], "edge-1");
  EXPECT_EQ(now["state"], "ready");
  EXPECT_EQ(now["reasons"], Json::array());
  EXPECT_EQ(now["workers"], 2);
  EXPECT_EQ(now["pid"], file.process().pid());
  EXPECT_EQ(now["config"]["file"], file.path());
  EXPECT_EQ(now["config"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_FALSE(now["config"].contains("last_reload"));
  EXPECT_EQ(now["log_level"], "info");
  EXPECT_EQ(now["redis"], Json::array());
}

TEST(AdminStatus, TellsTheRatesSinceTheStartAlsoOverAReload) {
  Json changes = with_admin({{"workers", 2}});
  changes.merge_patch(kOneLimit);
  Reloaded file(changes);
  const Operator look(file.process());
  ASSERT_TRUE(Look(file.process()).status_comes_to("/readyz", 200));
  const auto began = look.get("/api/v1/status")["rates"];
  EXPECT_EQ(began["requests_per_second"], 0);
  EXPECT_FALSE(began.contains("p50_seconds")) << "there was no request";
  for (const int status : {200, 200, 429, 429}) EXPECT_EQ(file.client().get().status(), status);
  const auto counted = [&] {
    const auto rates = look.get("/api/v1/status")["rates"];
    const auto seconds = rates["over_seconds"].get<double>();
    return std::lround(rates["requests_per_second"].get<double>() * seconds) == 4 &&
           std::lround(rates["rejected_per_second"].get<double>() * seconds) == 2 && rates["failed_per_second"] == 0 &&
           rates["sent_bytes_per_second"] > 0 && rates["p95_seconds"] > 0;
  };
  bool well = counted();
  for (int i = 0; i < 100 && !well; ++i, well = counted()) std::this_thread::sleep_for(Milliseconds(20));
  EXPECT_TRUE(well) << look.get("/api/v1/status")["rates"];
  changes["drain"] = "3s";
  ASSERT_TRUE(file.reload(changes));
  EXPECT_TRUE(counted()) << "a reload resets nothing";
}

TEST(AdminStatus, SaysWhyTheLastReloadWasRefused) {
  Reloaded file(with_admin());
  const Operator look(file.process());
  const auto before = look.get("/api/v1/status")["config"]["sha256"];
  ASSERT_TRUE(file.reload("{ \"brust\": 1 }", "\"config_refused\""));
  auto now = look.get("/api/v1/status");
  EXPECT_EQ(now["config"]["last_reload"]["applied"], false);
  EXPECT_EQ(now["config"]["last_reload"]["why_not"], file.path() + ":1:1: \"listen\" is missing here");
  EXPECT_EQ(now["config"]["sha256"], before);
  ASSERT_TRUE(file.reload(with_admin({{"drain", "3s"}, {"workers", 3}})));
  now = look.get("/api/v1/status");
  EXPECT_EQ(now["config"]["last_reload"]["applied"], true);
  EXPECT_EQ(now["config"]["waiting_for_restart"], Json::array({"workers"}));
  EXPECT_NE(now["config"]["sha256"], before);
}

TEST(AdminConfig, ShowsWhatIsInForceWithDefaultsAndWithoutSecrets) {
  const TemporaryFile secret("secret-from-a-file-1234", "secret");
  const Json changes = {{"admin", {{"token", "${HEADGATE_TEST_TOKEN}"}, {"read_token", "a literal secret token"}}},
                        {"log", {{"secret", "${file:" + secret.path() + "}"}}}};
  Proxy proxy(with_admin(changes), {"HEADGATE_TEST_TOKEN=token-of-the-environment"});
  const auto answer = Operator(proxy.gateway.process(), "token-of-the-environment").ask("GET", "/api/v1/config");
  ASSERT_EQ(answer.status(), 200);
  for (const char* hidden : {"token-of-the-environment", "a literal secret token", "secret-from-a-file"})
    EXPECT_EQ(answer.body.find(hidden), std::string::npos) << answer.body;
  const auto shown = Json::parse(answer.body)["config"];
  EXPECT_EQ(shown["admin"]["token"], "${HEADGATE_TEST_TOKEN}");
  EXPECT_EQ(shown["admin"]["read_token"], "(secret)");
  EXPECT_EQ(shown["log"]["secret"], "${file:" + secret.path() + "}");
  EXPECT_EQ(shown["log"]["level"], "info") << "a default";
  EXPECT_EQ(shown["routes"][0]["path"], "/*");
}

TEST(AdminConfig, SaysWhereTheFileDiffers) {
  Reloaded file(with_admin({{"log", {{"secret", "the first secret of all"}}}}));
  const Operator look(file.process());
  EXPECT_EQ(look.get("/api/v1/config/diff")["differs"], false);
  file.write(with_admin({{"log", {{"secret", "the second secret of all"}}}, {"drain", "3s"}}));
  const auto diff = look.get("/api/v1/config/diff");
  EXPECT_EQ(diff["differs"], true);
  ASSERT_EQ(diff["differences"].size(), 2U) << diff;
  EXPECT_EQ(diff["differences"][0]["pointer"], "/drain");
  EXPECT_EQ(diff["differences"][0]["active"], "2s");
  EXPECT_EQ(diff["differences"][0]["file"], "3s");
  EXPECT_EQ(diff["differences"][1]["pointer"], "/log/secret");
  EXPECT_EQ(diff["differences"][1]["file"], "(secret)");
  EXPECT_EQ(diff["differences"][1]["secret_differs"], true);
  EXPECT_EQ(diff.dump().find("second"), std::string::npos);
  file.write_text("{ \"brust\": 1 }");
  const auto answer = look.ask("GET", "/api/v1/config/diff");
  expect_refusal(answer, 422);
  EXPECT_EQ(Json::parse(answer.body)["mistakes"][0]["line"], 1);
}

TEST(AdminConfig, IsNotThereWithoutAFile) {
  Gateway gateway(Words{"proxy", "--to", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  const Operator look(gateway.process());
  EXPECT_EQ(look.ask("GET", "/api/v1/status").status(), 200);
  EXPECT_EQ(look.get("/api/v1/config")["config"]["limits"], Json::object()) << "its options are its configuration";
}

TEST(AdminLimits, SayWhatTheyMeanAndWhatTheyDecided) {
  Proxy proxy(with_admin(kOneLimit));
  const Operator look(proxy.gateway.process());
  for (const int status : {200, 200, 429}) EXPECT_EQ(proxy.client().get().status(), status);
  const auto all = look.get("/api/v1/limits")["limits"];
  ASSERT_EQ(all.size(), 1U);
  const auto one = look.get("/api/v1/limits/x");
  EXPECT_EQ(one["means"],
            "each client address: 2 requests a day on average, 2 at once; counted in this gateway's memory");
  EXPECT_EQ(one["mode"], "enforce");
  EXPECT_EQ(one["store"], "memory");
  EXPECT_EQ(one["per"], Json::array({"client_ip"}));
  EXPECT_EQ(one["tiers"][0]["rules"][0]["rate"], "2/day");
  EXPECT_EQ(one["keys_in_memory"], 1);
  const auto counted = [&] { return look.get("/api/v1/limits/x")["decisions"]["rejected"] == 1; };
  for (int i = 0; i < 100 && !counted(); ++i) std::this_thread::sleep_for(Milliseconds(20));
  EXPECT_EQ(look.get("/api/v1/limits/x")["decisions"]["allowed"], 2);
  const auto none = look.ask("GET", "/api/v1/limits/y");
  expect_refusal(none, 404);
  EXPECT_TRUE(has(none.body, R"(Known limits: \"x\".)")) << none.body;
}

TEST(AdminRoutes, AreListedPageByPage) {
  Json routes = Json::array();
  for (int i = 0; i < 250; ++i) routes.push_back({{"path", "/r" + std::to_string(i)}, {"to", "app"}});
  Proxy proxy(
      with_admin({{"routes", routes}, {"limits", kOneLimit["limits"]}, {"all_routes", kOneLimit["all_routes"]}}));
  const Operator look(proxy.gateway.process());
  const auto first = look.get("/api/v1/routes");
  EXPECT_EQ(first["total"], 250);
  EXPECT_EQ(first["routes"].size(), 100U);
  EXPECT_EQ(first["routes"][0], (Json{{"route", "/r0"}, {"path", "/r0"}, {"to", "app"}, {"limits", {"x"}}}));
  EXPECT_EQ(look.get("/api/v1/routes?first=240&count=100")["routes"].size(), 10U);
  EXPECT_EQ(look.get("/api/v1/routes?name=%2Fr7")["routes"][0]["path"], "/r7");
  expect_refusal(look.ask("GET", "/api/v1/routes?count=1001"), 400);
  expect_refusal(look.ask("GET", "/api/v1/routes?first=-1"), 400);
}

TEST(AdminParameters, AreKnownAndThereOnce) {
  Proxy proxy(with_admin(kOneLimit));
  const Operator look(proxy.gateway.process());
  const auto refused = [&](const std::string& method, const std::string& target, const std::string& why) {
    const auto answer = look.ask(method, target);
    expect_refusal(answer, 400);
    EXPECT_EQ(Json::parse(answer.body, nullptr, false).value("detail", ""), why) << target;
  };
  refused("GET", "/api/v1/routes?name=a&name=b", "The parameter \"name\" is there more than once.");
  refused("GET", "/api/v1/routes?name=a&n%61me=b", "The parameter \"name\" is there more than once.");
  refused("GET", "/api/v1/routes?nmae=a",
          "This call has no parameter \"nmae\". It has \"first\", \"count\", \"order\", \"name\".");
  refused("GET", "/api/v1/top?by=allowed&by=rejected", "The parameter \"by\" is there more than once.");
  refused("DELETE", "/api/v1/bans?limit=x&key=a&key=b", "The parameter \"key\" is there more than once.");
  refused("GET", "/api/v1/limits?verbose", "This call has no parameter \"verbose\". It has none.");
  refused("GET", "/api/v1/routes?name=%zz", "An escape in the query is broken: write %25 for a percent sign.");
  EXPECT_EQ(look.get("/api/v1/routes?&name=%2F%2A&")["routes"].size(), 1U) << "between two & may be nothing";
  const auto document = look.get("/api/v1/openapi.json");
  for (const auto& [pattern, methods] : document["paths"].items()) {
    if (!pattern.starts_with("/api/")) continue;  // probes and scrapers may add what they like
    for (const auto& [method, operation] : methods.items()) {
      auto verb = method;
      for (auto& c : verb) c = static_cast<char>(std::toupper(c));
      const auto answer = look.ask(verb, std::regex_replace(pattern, std::regex("\\{[a-z]+\\}"), "x") + "?frob=1");
      expect_refusal(answer, 400);
      EXPECT_TRUE(has(answer.body, "frob")) << verb << ' ' << pattern << answer.body;
    }
  }
}

TEST(AdminLogLevel, LastsUntilTheNextReload) {
  Reloaded file(with_admin());
  const Operator look(file.process());
  EXPECT_EQ(look.ask("PUT", "/api/v1/log-level", R"({"level": "error"})").status(), 200);
  EXPECT_EQ(look.get("/api/v1/status")["log_level"], "error");
  EXPECT_EQ(look.ask("POST", "/api/v1/reload").status(), 200);
  EXPECT_EQ(look.get("/api/v1/status")["log_level"], "info");
  expect_refusal(look.ask("PUT", "/api/v1/log-level", R"({"level": "loud"})"), 400);
  expect_refusal(look.ask("PUT", "/api/v1/log-level", "[]"), 400);
}

TEST(AdminDrain, EndsAsSigtermDoes) {
  Proxy proxy(with_admin({{"drain", "10s"}}));
  const Operator look(proxy.gateway.process());
  auto slow = proxy.client();
  slow.send(request("GET", "/", "X-Test-Delay-Ms: 300\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  const auto answer = look.ask("POST", "/api/v1/drain");
  EXPECT_EQ(answer.status(), 202);
  EXPECT_EQ(slow.read().status(), 200) << "what is in flight is finished";
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
  EXPECT_TRUE(proxy.gateway.process().says("draining")) << proxy.gateway.process().err();
}

/// Two servers in one upstream.
struct TwoServers {
  TwoServers() : proxy(changes()), operators(proxy.process()) {}
  Json changes() const { return with_admin({{"upstreams", {{"app", {{"servers", {url(first), url(second)}}}}}}}); }
  static std::string url(const FakeUpstream& upstream) { return "http://" + name(upstream); }
  static std::string name(const FakeUpstream& upstream) { return "127.0.0.1:" + std::to_string(upstream.port()); }
  Message use(const FakeUpstream& server, const std::string& state, const std::string& query = "") const {
    return operators.ask("PUT", "/api/v1/upstreams/app/servers/" + name(server) + "/state" + query,
                         R"({"state": ")" + state + "\"}");
  }
  std::size_t requests_after(const FakeUpstream& server, int count) {
    const auto before = server.request_count();
    for (int i = 0; i < count; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
    return server.request_count() - before;
  }

  FakeUpstream first, second;
  Reloaded proxy;
  Operator operators;
};

TEST(AdminServers, ADrainedServerGetsNoRequestsUntilItIsUp) {
  TwoServers two;
  EXPECT_GT(two.requests_after(two.first, 10), 0U);
  EXPECT_EQ(two.use(two.first, "drain").status(), 200);
  EXPECT_EQ(two.requests_after(two.first, 10), 0U);
  const auto servers = two.operators.get("/api/v1/servers")["upstreams"][0]["servers"];
  EXPECT_EQ(servers[0]["in"], false);
  EXPECT_EQ(servers[0]["out"], Json::array({"drained"}));
  EXPECT_EQ(servers[1]["in"], true);
  EXPECT_EQ(two.use(two.first, "up").status(), 200);
  EXPECT_GT(two.requests_after(two.first, 10), 0U);
}

TEST(AdminServers, StayDrainedOverAReload) {
  TwoServers two;
  EXPECT_EQ(two.use(two.first, "drain").status(), 200);
  auto changes = two.changes();
  ASSERT_TRUE(two.proxy.reload(changes));
  EXPECT_EQ(two.requests_after(two.first, 10), 0U);
  changes["upstreams"]["app"]["balance"] = "round_robin";
  ASSERT_TRUE(two.proxy.reload(changes)) << "the upstream itself changes";
  EXPECT_EQ(two.requests_after(two.first, 10), 0U);
}

TEST(AdminServers, TheLastOneIsOnlyDrainedByForce) {
  TwoServers two;
  EXPECT_EQ(two.use(two.first, "drain").status(), 200);
  const auto refused = two.use(two.second, "drain");
  expect_refusal(refused, 409);
  EXPECT_TRUE(has(refused.body, "?force")) << refused.body;
  EXPECT_EQ(two.proxy.client().get().status(), 200);
  EXPECT_EQ(two.use(two.second, "drain", "?force").status(), 200);
  EXPECT_EQ(two.proxy.client().get().status(), 502);
}

TEST(AdminServers, ForceIsOnlyWhatSaysSo) {
  for (const std::string forced : {"?force", "?force=true", "?force=1"}) {
    TwoServers two;
    EXPECT_EQ(two.use(two.first, "drain").status(), 200);
    for (const std::string other : {"?force=false", "?force=0", "?force=yes", "?force=TRUE"}) {
      const auto refused = two.use(two.second, "drain", other);
      expect_refusal(refused, 400);
      EXPECT_TRUE(has(refused.body, R"(\"force\")")) << refused.body;
    }
    EXPECT_EQ(two.proxy.client().get().status(), 200);
    EXPECT_EQ(two.use(two.second, "drain", forced).status(), 200) << forced;
    const auto said =
        two.proxy.process().wait_for_err([](const std::string& log) { return has(log, "state=drain force=true"); });
    EXPECT_TRUE(said) << "the log of changes shows it: " << two.proxy.process().err();
    EXPECT_EQ(count_of(two.proxy.process().err(), "force=true"), 1U) << two.proxy.process().err();
  }
}

TEST(AdminServers, SayWhichServersAndStatesThereAre) {
  TwoServers two;
  expect_refusal(two.use(two.first, "sideways"), 400);
  auto answer = two.operators.ask("PUT", "/api/v1/upstreams/app/servers/nobody/state", R"({"state": "up"})");
  expect_refusal(answer, 404);
  EXPECT_TRUE(has(answer.body, TwoServers::name(two.second))) << answer.body;
  answer = two.operators.ask("PUT", "/api/v1/upstreams/nobody/servers/x/state", R"({"state": "up"})");
  expect_refusal(answer, 404);
  EXPECT_TRUE(has(answer.body, R"(\"app\")")) << answer.body;
}

}  // namespace
}  // namespace headgate::test
