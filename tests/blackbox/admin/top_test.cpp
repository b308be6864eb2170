// Who is limited, as the admin interface tells it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/limits/comes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <regex>

namespace headgate::test {
namespace {

Json with_login(const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"limits",
               {{"login", {{"rate", "2/day"}, {"per", "client_ip"}}}, {"quiet", {{"rate", "9/day"}, {"per", "host"}}}}},
              {"all_routes", {{"limits", {"login"}}}}};
  out.merge_patch(changes);
  return out;
}

Json top(const Look& look, const std::string& path) {
  const auto answer = look.get(path);
  EXPECT_EQ(answer.status(), 200) << answer.body;
  return Json::parse(answer.body, nullptr, false);
}

/// Waits until the limit has told of so many requests.
bool comes_to(const Look& look, const std::string& path, std::uint64_t requests) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (top(look, path).value("requests", 0U) >= requests) return true;
    std::this_thread::sleep_for(Milliseconds(20));
  }
  return false;
}

TEST(Top, TellsWhoIsRejectedMostOverAllWorkers) {
  Proxy proxy(with_login({{"workers", 2}}));
  const Look look(proxy.gateway.process());
  for (int i = 0; i < 12; ++i) EXPECT_EQ(proxy.client("127.0.0.5").get().status(), i < 2 ? 200 : 429);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.client("127.0.0.6").get().status(), i < 2 ? 200 : 429);
  ASSERT_TRUE(comes_to(look, "/api/v1/limits/login/top", 13));
  const auto now = top(look, "/api/v1/limits/login/top?by=rejected&window=1m&n=20");
  EXPECT_EQ(now["limit"], "login");
  EXPECT_EQ(now["by"], "rejected");
  EXPECT_EQ(now["window"], "1m");
  EXPECT_EQ(now["requests"], 13);
  EXPECT_EQ(now["missed"], 0) << "few keys are counted exactly";
  EXPECT_EQ(now["sampled"], 1);
  ASSERT_EQ(now["keys"].size(), 2U);
  EXPECT_EQ(now["keys"][0]["key"], "127.0.0.5");
  EXPECT_EQ(now["keys"][0]["requests"], 10);
  EXPECT_EQ(now["keys"][0]["share"], 0.7692);
  EXPECT_EQ(now["keys"][1]["key"], "127.0.0.6");
  EXPECT_EQ(top(look, "/api/v1/limits/login/top?window=1h")["requests"], 13);
  EXPECT_EQ(top(look, "/api/v1/limits/login/top?n=1")["keys"].size(), 1U);
  EXPECT_EQ(top(look, "/api/v1/limits/quiet/top")["keys"].size(), 0U);
  const auto all = top(look, "/api/v1/top");
  ASSERT_EQ(all["limits"].size(), 2U);
  EXPECT_EQ(all["limits"][0]["keys"].size() + all["limits"][1]["keys"].size(), 2U);
}

TEST(Top, CountsWhoWouldBeRejectedAndWhoIsSuspended) {
  Proxy proxy(with_login(
      {{"limits",
        {{"login", {{"mode", "observe"}}},
         {"abuse",
          {{"rate", "2/day"}, {"per", "client_ip"}, {"ban", {{"after", 1}, {"within", "1m"}, {"for", "1h"}}}}}}},
       {"all_routes", {{"limits", {"login", "abuse"}}}}}));
  const Look look(proxy.gateway.process());
  auto client = proxy.client("127.0.0.5");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.get().status(), i < 2 ? 200 : 429);
  ASSERT_TRUE(comes_to(look, "/api/v1/limits/abuse/top", 6)) << "one was rejected, and five came while suspended";
  EXPECT_EQ(top(look, "/api/v1/limits/login/top")["mode"], "observe");
}

