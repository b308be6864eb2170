// Names and passwords: who gets in, what guesses cost, and what nginx says of the same requests.

#include "blackbox/harness/imported.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/harness/upgraded.hpp"

#include "headgate/core/base64.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

const std::string kAnnsLine = "ann:$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm\n";
const std::string kBensLine = "ben:$2b$05$CIajeUvAp/6XkZ7BAbfVIudoIOUbbttJ.TNXpfeKiBpsWx/w4FrQq\n";
/// A check of it takes a quarter of a second and more.
const std::string kDearLine = "dear:$2y$12$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm\n";

std::string shows_password(const std::string& credentials) {
  return "Authorization: Basic " + base64(credentials) + "\r\n";
}

/// The workers get new users a moment after the log tells of them.
template <class Ready>
bool soon_so(Ready ready) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!ready() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(Milliseconds(10));
  return ready();
}

Json asks_passwords(const TemporaryFile& users, const Json& changes = Json::object()) {
  Json route = {{"path", "/*"}, {"to", "app"}, {"basic", {{"file", users.path()}, {"realm", "inner"}}}};
  route.merge_patch(changes);
  return {{"routes", Json::array({route, {{"path", "/open"}, {"to", "app"}}})}, {"log", {{"format", "json"}}}};
}

TEST(BasicAuth, LetsInWhoKnowsThePasswordAndTellsTheServerWhoItIs) {
  const TemporaryFile users(kAnnsLine + kBensLine, "users");
  Proxy proxy(asks_passwords(users, {{"request_headers", {{"set", {{"X-User", "${basic.user}"}}}}}}));
  RawClient client = proxy.client();
  const auto asked = client.get("/");
  EXPECT_EQ(asked.status(), 401);
  EXPECT_EQ(asked.value("WWW-Authenticate"), R"(Basic realm="inner", charset="UTF-8")");
  EXPECT_EQ(client.get("/", shows_password("ann:guess") + "X-User: ann\r\n").status(), 401);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
  EXPECT_EQ(client.get("/", shows_password("ann:wonderland") + "X-User: root\r\n").status(), 200);
  EXPECT_EQ(proxy.upstream.last().message.all("X-User"), "ann");
  EXPECT_FALSE(proxy.upstream.last().message.has("Authorization"));
  EXPECT_EQ(client.get("/", shows_password("ben:open sesame")).status(), 200);
  EXPECT_EQ(proxy.upstream.last().message.all("X-User"), "ben");
  EXPECT_EQ(client.get("/open", shows_password("ann:guess")).status(), 200) << "another route asks nobody";
}

