// Who may do what at the admin interface, and the log of what was done.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace headgate::test {
namespace {

const std::string kOperators = "token-of-operators-123";
const std::string kRead = "token-of-readers-45678";

Json guarded(const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}, {"token", kOperators}, {"read_token", kRead}}},
              {"log", {{"format", "json"}}}};
  out.merge_patch(changes);
  return out;
}

/// The events of this name in the log.
std::vector<Json> events(const std::string& log, const std::string& name) {
  std::vector<Json> out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    auto event = Json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == name) out.push_back(std::move(event));
  }
  return out;
}

bool event_comes(Process& process, const std::string& name, std::size_t count) {
  return process.wait_for_err([&](const std::string& log) { return events(log, name).size() >= count; });
}

TEST(AdminRoles, AReaderReadsEverythingAndChangesNothing) {
  Proxy proxy(guarded());
  const Operator reader(proxy.gateway.process(), kRead);
  for (const char* path : {"/metrics", "/api/v1/status", "/api/v1/config", "/api/v1/servers", "/api/v1/bans"})
    EXPECT_EQ(reader.ask("GET", path).status(), 200) << path;
  for (const char* change : {"/api/v1/reload", "/api/v1/drain"}) {
    const auto answer = reader.ask("POST", change);
    expect_refusal(answer, 403);
    EXPECT_TRUE(has(answer.body, "This token may only read.")) << answer.body;
  }
  EXPECT_EQ(reader.ask("PUT", "/api/v1/log-level", R"({"level": "debug"})").status(), 403);
  EXPECT_EQ(reader.ask("DELETE", "/api/v1/bans?limit=x&key=y").status(), 403);
  EXPECT_EQ(proxy.client().get().status(), 200) << "it did not drain";
}

TEST(AdminRoles, GuessesAreLimitedAndTheWaitIsTrue) {
  Proxy proxy(guarded());
  auto& process = proxy.gateway.process();
  const Operator guesser(process, "wrong");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(guesser.ask("GET", "/api/v1/status").status(), 401) << i;
  const auto told = guesser.ask("GET", "/api/v1/status");
  expect_refusal(told, 429);
  const auto wait = std::stoi(told.value("Retry-After"));
  EXPECT_GE(wait, 1);
  EXPECT_LE(wait, 6);
  EXPECT_TRUE(event_comes(process, "admin_token_guesses", 1));
  EXPECT_EQ(Operator(process).ask("GET", "/readyz").status(), 200);
  EXPECT_EQ(Operator(process).ask("GET", "/api/v1/status").status(), 401) << "no token is no guess";
  EXPECT_EQ(Operator(process, kOperators).ask("GET", "/api/v1/status").status(), 200) << "on this machine";
}

TEST(AdminRoles, AnOperatorMayDoBoth) {
  Proxy proxy(guarded());
  const Operator all(proxy.gateway.process(), kOperators);
  EXPECT_EQ(all.ask("GET", "/api/v1/status").status(), 200);
  EXPECT_EQ(all.ask("PUT", "/api/v1/log-level", R"({"level": "debug"})").status(), 200);
}

TEST(AdminRoles, NobodyElseLearnsAnything) {
  Proxy proxy(guarded());
  for (const std::string token : {"", "token-of-operators-124", "token-of-readers-45678 "}) {
    const auto answer = Operator(proxy.gateway.process(), token).ask("GET", "/api/v1/status");
    if (token.ends_with(' ')) continue;  // blanks around a value are no part of it
    expect_refusal(answer, 401);
    EXPECT_EQ(answer.value("WWW-Authenticate"), "Bearer realm=\"headgate admin\"");
  }
  EXPECT_EQ(Operator(proxy.gateway.process()).ask("GET", "/healthz").status(), 200) << "probes have no token";
}

TEST(AdminRoles, AReloadChangesTheTokens) {
  Reloaded file(guarded());
  const Operator reader(file.process(), kRead);
  EXPECT_EQ(reader.ask("GET", "/api/v1/status").status(), 200);
  ASSERT_TRUE(file.reload(guarded({{"admin", {{"read_token", nullptr}}}})));
  EXPECT_EQ(reader.ask("GET", "/api/v1/status").status(), 401);
  EXPECT_EQ(Operator(reader.port(), kOperators).ask("GET", "/api/v1/status").status(), 200);
}