TEST(Top, CountsOnceWhoWouldBeRejectedAndSuspended) {
  Proxy proxy(with_login({{"limits",
                           {{"abuse",
                             {{"rate", "2/day"},
                              {"per", "client_ip"},
                              {"mode", "observe"},
                              {"ban", {{"after", 1}, {"within", "1m"}, {"for", "1h"}}}}}}},
                          {"all_routes", {{"limits", {"abuse"}}}}}));
  const Look look(proxy.gateway.process());
  auto client = proxy.client("127.0.0.5");
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_TRUE(comes_to(look, "/api/v1/limits/abuse/top", 6)) << top(look, "/api/v1/limits/abuse/top");
}

TEST(Top, ShowsAKeyOnlyIfTheLogDoes) {
  Proxy proxy(with_login({{"limits", {{"login", {{"per", "header:X-Tenant"}, {"if_absent", "skip"}}}}},
                          {"log", {{"access", "stdout"}, {"format", "json"}}}}));
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.get("/", "X-Tenant: secret-tenant\r\n").status(), i < 2 ? 200 : 429);
  ASSERT_TRUE(comes_to(look, "/api/v1/limits/login/top", 2));
  const auto answer = look.get("/api/v1/limits/login/top");
  EXPECT_FALSE(has(answer.body, "secret-tenant")) << answer.body;
  const auto id = Json::parse(answer.body)["keys"][0]["key_id"].get<std::string>();
  EXPECT_TRUE(id.starts_with("k_")) << id;
  proxy.gateway.terminate();
  EXPECT_TRUE(has(proxy.gateway.process().out(), "\"key_id\":\"" + id + "\"")) << "as in the log";
}

TEST(Top, SamplesAllowedRequests) {
  Proxy proxy(with_login({{"limits", {{"login", {{"rate", "100000/day"}}}}}}));
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  for (int i = 0; i < 400; ++i) ASSERT_EQ(client.get().status(), 200);
  ASSERT_TRUE(comes_to(look, "/api/v1/limits/login/top?by=allowed", 8));
  const auto now = top(look, "/api/v1/limits/login/top?by=allowed");
  EXPECT_EQ(now["sampled"], 8);
  EXPECT_NEAR(now["requests"].get<double>(), 400, 3 * 5.3 * 20);
  EXPECT_EQ(now["keys"][0]["key"], "127.0.0.1");
}

TEST(Top, RefusesWhatItDoesNotKnow) {
  Proxy proxy(with_login());
  const Look look(proxy.gateway.process());
  EXPECT_EQ(look.get("/api/v1/limits/nobody/top").status(), 404);
  for (const auto* query : {"by=asked", "window=2m", "n=0", "n=129", "n=1x", "n=-1", "n=99999999999999999999"})
    EXPECT_EQ(look.get("/api/v1/limits/login/top?" + std::string(query)).status(), 400) << query;
}

TEST(Top, GoesOnOverAReload) {
  Proxy proxy(with_login());
  const Look look(proxy.gateway.process());
  auto client = proxy.client("127.0.0.5");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.get().status(), i < 2 ? 200 : 429);
  proxy.gateway.process().signal(SIGHUP);
  ASSERT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& err) { return has(err, "config_reloaded"); }));
  EXPECT_EQ(client.get().status(), 429);
  EXPECT_TRUE(comes_to(look, "/api/v1/limits/login/top", 3));
}

TEST(TopCommand, ShowsWhoIsLimitedAsATable) {
  Proxy proxy(with_login());
  const auto admin = admin_port(proxy.gateway.process());
  const Words command{"top", "--admin", "http://127.0.0.1:" + std::to_string(admin)};
  auto ran = run_headgate(command);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "rejected in the last ")) << ran.out;
  EXPECT_TRUE(has(ran.out, " s\nnobody\n")) << ran.out;
  const Look look(proxy.gateway.process());
  auto client = proxy.client("127.0.0.5");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get().status(), i < 2 ? 200 : 429);
  ASSERT_TRUE(comes_to(look, "/api/v1/limits/login/top", 3));
  ran = run_headgate(command);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::regex_search(ran.out, std::regex("\nlogin +127\\.0\\.0\\.5 +3 +100\\.0 +[0-9.]+\n"))) << ran.out;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << "no colours in a pipe";
}