TEST(BasicAuth, KeepsABodyOutWhoseHeadIsRefused) {
  const TemporaryFile users(kAnnsLine, "users");
  Proxy proxy(asks_passwords(users));
  RawClient client = proxy.client();
  EXPECT_EQ(client.ask(request_with_body("POST", "/", std::string(100'000, 'x'))).status(), 401);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(BasicAuth, OpensAWebSocketOnlyWithThePassword) {
  const TemporaryFile users(kAnnsLine, "users");
  Proxy proxy(asks_passwords(users));
  const std::string upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Version: 13\r\n";
  RawClient stranger = proxy.client();
  stranger.send(request("GET", "/ws", upgrade));
  EXPECT_EQ(stranger.read_head().status(), 401);
  RawClient client = proxy.client();
  client.send(request("GET", "/ws", upgrade + shows_password("ann:wonderland")));
  EXPECT_EQ(client.read_head().status(), 101);
  client.send("bytes");
  EXPECT_EQ(client.read_bytes(5), "bytes");
}

TEST(BasicAuth, FollowsItsFile) {
  const TemporaryFile users(kAnnsLine, "users");
  Reloaded gateway(asks_passwords(users));
  RawClient client = gateway.client();
  EXPECT_EQ(client.get("/", shows_password("ann:wonderland")).status(), 200);
  ASSERT_TRUE(gateway.tells("\"keys_read\"", [&] { std::ofstream(users.path()) << kBensLine; }));
  EXPECT_TRUE(soon_so([&] { return client.get("/", shows_password("ann:wonderland")).status() == 401; }))
      << "remembered no more";
  EXPECT_EQ(client.get("/", shows_password("ben:open sesame")).status(), 200);
  ASSERT_TRUE(gateway.tells("\"keys_refused\"", [&] {
    std::ofstream(users.path()) << "ben:$apr1$a$b\n" << std::flush;
  }));
  EXPECT_EQ(client.get("/", shows_password("ben:open sesame")).status(), 200) << "the users from before stay";
  const auto log = gateway.process().err();
  EXPECT_NE(log.find("users:1: this hash is Apache's MD5"), std::string::npos) << log;
}

TEST(BasicAuth, NeedsAFileThatItCanRead) {
  const TemporaryFile users("ann:secret-password\n", "users");
  const TemporaryFile config(config_for(FakeUpstream(), asks_passwords(users)).dump());
  const auto ran = run_headgate({"check", config.path()});
  EXPECT_NE(ran.code, 0);
  EXPECT_NE((ran.out + ran.err).find("line 1: this is not a bcrypt hash"), std::string::npos) << ran.out << ran.err;
  EXPECT_EQ((ran.out + ran.err).find("secret-password"), std::string::npos);
}

TEST(BasicAuth, HoldsUpNobodyElseWhilePasswordsAreChecked) {
  const TemporaryFile users(kAnnsLine + kDearLine, "users");
  Proxy proxy(asks_passwords(users));
  std::vector<RawClient> guessing;
  for (int i = 0; i < 4; ++i) {
    guessing.push_back(proxy.client());
    guessing.back().send(request("GET", "/", shows_password("dear:guess " + std::to_string(i))));
  }
  RawClient client = proxy.client();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get("/open").status(), 200);
  const auto others_done = std::chrono::steady_clock::now();
  for (auto& each : guessing) {
    const auto status = each.read().status();
    EXPECT_TRUE(status == 401 || status == 503) << status;  // 503: this machine has more to do than checks
  }
  EXPECT_GT(std::chrono::steady_clock::now() - others_done, std::chrono::milliseconds(20))
      << "the others had their answers before the last check was done";
}

TEST(BasicAuth, RefusesAnAddressThatGuessesBeforeItChecksMore) {
  const TemporaryFile users(kAnnsLine, "users");
  auto config = asks_passwords(users);
  config["identity"] = {{"failures", {{"rate", "3/hour"}, {"burst", 3}}}};
  Proxy proxy(config);
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", shows_password("ann:wonderland")).status(), 200);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/", shows_password("ann:" + std::to_string(i))).status(), 401);
  const auto refused = client.get("/", shows_password("ann:4"));
  EXPECT_EQ(refused.status(), 429);
  EXPECT_TRUE(refused.has("Retry-After"));
  EXPECT_EQ(client.get("/", shows_password("ann:wonderland")).status(), 429) << "else it would be told from the others";
}

TEST(BasicAuth, OfAPageWithManyPicturesCostsOneAttemptAndNoneIfItIsRight) {
  const TemporaryFile users(kAnnsLine, "users");
  auto config = asks_passwords(users);
  config["workers"] = 1;
  config["identity"] = {{"failures", {{"rate", "1/hour"}, {"burst", 1}}}};
  Proxy proxy(config);
  for (int time = 0; time < 2; ++time) {
    std::vector<RawClient> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(proxy.client());
    for (auto& client : clients) client.send(request("GET", "/", shows_password("ann:wonderland")));
    for (auto& client : clients) EXPECT_EQ(client.read().status(), 200);
  }
}

TEST(BasicAuth, EndsWhileAPasswordIsChecked) {
  const TemporaryFile users(kDearLine, "users");
  Proxy proxy(asks_passwords(users));
  {
    RawClient leaves = proxy.client();
    leaves.send(request("GET", "/", shows_password("dear:guess 1")));
  }
  RawClient waits = proxy.client();
  waits.send(request("GET", "/", shows_password("dear:guess 2")));
  RawClient other = proxy.client();
  EXPECT_EQ(other.get("/open").status(), 200);
  EXPECT_EQ(proxy.gateway.terminate(), 0);
}

TEST(BasicAuth, WaitsForItsPasswordAcrossAReload) {
  const TemporaryFile users(kAnnsLine + kDearLine, "users");
  Reloaded gateway(asks_passwords(users));
  RawClient waits = gateway.client();
  waits.send(request("GET", "/", shows_password("dear:guess")));
  RawClient other = gateway.client();
  EXPECT_EQ(other.get("/open").status(), 200);
  ASSERT_TRUE(gateway.reload({{"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}}));
  EXPECT_EQ(waits.read().status(), 401) << "the configuration that it began with";
  EXPECT_EQ(gateway.client().get("/").status(), 200);
}

TEST(BasicAuth, IsAskedAgainByTheProcessThatTakesOver) {
  const TemporaryFile users(kAnnsLine, "users");
  Upgraded upgraded(asks_passwords(users));
  EXPECT_EQ(upgraded.gateway.client().get("/", shows_password("ann:wonderland")).status(), 200);
  ASSERT_TRUE(upgraded.upgrade());
  EXPECT_EQ(upgraded.gateway.client().get("/", shows_password("ann:guess")).status(), 401);
  EXPECT_EQ(upgraded.gateway.client().get("/", shows_password("ann:wonderland")).status(), 200);
}

TEST(BasicAuth, WritesTheUserIntoTheLogAndNeverAPassword) {
  const TemporaryFile users(kAnnsLine, "users");
  auto config = asks_passwords(users);
  config["log"]["callers"] = {"basic.user"};
  Proxy proxy(config);
  EXPECT_EQ(proxy.client().get("/", shows_password("ann:wonderland")).status(), 200);
  EXPECT_EQ(proxy.client().get("/", shows_password("ann:a-wrong-one")).status(), 401);
  ASSERT_EQ(proxy.gateway.terminate(), 0);
  const auto log = proxy.gateway.process().out() + proxy.gateway.process().err();
  EXPECT_NE(log.find(R"("basic.user":"ann")"), std::string::npos) << log;
  EXPECT_NE(log.find(R"("auth":"basic:refused")"), std::string::npos) << log;
  for (const std::string& secret : {std::string("wonderland"), std::string("a-wrong-one"), base64("ann:wonderland"),
                                    std::string("YsYHolJpTs2HZo6Be5aG9")})
    EXPECT_EQ(log.find(secret), std::string::npos) << secret;
}

TEST(BasicAuth, OfTheExampleLetsInItsUsers) {
  FakeUpstream app;
  const Gateway gateway(Words{"run", "-c", std::string(HEADGATE_SOURCE_DIR) + "/conf/examples/basic-auth.json"}, 1,
                        {"LISTEN=127.0.0.1:0", "ADMIN_LISTEN=127.0.0.1:0", "APP_URL=" + app.url()});
  EXPECT_EQ(gateway.client().get("/").status(), 401);
  EXPECT_EQ(gateway.client().get("/", shows_password("ann:wonderland")).status(), 200);
  EXPECT_EQ(app.last().message.value("X-User"), "ann");
  EXPECT_EQ(gateway.client().get("/health", "X-User: ann\r\n").status(), 200);
  EXPECT_FALSE(app.last().message.has("X-User"));
}

constexpr const char* kNginxWithPasswords = R"(
  upstream app { server 127.0.0.1:APP; }
  server {
    listen 127.0.0.1:PORT;
    auth_basic "inner place";
    auth_basic_user_file USERS;
    location / {
      proxy_set_header X-User $remote_user;
      proxy_pass http://app;
    }
    location /open/ { auth_basic off; proxy_pass http://app; }
    location /local/ { allow 192.0.2.0/24; deny all; proxy_pass http://app; }
    location /gone { return 410; }
  }
)";

struct PasswordOutcome {
  int status = 0;
  bool challenged = false;
  std::size_t reached = 0;
  std::string user;
  std::string authorization;
  bool operator==(const PasswordOutcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const PasswordOutcome& it) {
  return out << it.status << ' ' << it.challenged << ' ' << it.reached << ' ' << it.user << ' ' << it.authorization;
}

PasswordOutcome password_outcome(std::uint16_t port, FakeUpstream& app, const std::string& target,
                                 const std::string& fields) {
  const auto before = app.request_count();
  RawClient client(port);
  const auto answer = client.get(target, fields);
  PasswordOutcome out{.status = answer.status(),
                      .challenged = answer.value("WWW-Authenticate").find(R"(Basic realm="inner place")") == 0,
                      .reached = app.request_count() - before,
                      .user = {},
                      .authorization = {}};
  if (out.reached == 0) return out;
  out.user = app.last().message.value("X-User");
  out.authorization = app.last().message.value("Authorization");
  return out;
}

TEST(ImportedNginx, TakesThePasswordsThatNginxTakes) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  const TemporaryFile users("# people\n" + kAnnsLine + kBensLine.substr(0, kBensLine.size() - 1) + ":a comment\n",
                            "users");
  FakeUpstream app;
  NginxOriginal nginx(
      put_in_place(put_in_place(kNginxWithPasswords, "APP", std::to_string(app.port())), "USERS", users.path()));
  auto& original = nginx.server();
  ASSERT_TRUE(original.listens()) << original.said();
  const Gateway translation(nginx.translation());
  const std::string long_one(100, 'x');
  struct Case {
    std::string what;
    std::string target;
    std::string fields;
  };
  const std::vector<Case> cases = {
      {"no password", "/", ""},
      {"the right one", "/", shows_password("ann:wonderland")},
      {"the right one again", "/a?b", shows_password("ann:wonderland")},
      {"another user's line with a comment", "/", shows_password("ben:open sesame")},
      {"a wrong one", "/", shows_password("ann:Wonderland")},
      {"one that begins right", "/", shows_password("ann:wonderland ")},
      {"none", "/", shows_password("ann:")},
      {"an unknown user", "/", shows_password("carl:wonderland")},
      {"another case of the name", "/", shows_password("Ann:wonderland")},
      {"a name that is a comment", "/", shows_password("# people:wonderland")},
      {"a long password", "/", shows_password("ann:" + long_one)},
      {"the scheme in another case", "/", "Authorization: bAsIc " + base64("ann:wonderland") + "\r\n"},
      {"another scheme", "/", "Authorization: Bearer " + base64("ann:wonderland") + "\r\n"},
      {"no base64", "/", "Authorization: Basic ***\r\n"},
      {"nothing behind the scheme", "/", "Authorization: Basic\r\n"},
      {"no colon", "/", shows_password("ann")},
      {"a caller who writes the user", "/", "X-User: ann\r\n"},
      {"a path that is open", "/open/a", ""},
      {"the same with a wrong password", "/open/a", shows_password("ann:guess")},
      {"addresses that are refused", "/local/a", shows_password("ann:wonderland")},
      {"an answer of the gateway itself", "/gone", ""},
  };
  for (const auto& each : cases)
    EXPECT_EQ(password_outcome(original.port(), app, each.target, each.fields),
              password_outcome(translation.port(), app, each.target, each.fields))
        << each.what;
}

}  // namespace
}  // namespace headgate::test