TEST(AdminRoles, SwitchingItOffOpensItToNobody) {
  Reloaded file(guarded());
  const auto port = admin_port(file.process());
  RawClient stranger(port);
  ASSERT_TRUE(stranger.send("GET /api/v1/config HTTP/1.1\r\nHost: 127.0.0.1\r\n"));
  EXPECT_EQ(Operator(port).ask("GET", "/healthz").status(), 200);
  ASSERT_TRUE(file.reload(Json{{"admin", "off"}}));
  stranger.send("\r\n");
  const auto answer = stranger.read_to_end();
  EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 401 ")) << answer;
}

TEST(AdminRoles, TwoTokensHoldWhileOneReplacesTheOther) {
  const std::string next = "the-next-token-of-operators";
  const std::string next_read = "the-next-token-of-readers";
  Reloaded file(guarded());
  const auto port = admin_port(file.process());
  const auto status = [port](const std::string& token) {
    return Operator(port, token).ask("PUT", "/api/v1/log-level", R"({"level":"info"})").status();
  };
  EXPECT_EQ(status(next), 401);
  ASSERT_TRUE(file.reload(guarded({{"admin", {{"token", {kOperators, next}}, {"read_token", {kRead, next_read}}}}})));
  EXPECT_EQ(status(kOperators), 200);
  EXPECT_EQ(status(next), 200);
  EXPECT_EQ(status(kRead), 403);
  EXPECT_EQ(status(next_read), 403);
  const auto shown = Operator(port, next_read).ask("GET", "/api/v1/config").body;
  for (const auto& token : {kOperators, next, kRead, next_read}) EXPECT_FALSE(has(shown, token)) << shown;
  ASSERT_TRUE(file.reload(guarded({{"admin", {{"token", Json::array({next})}, {"read_token", next_read}}}})));
  EXPECT_EQ(status(kOperators), 401);
  EXPECT_EQ(status(next), 200);
  EXPECT_EQ(status(next_read), 403);
}

TEST(AdminRoles, EveryChangeIsLoggedWithWhoAndWhat) {
  Proxy proxy(guarded());
  auto& process = proxy.gateway.process();
  const Operator all(process, kOperators);
  EXPECT_EQ(all.ask("PUT", "/api/v1/log-level", R"({"level": "info"})").status(), 200);
  EXPECT_EQ(all.ask("POST", "/api/v1/reload").status(), 200);
  EXPECT_EQ(all.ask("PUT", "/api/v1/upstreams/nobody/servers/x/state", R"({"state": "drain"})").status(), 404);
  ASSERT_TRUE(event_comes(process, "admin_change", 3)) << process.err();
  const auto changes = events(process.err(), "admin_change");
  EXPECT_EQ(changes[0]["by"], "operator");
  EXPECT_EQ(changes[0]["address"], "127.0.0.1");
  EXPECT_EQ(changes[0]["what"], "PUT /api/v1/log-level");
  EXPECT_EQ(changes[0]["target"], "level=info");
  EXPECT_EQ(changes[0]["status"], 200);
  EXPECT_EQ(changes[1]["what"], "POST /api/v1/reload");
  EXPECT_EQ(changes[2]["what"], "PUT /api/v1/upstreams/{name}/servers/{server}/state");
  EXPECT_EQ(changes[2]["target"], "name=nobody server=x");
  EXPECT_EQ(changes[2]["status"], 404);
  EXPECT_EQ(process.err().find(kOperators), std::string::npos);
}

TEST(AdminRoles, AChangeWhoseBodyIsRefusedIsLoggedToo) {
  Proxy proxy(guarded());
  auto& process = proxy.gateway.process();
  const Operator all(process, kOperators);
  expect_refusal(all.ask("POST", "/api/v1/bans", std::string(1UL << 20U, 'x')), 413);
  expect_refusal(all.ask("POST", "/api/v1/explain", std::string(1UL << 20U, 'x')), 413);  // changes nothing
  RawClient garbled(all.port());
  const auto answer = garbled.ask(
      all.text("PUT", "/api/v1/upstreams/app/servers/s/state", "", "Transfer-Encoding: chunked\r\n") + "zz\r\n");
  expect_refusal(answer, 400);
  expect_refusal(all.ask("DELETE", "/api/v1/limits/x/keys/somebody?frob=1"), 400);
  ASSERT_TRUE(event_comes(process, "admin_change", 3)) << process.err();
  const auto changes = events(process.err(), "admin_change");
  EXPECT_EQ(changes[0]["what"], "POST /api/v1/bans");
  EXPECT_EQ(changes[0]["by"], "operator");
  EXPECT_EQ(changes[0]["status"], 413);
  EXPECT_EQ(changes[0]["level"], "info") << "nothing has changed";
  EXPECT_EQ(changes[1]["target"], "name=app server=s");
  EXPECT_EQ(changes[1]["status"], 400);
  EXPECT_EQ(changes[2]["status"], 400);
  EXPECT_EQ(process.err().find("somebody"), std::string::npos) << "a key is shown by its digest";
}