TEST(TopCommand, HandsTheAnswerToScriptsAndFiltersByLimit) {
  Proxy proxy(with_login());
  const auto url = "http://127.0.0.1:" + std::to_string(admin_port(proxy.gateway.process()));
  const auto ran = run_headgate({"top", "--once", "--json", "--by", "allowed", "--window", "1h", "--limit", "login",
                                 "--keys", "3", "--admin", url});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["limit"], "login");
  EXPECT_EQ(json["by"], "allowed");
  EXPECT_EQ(json["window"], "1h");
  EXPECT_EQ(run_headgate({"top", "--limit", "nobody", "--admin", url}).code, 1);
}

TEST(TopCommand, GoesOnUntilItIsEnded) {
  Proxy proxy(with_login());
  const auto url = "http://127.0.0.1:" + std::to_string(admin_port(proxy.gateway.process()));
  Process process({"top", "--json", "--every", "100ms", "--admin", url});
  const auto end = std::chrono::steady_clock::now() + kPatience;
  const auto lines = [&] {
    const auto out = process.out();
    return std::count(out.begin(), out.end(), '\n');
  };
  while (lines() < 3 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(Milliseconds(20));
  EXPECT_GE(lines(), 3);
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 128 + SIGINT);
}

TEST(TopCommand, RefusesAWrongCommandLine) {
  for (const Words& wrong : {Words{"--by", "asked"}, Words{"--window", "2m"}, Words{"--keys", "0"},
                             Words{"--every", "1"}, Words{"--every", "1ms"}, Words{"--once", "--every", "1s"}}) {
    Words words{"top"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run_headgate(words).code, 2) << wrong.front();
  }
}

// Each look takes what the worker has counted until then, as its own turn does every five seconds.
TEST(Top, SaysOfALimitThatItsKeyChangesWithEachRequest) {
  const Json route = {{"path", "/*"}, {"respond", {{"status", 204}}}, {"limits", {"fresh", "steady"}}};
  Proxy proxy({{"admin", {{"listen", "127.0.0.1:0"}}},
               {"limits",
                {{"fresh", {{"rate", "5/minute"}, {"per", "header:X-Fresh"}, {"if_absent", "skip"}}},
                 {"steady", {{"rate", "100000/second"}, {"per", "header:X-Steady"}, {"if_absent", "skip"}}}}},
               {"routes", Json::array({route})}});
  const auto port = admin_port(proxy.gateway.process());
  const Look look(proxy.gateway.process());
  constexpr int kRounds = 13;
  constexpr int kTimes = 8;
  constexpr int kAtOnce = 100;
  auto client = proxy.client();
  int key = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int time = 0; time < kTimes; ++time) {
      std::string requests;
      for (int i = 0; i < kAtOnce; ++i)
        requests += request("GET", "/", "X-Steady: one\r\nX-Fresh: key-" + std::to_string(key++) + "\r\n");
      ASSERT_TRUE(client.send(requests));
      for (int i = 0; i < kAtOnce; ++i) ASSERT_EQ(client.read().status(), 204);
    }
    top(look, "/api/v1/limits/fresh/top?by=allowed");
  }
  std::string status;
  EXPECT_TRUE(comes(kPatience, [&] {
    status = run_headgate({"status", "--admin", "http://127.0.0.1:" + std::to_string(port)}).out;
    return has(status, "nearly every request under limit \"fresh\" has a new key");
  })) << status;
  EXPECT_TRUE(has(status, "header:x-fresh")) << status;
  EXPECT_FALSE(has(status, "\"steady\"")) << status;
}

}  // namespace
}  // namespace headgate::test
