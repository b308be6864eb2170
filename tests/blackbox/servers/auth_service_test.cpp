// A service that is asked about each request: what gets in, what does not, and what a service can do wrong.

#include "blackbox/harness/imported.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "blackbox/limits/comes.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace headgate::test {
namespace {

/// A gateway whose route asks a service. `changes` are of its "auth".
struct Guarded {
  explicit Guarded(const Json& changes = Json::object()) : gateway(config(changes)) {}

  Json config(const Json& changes) const {
    Json auth = {{"url", service.url() + "/check"}, {"copy", {"X-User"}}};
    auth.merge_patch(changes);
    Json route = {{"path", "/*"}, {"to", "app"}, {"auth", auth}};
    return config_for(app, {{"routes", Json::array({route})}, {"log", {{"format", "json"}}}});
  }
  /// The next answer of the service.
  void says(int status, std::vector<Field> fields = {}, std::size_t times = 1) {
    fields.push_back({"X-Test-Status", std::to_string(status)});
    service.answer_next(times, std::move(fields));
  }

  FakeUpstream app;
  FakeUpstream service;
  Gateway gateway;
};

Field field(const std::string& line) { return {"X-Test-Field", line}; }

/// Those who ask the same.
const Json kRemembers = {{"remember", "1m"}, {"fields", {"Authorization"}}, {"tell", Json::array()}};

TEST(AuthService, SaysWhoIsCallingOverWhatTheCallerSays) {
  Guarded guarded;
  guarded.says(200, {field("X-User: alice"), field("X-Other: secret")});
  RawClient client = guarded.gateway.client();
  const auto answer = client.ask(request_with_body("POST", "/orders?x=1", "hello", "X-User: root\r\nX_User: root\r\n"));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(guarded.service.last().message.start_line, "GET /check HTTP/1.1");
  EXPECT_EQ(guarded.service.last().message.body, "");
  EXPECT_EQ(guarded.service.last().message.value("X-Original-URI"), "/orders?x=1");
  EXPECT_EQ(guarded.service.last().message.value("X-Forwarded-Method"), "POST");
  const auto seen = guarded.app.last().message;
  EXPECT_EQ(seen.all("X-User"), "alice");
  EXPECT_FALSE(seen.has("X_User"));
  EXPECT_FALSE(seen.has("X-Other"));
  EXPECT_EQ(seen.body, "hello");
}

TEST(AuthService, KeepsABodyOutWhoseHeadIsRefused) {
  Guarded guarded;
  guarded.says(401, {field("WWW-Authenticate: Basic realm=\"x\""), {"X-Test-Bytes", "20"}});
  RawClient client = guarded.gateway.client();
  const auto answer = client.ask(request_with_body("POST", "/", std::string(100'000, 'x')));
  EXPECT_EQ(answer.status(), 401);
  EXPECT_EQ(answer.value("WWW-Authenticate"), "Basic realm=\"x\"");
  EXPECT_EQ(answer.body.size(), 20U);
  EXPECT_EQ(guarded.app.request_count(), 0U);
}

TEST(AuthService, OpensAWebSocketOnlyIfItMay) {
  Guarded guarded;
  const std::string upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Version: 13\r\n";
  guarded.says(200, {field("X-User: alice")});
  RawClient client = guarded.gateway.client();
  client.send(request("GET", "/ws", upgrade));
  EXPECT_EQ(client.read_head().status(), 101);
  client.send("bytes");
  EXPECT_EQ(client.read_bytes(5), "bytes");
  EXPECT_EQ(guarded.app.last().message.value("X-User"), "alice");
  EXPECT_FALSE(guarded.service.last().message.has("Upgrade"));
  guarded.says(403);
  RawClient other = guarded.gateway.client();
  other.send(request("GET", "/ws", upgrade));
  EXPECT_EQ(other.read_head().status(), 403);
  EXPECT_EQ(guarded.app.request_count(), 1U);
}

TEST(AuthService, ThatIsNotThereLetsInOnlyWhereTheRouteSaysSo) {
  for (const auto& [word, status] : std::vector<std::pair<std::string, int>>{{"reject", 503}, {"allow", 200}}) {
    FakeUpstream app;
    const Json auth = {{"url", "http://127.0.0.1:1/check"}, {"copy", {"X-User"}}, {"if_down", word}};
    const Json route = {{"path", "/*"}, {"to", "app"}, {"auth", auth}};
    Gateway gateway(config_for(app, {{"routes", Json::array({route})}}));
    EXPECT_EQ(gateway.client().get("/", "X-User: root\r\n").status(), status);
    EXPECT_FALSE(app.last().message.has("X-User"));
  }
}

TEST(AuthService, ThatHangsIsWaitedForOnlySoLong) {
  Guarded guarded(Json{{"timeout", "200ms"}});
  guarded.says(200, {{"X-Test-Never", "1"}});
  EXPECT_EQ(guarded.gateway.client().get().status(), 503);
  EXPECT_TRUE(guarded.service.wait_for_closed(1));
  EXPECT_EQ(guarded.app.request_count(), 0U);
  EXPECT_TRUE(wait_until([&] { return guarded.gateway.client().get().status() == 200; })) << "it answers again";
}

TEST(AuthService, ThatAnswersTenMegabytesCostsNothing) {
  Guarded guarded(Json{{"timeout", "20s"}});
  guarded.says(200, {{"X-Test-Bytes", "10000000"}});
  EXPECT_EQ(guarded.gateway.client().get().status(), 200);
  EXPECT_TRUE(guarded.service.wait_for_closed(1)) << "nobody reads that";
  guarded.says(403, {{"X-Test-Bytes", "10000000"}});
  const auto refused = guarded.gateway.client().get();
  EXPECT_EQ(refused.status(), 403);
  EXPECT_EQ(refused.body, "");
  EXPECT_EQ(guarded.app.request_count(), 1U);
}

TEST(AuthService, ThatAnswersNoHttpLetsNobodyIn) {
  for (const std::string& bytes :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-User: a\r\nX-User : b\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-User: a\nEvil: b\r\n\r\n"),
        std::string("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
        "HTTP/1.1 200 OK\r\nX-User: " + std::string(70'000, 'x') + "\r\n\r\n", std::string("garbage\r\n\r\n")}) {
    Guarded guarded;
    guarded.service.answer_next(2, {{"X-Test-Raw", to_hex(bytes)}});
    EXPECT_EQ(guarded.gateway.client().get().status(), 503) << visible(bytes.substr(0, 100));
    EXPECT_EQ(guarded.app.request_count(), 0U);
  }
}

TEST(AuthService, CannotMakeTheGatewayWriteFieldsOfAConnection) {
  Guarded guarded;
  const std::string lies =
      "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: "
      "timeout=9\r\nTrailer: X-T\r\nAlt-Svc: h3=\":1\"\r\n\r\n2\r\nno\r\n0\r\nX-T: 1\r\n\r\n";
  guarded.service.answer_next(1, {{"X-Test-Raw", to_hex(lies)}});
  RawClient client = guarded.gateway.client();
  const auto answer = client.get();
  EXPECT_EQ(answer.status(), 403) << answer.error;
  EXPECT_EQ(answer.body, "no");
  for (const auto* const name : {"Transfer-Encoding", "X-Hop", "Keep-Alive", "Trailer", "Alt-Svc"})
    EXPECT_FALSE(answer.has(name)) << name;
  EXPECT_EQ(client.get().status(), 200) << "the client's connection goes on";
}

TEST(AuthService, IsNotAskedOnWhenTheClientIsGone) {
  Guarded guarded(Json{{"timeout", "30s"}});
  guarded.says(200, {{"X-Test-Never", "1"}});
  {
    RawClient client = guarded.gateway.client();
    client.send(request("GET", "/"));
    ASSERT_TRUE(guarded.service.wait_for_heads(1));
  }
  EXPECT_TRUE(guarded.service.wait_for_closed(1));
  EXPECT_EQ(guarded.app.request_count(), 0U);
  EXPECT_EQ(guarded.gateway.client().get().status(), 200);
}

TEST(AuthService, IsAskedOnceByAllWhoAskTheSameAtOnce) {
  Guarded guarded(kRemembers);
  guarded.says(200, {{"X-Test-Hold", "1"}, field("X-User: alice")});
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(guarded.gateway.client());
  for (std::size_t i = 0; i < clients.size(); ++i)
    clients[i].send(request("GET", "/" + std::to_string(i), "Authorization: Basic a\r\n"));
  ASSERT_TRUE(guarded.service.wait_for_heads(1));
  clients.front() = guarded.gateway.client();  // who began it leaves, the others get their answer
  guarded.service.release();
  for (std::size_t i = 1; i < clients.size(); ++i) EXPECT_EQ(clients[i].read().status(), 200);
  EXPECT_EQ(guarded.service.request_count(), 1U);
  for (const auto& seen : guarded.app.requests()) EXPECT_EQ(seen.message.value("X-User"), "alice");
}

TEST(AuthService, IsNeverBelievedForAnotherCaller) {
  Guarded guarded(kRemembers);
  guarded.says(200, {field("X-User: alice")});
  EXPECT_EQ(guarded.gateway.client().get("/", "Authorization: Basic alice\r\n").status(), 200);
  const std::vector<std::string> others = {"Authorization: Basic alicf\r\n", "", "Authorization: Basic alice \t1\r\n",
                                           "Authorization: basic alice\r\n", "Authorisation: Basic alice\r\n"};
  for (const auto& other : others) {
    guarded.says(403);
    EXPECT_EQ(guarded.gateway.client().get("/", other).status(), 403) << other;
  }
  EXPECT_EQ(guarded.gateway.client().get("/", "Authorization: Basic alice\r\n").status(), 200);
  EXPECT_EQ(guarded.service.request_count(), 6U);
}

TEST(AuthService, GivesNoSessionOfOneCallerToAnother) {
  Json changes = kRemembers;
  changes["copy_to_answer"] = {"Set-Cookie"};
  Guarded guarded(changes);
  guarded.says(200, {{"X-Test-Delay-Ms", "300"}, field("Set-Cookie: s=1")}, 1);
  RawClient one = guarded.gateway.client();
  RawClient two = guarded.gateway.client();
  one.send(request("GET", "/"));
  ASSERT_TRUE(guarded.service.wait_for_heads(1));
  two.send(request("GET", "/"));
  EXPECT_EQ(one.read().all("Set-Cookie"), "s=1");
  EXPECT_FALSE(two.read().has("Set-Cookie"));
  EXPECT_EQ(guarded.service.request_count(), 2U) << "each is asked about";
}

TEST(AuthService, AnswersAcrossAReloadAndIsForgottenByIt) {
  FakeUpstream service;
  Json auth = {{"url", service.url() + "/check"}, {"copy", {"X-User"}}};
  auth.merge_patch(kRemembers);
  const Json changes = {{"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"auth", auth}}})}};
  Reloaded gateway(changes);
  service.answer_next(1, {{"X-Test-Hold", "1"}, field("X-User: alice")});
  RawClient client = gateway.client();
  client.send(request("GET", "/"));
  ASSERT_TRUE(service.wait_for_heads(1));
  Json other = changes;
  other["limits"] = {{"x", {{"rate", "9/day"}, {"per", "auth.X-User"}}}};
  other["routes"][0]["limits"] = {"x"};
  ASSERT_TRUE(gateway.reload(other));
  service.answer_next(1, {field("X-User: bob")});
  EXPECT_EQ(gateway.client().get().value("X-RateLimit-Remaining"), "8") << "the answer from before counts no more";
  service.release();
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(service.request_count(), 2U);
  ASSERT_TRUE(gateway.reload({{"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}}));
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_EQ(service.request_count(), 2U);
}

TEST(AuthService, AnswersAcrossAnUpgradeAndIsAskedAgainByTheNextProcess) {
  FakeUpstream service;
  Json auth = {{"url", service.url() + "/check"}, {"copy", {"X-User"}}, {"timeout", "30s"}};
  auth.merge_patch(kRemembers);
  Upgraded upgraded(Json{{"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"auth", auth}}})}});
  service.answer_next(1, {{"X-Test-Hold", "1"}, field("X-User: alice")});
  RawClient client = upgraded.gateway.client();
  client.send(request("GET", "/"));
  ASSERT_TRUE(service.wait_for_heads(1));
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  service.release();
  EXPECT_EQ(client.read().status(), 200) << "whoever was asked for then gets its answer";
  service.answer_next(1, {{"X-Test-Status", "403"}});
  // A worker of the one before may hear of the upgrade a moment later.
  EXPECT_TRUE(comes(kPatience, [&] { return upgraded.gateway.client().get().status() == 403; }))
      << "the next one knows nothing of what was said to the one before";
}

TEST(AuthService, OfTheExampleIsAskedAndCountedBy) {
  FakeUpstream app;
  FakeUpstream service;
  const Gateway gateway(
      Words{"run", "-c", std::string(HEADGATE_SOURCE_DIR) + "/conf/examples/forward-auth.json"}, 1,
      {"LISTEN=127.0.0.1:0", "ADMIN_LISTEN=127.0.0.1:0", "AUTH_URL=" + service.url(), "APP_URL=" + app.url()});
  service.answer_next(1, {{"X-Test-Status", "302"}, field("Location: /login")});
  EXPECT_EQ(gateway.client().get("/orders").value("Location"), "/login");
  service.answer_next(1, {field("X-User: ann"), field("Set-Cookie: s=2")});
  EXPECT_EQ(gateway.client().get("/orders", "X-User: bob\r\n").value("Set-Cookie"), "s=2");
  EXPECT_EQ(app.last().message.value("X-User"), "ann");
  RawClient program = gateway.client();  // one connection has one worker, and each worker has a memory of its own
  for (int i = 0; i < 3; ++i) EXPECT_EQ(program.get("/api/orders", "Authorization: Bearer k\r\n").status(), 200);
  EXPECT_EQ(service.request_count(), 3U) << "one key, three requests";
  EXPECT_EQ(gateway.client().get("/assets/a.css", "X-User: bob\r\n").status(), 200);
  EXPECT_FALSE(app.last().message.has("X-User"));
  EXPECT_EQ(service.request_count(), 3U);
}

constexpr const char* kNginxThatAsks = R"(
  upstream app { server 127.0.0.1:APP; }
  server {
    listen 127.0.0.1:PORT;
    auth_request /auth;
    auth_request_set $user $upstream_http_x_user;
    location / {
      proxy_set_header X-User $user;
      proxy_pass http://app;
    }
    location /open/ { auth_request off; proxy_pass http://app; }
    location = /auth {
      internal;
      proxy_pass http://127.0.0.1:SERVICE/check;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Original-URI $request_uri;
    }
  }
)";

struct Outcome {
  int status = 0;
  std::string challenge;
  std::size_t reached = 0;
  std::string user;
  std::string body;
  std::string asked;
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& it) {
  return out << it.status << ' ' << it.challenge << ' ' << it.reached << ' ' << it.user << ' ' << it.body << ' '
             << it.asked;
}

/// What comes of one request that the service answers so.
Outcome outcome(std::uint16_t port, FakeUpstream& app, FakeUpstream& service, const std::string& text, int status,
                std::vector<Field> fields) {
  const auto before = app.request_count();
  const auto asked = service.request_count();
  fields.push_back({"X-Test-Status", std::to_string(status)});
  service.answer_next(1, std::move(fields));
  RawClient client(port);
  const auto answer = client.ask(text);
  Outcome out{.status = answer.status(),
              .challenge = answer.value("WWW-Authenticate"),
              .reached = app.request_count() - before,
              .user = {},
              .body = {},
              .asked = {}};
  if (out.reached > 0) out.user = app.last().message.value("X-User");
  if (out.reached > 0) out.body = app.last().message.body;
  if (service.request_count() == asked) {
    service.answer_next(0, {});
    return out;
  }
  const auto question = service.last().message;
  out.asked = question.method() + ' ' + question.target() + ' ' + question.value("X-Original-URI") + ' ' +
              question.value("Cookie") + ' ' + question.value("Authorization") + ' ' + question.value("Content-Length");
  return out;
}

TEST(ImportedNginx, AsksTheServiceThatNginxAsks) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  FakeUpstream app;
  FakeUpstream service;
  NginxOriginal nginx(put_in_place(put_in_place(kNginxThatAsks, "APP", std::to_string(app.port())), "SERVICE",
                                   std::to_string(service.port())));
  auto& original = nginx.server();
  ASSERT_TRUE(original.listens()) << original.said();
  const Gateway translation(nginx.translation());
  struct Case {
    std::string what;
    std::string text;
    int status;
    std::vector<Field> fields = {};
  };
  const auto get = [](const std::string& target, const std::string& fields = "") {
    return request("GET", target, fields);
  };
  const std::vector<Case> cases = {
      {"an admission", get("/a?b=c", "Cookie: a=b\r\nAuthorization: Basic x\r\n"), 200, {field("X-User: alice")}},
      {"one without content", get("/a"), 204, {field("X-User: alice")}},
      {"one that names nobody", get("/a", "X-User: root\r\n"), 200},
      {"a body", request_with_body("POST", "/a", "hello"), 201, {field("X-User: bob")}},
      {"401", get("/a"), 401, {field("WWW-Authenticate: Basic realm=\"x\"")}},
      {"403", get("/a"), 403},
      {"403 of a body", request_with_body("POST", "/a", "hello"), 403},
      {"a path that is open", get("/open/a"), 403},
      {"the location of the service itself", get("/auth"), 200},
  };
  for (const auto& each : cases)
    EXPECT_EQ(outcome(original.port(), app, service, each.text, each.status, each.fields),
              outcome(translation.port(), app, service, each.text, each.status, each.fields))
        << each.what;
  // As `import` says: an answer that nginx does not expect.
  EXPECT_EQ(outcome(original.port(), app, service, get("/a"), 502, {}).status, 500);
  EXPECT_EQ(outcome(translation.port(), app, service, get("/a"), 502, {}).status, 503);
}

}  // namespace
}  // namespace headgate::test