TEST(AdminRoles, RefusalsAreLoggedAFewASecond) {
  Proxy proxy(guarded());
  auto& process = proxy.gateway.process();
  const Operator stranger(process, "a-wrong-token-of-24-bytes");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stranger.ask("POST", "/api/v1/drain").status(), 401);
  int limited = 0;
  for (int i = 0; i < 30; ++i) {
    const auto status = stranger.ask("POST", "/api/v1/drain").status();
    EXPECT_TRUE(status == 401 || status == 429) << status;
    limited += status == 429 ? 1 : 0;
  }
  EXPECT_GE(limited, 20) << "its guesses are limited, but for one every six seconds";
  ASSERT_TRUE(event_comes(process, "admin_refused", 1));
  const auto refused = events(process.err(), "admin_refused");
  EXPECT_LT(refused.size(), 20U);
  EXPECT_EQ(refused[0]["status"], 401);
  EXPECT_EQ(refused[0]["path"], "/api/v1/drain");
  EXPECT_EQ(process.err().find("a-wrong-token"), std::string::npos);
  EXPECT_TRUE(events(process.err(), "admin_change").empty());
}

TEST(AdminRoles, TheQuestionWhoOneIsIsNoRefusalWithoutAToken) {
  Proxy proxy(guarded());
  auto& process = proxy.gateway.process();
  const Operator nobody(process);
  EXPECT_EQ(nobody.ask("GET", "/api/v1/role").status(), 401) << "as the dashboard asks when it is opened";
  EXPECT_EQ(nobody.ask("GET", "/api/v1/config").status(), 401);
  const Operator wrong(process, "a-wrong-token-of-24-bytes");
  EXPECT_EQ(wrong.ask("GET", "/api/v1/role").status(), 401);
  ASSERT_TRUE(event_comes(process, "admin_refused", 2)) << process.err();
  const auto refused = events(process.err(), "admin_refused");
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused[0]["path"], "/api/v1/config");
  EXPECT_EQ(refused[1]["path"], "/api/v1/role") << "a wrong token is told wherever it is sent";
}

TEST(AdminRoles, WithoutATokenOnlyThisMachineByItsAddressMayAsk) {
  Proxy proxy(Json{{"admin", {{"listen", "127.0.0.1:0"}}}});
  const Operator local(proxy.gateway.process());
  EXPECT_EQ(local.ask("POST", "/api/v1/reload").status(), 200);
  // DNS rebinding: a page has a name that leads here, and its browser sends that name.
  const auto rebound = RawClient(local.port()).ask("GET /api/v1/config HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  expect_refusal(rebound, 403);
  // Cross-site: a form of another page.
  expect_refusal(local.ask("POST", "/api/v1/drain", "", "Origin: https://evil.example\r\n"), 403);
  for (const std::string mark : {"Origin: null", "Origin:", "Origin: http://127.0.0.1", "Sec-Fetch-Mode: cors",
                                 "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: empty", "Sec-Fetch-Dest:"})
    expect_refusal(local.ask("POST", "/api/v1/drain", "", mark + "\r\n"), 403);
  EXPECT_EQ(local.ask("GET", "/api/v1/status", "", "Sec-Fetch-Mode: navigate\r\n").status(), 200)
      << "looking is allowed";
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(AdminRoles, AttacksOnItDoNotReachTheTraffic) {
  Proxy proxy(guarded());
  const Operator all(proxy.gateway.process(), kOperators);
  EXPECT_EQ(all.ask("PUT", "/api/v1/log-level", std::string(100'000, 'x')).status(), 413) << "a huge body";
  const auto deep = std::string(900, '[');
  EXPECT_EQ(all.ask("PUT", "/api/v1/log-level", deep).status(), 400);
  std::vector<RawClient> slow;
  for (int i = 0; i < 100; ++i) {
    slow.emplace_back(all.port());
    slow.back().send("PUT /api/v1/log-level HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + kOperators +
                     "\r\nContent-Length: 20\r\n\r\n{");
  }
  EXPECT_EQ(all.ask("GET", "/api/v1/status").status(), 200) << "slow clients do not keep others out";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_LE(all.get("/api/v1/status")["connections"], 10) << "its own connections are not those of clients";
}

}  // namespace
}  // namespace headgate::test
