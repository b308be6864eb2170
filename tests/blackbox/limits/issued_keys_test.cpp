// API keys that one gateway issues and revokes through its admin interface: the key file is their record.

#include "blackbox/limits/issued_keys.hpp"

#include "blackbox/harness/reloaded.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "blackbox/limits/comes.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

namespace headgate::test {
namespace {

std::string with_hand_key(const std::string& more = {}) {
  return "{\n  \"keys\": [\n    " + kHandRecord + more + "\n  ]\n}\n";
}

/// The records of the file; nothing if it is not whole.
Json records_of(const std::string& path) {
  const auto file = Json::parse(text_of_file(path), nullptr, false);
  return file.is_object() ? file.value("keys", Json()) : Json();
}

TEST(IssuedKeys, AreGoodAtOnceAndInNoAnswerButTheFirst) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  ::chmod(file.path().c_str(), 0640);
  Proxy proxy(issuing(file.path(), {{"log", {{"format", "json"}}}}));
  const Operator admin(proxy.gateway.process());
  const auto answer = admin.ask("POST", kKeysPath, R"({"owner": "acme", "tier": "pro", "tags": ["batch"],
                                     "groups": {"team": "search"}, "expires": "2099-12-31"})");
  ASSERT_EQ(answer.status(), 201) << answer.body;
  EXPECT_EQ(answer.value("Cache-Control"), "no-store");
  const auto told = Json::parse(answer.body);
  const auto key = told.at("key").get<std::string>();
  EXPECT_EQ(key.size(), 46U);
  EXPECT_TRUE(key.starts_with("hg_"));
  EXPECT_EQ(told.at("file"), (Json{{"written", true}}));
  EXPECT_EQ(told.at("store"), "memory");
  EXPECT_FALSE(told.contains("gateways")) << "nobody else has it";
  EXPECT_EQ(asked_with(proxy, key), 200);
  EXPECT_EQ(asked_with(proxy, kHandKey), 200);
  EXPECT_EQ(asked_with(proxy, key + "x"), 401);
  const auto text = text_of_file(file.path());
  EXPECT_TRUE(has(text, "\n    " + kHandRecord + ",\n")) << "what people wrote stays as it is written: " << text;
  EXPECT_FALSE(has(text, key));
  struct stat now {};
  ASSERT_EQ(::stat(file.path().c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777U, 0640U);
  const auto list = admin.get(kKeysPath);
  EXPECT_TRUE(list.at("issues").get<bool>());
  ASSERT_EQ(list.at("keys").size(), 2U);
  EXPECT_FALSE(has(list.dump(), key));
  const auto one = admin.get(kKeysPath + '/' + told.at("id").get<std::string>());
  EXPECT_EQ(one.at("owner"), "acme");
  EXPECT_EQ(one.at("tier"), "pro");
  EXPECT_EQ(one.at("tags"), Json{"batch"});
  EXPECT_EQ(one.at("groups"), (Json{{"team", "search"}}));
  EXPECT_EQ(one.at("state"), "valid");
  EXPECT_EQ(one.at("expires"), "2100-01-01T00:00:00Z");
  EXPECT_FALSE(one.contains("key"));
  EXPECT_EQ(admin.get(kKeysPath + "?owner=hand").at("keys").size(), 1U);
  EXPECT_EQ(admin.get(kKeysPath + "?owner=nobody").at("keys").size(), 0U);
  const auto first = admin.get(kKeysPath + "?count=1");
  ASSERT_EQ(first.at("keys").size(), 1U);
  const auto second = admin.get(kKeysPath + "?count=1&after=" + first.at("after").get<std::string>());
  ASSERT_EQ(second.at("keys").size(), 1U);
  EXPECT_NE(first.at("keys"), second.at("keys"));
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.comes_to(
      [](const MetricsText& metrics) { return metrics.value(R"(headgate_issued_keys{kind="live"})") == 1; }));
  EXPECT_TRUE(proxy.gateway.process().says("\"key_issued\""));
  const auto log = proxy.gateway.process().err() + proxy.gateway.process().out();
  EXPECT_FALSE(has(log, key)) << "no key in clear";
}

TEST(IssuedKeys, AreRefusedFromTheAnswerToTheirEndAndAfterARestart) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  IssuedKey stays;
  IssuedKey gone;
  {
    Proxy proxy(issuing(file.path()));
    const Operator admin(proxy.gateway.process());
    stays = issue(admin);
    gone = issue(admin);
    auto client = proxy.client();  // a connection that is open before the end
    EXPECT_EQ(client.get("/", "X-API-Key: " + gone.key + "\r\n").status(), 200);
    const auto told = revoke(admin, gone.id);
    EXPECT_EQ(told.at("state"), "revoked");
    EXPECT_EQ(told.at("file"), (Json{{"written", true}}));
    EXPECT_EQ(client.get("/", "X-API-Key: " + gone.key + "\r\n").status(), 401);
    EXPECT_EQ(asked_with(proxy, stays.key), 200);
    EXPECT_EQ(revoke(admin, gone.id).at("revoked"), told.at("revoked")) << "a second time is told the same";
    EXPECT_EQ(admin.get(kKeysPath + '/' + gone.id).at("state"), "revoked");
    expect_refusal(admin.ask("DELETE", kKeysPath + "/0123456789abcdef"), 404);
    expect_refusal(admin.ask("GET", kKeysPath + "/0123456789abcdef"), 404);
    // Of whoever made it.
    const auto hand = admin.get(kKeysPath + "?owner=hand").at("keys").at(0).at("id").get<std::string>();
    revoke(admin, hand);
    EXPECT_EQ(asked_with(proxy, kHandKey), 401);
  }
  Proxy proxy(issuing(file.path()));
  EXPECT_EQ(asked_with(proxy, stays.key), 200);
  EXPECT_EQ(asked_with(proxy, gone.key), 401);
  EXPECT_EQ(asked_with(proxy, kHandKey), 401);
}

TEST(IssuedKeys, AlsoEndKeysOfTheConfiguration) {
  const TemporaryFile file("{\"keys\": []}", "keys.json");
  const std::string key = "a-key-in-the-configuration-0001";
  const auto config = issuing(file.path(), {{"identity", {{"api_key", {{"keys", {{"bolt", {{"key", key}}}}}}}}}});
  {
    Proxy proxy(config);
    const Operator admin(proxy.gateway.process());
    EXPECT_EQ(asked_with(proxy, key), 200);
    revoke(admin, admin.get(kKeysPath).at("keys").at(0).at("id").get<std::string>());
    EXPECT_EQ(asked_with(proxy, key), 401);
    ASSERT_EQ(admin.get(kKeysPath).at("keys").size(), 1U) << "it is one key";
  }
  EXPECT_EQ(asked_with(Proxy(config), key), 401) << "the file says so";
}

TEST(IssuedKeys, MayBeMadeByTheCallerWhoSendsTheirDigest) {
  const TemporaryFile file("{\"keys\": []}", "keys.json");
  Proxy proxy(issuing(file.path()));
  const Operator admin(proxy.gateway.process());
  const std::string key = "a-key-that-somebody-wrote-by-hand";
  const Json wanted = {{"owner", "acme"}, {"sha256", Json::parse(kHandRecord).at("sha256")}};
  const auto told = issue(admin, wanted);
  EXPECT_EQ(told.key, "");
  EXPECT_EQ(asked_with(proxy, key), 200);
  const auto again = admin.ask("POST", kKeysPath, wanted.dump());
  expect_refusal(again, 409);
  EXPECT_TRUE(has(again.body, told.id)) << "who got no answer learns that it was done: " << again.body;
  EXPECT_EQ(records_of(file.path()).size(), 1U);
}

TEST(IssuedKeys, SayWhatIsWrongWithACall) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  Proxy proxy(issuing(file.path()));
  const Operator admin(proxy.gateway.process());
  const auto refused = [&](const std::string& body, int status, const std::string& says) {
    const auto answer = admin.ask("POST", kKeysPath, body);
    expect_refusal(answer, status);
    EXPECT_TRUE(has(answer.body, says)) << answer.body;
  };
  refused("{", 400, "Send JSON");
  refused("[]", 400, "Send JSON");
  refused(R"({"tier": "pro"})", 400, "Send JSON");
  refused(R"({"owner": "acme", "note": "x"})", 400, "The members are");
  refused(R"({"owner": "acme", "revoked": "2026-01-01"})", 400, "The members are");
  refused(R"({"owner": "a b"})", 400, "owner");
  refused(R"({"owner": "a\u0000b"})", 400, "owner");
  refused(R"({"owner": 5})", 400, "owner");
  refused(Json{{"owner", std::string(65, 'o')}}.dump(), 400, "1 to 64 letters");
  refused(R"({"owner": "acme", "tags": "x"})", 400, "tags");
  refused(R"({"owner": "acme", "groups": {"a b": "x"}})", 400, "group's name");
  refused(R"({"owner": "acme", "expires": "2001-01-01"})", 400, "has passed");
  refused(R"({"owner": "acme", "expires": "soon"})", 400, "expires");
  refused(R"({"owner": "acme", "prefix": "a-b"})", 400, "prefix");
  refused(R"({"owner": "acme", "prefix": 5})", 400, "prefix");
  refused(R"({"owner": "acme", "sha256": "12"})", 400, "sha256");
  refused(R"({"owner": "acme", "tier": "prow"})", 422, "which no limit knows");
  refused(R"({"owner": "acme", "limits": {"pan": "5/second"}})", 422, "pan");
  refused(R"({"owner": "acme", "limits": {"plan": "5/fortnight"}})", 400, "limits/plan");
  EXPECT_EQ(admin.ask("POST", kKeysPath, std::string(9000, ' ') + R"({"owner": "acme"})").status(), 413);
  expect_refusal(admin.ask("DELETE", kKeysPath + "/ABCDEF0123456789"), 400);
  expect_refusal(admin.ask("GET", kKeysPath + "?count=0"), 400);
  expect_refusal(admin.ask("GET", kKeysPath + "?after=x"), 400);
  EXPECT_EQ(text_of_file(file.path()), with_hand_key()) << "nothing of it was written";
  const auto own = issue(admin, {{"owner", "acme"}, {"prefix", "acme_live"}, {"limits", {{"plan", "1/hour"}}}});
  EXPECT_TRUE(own.key.starts_with("acme_live_")) << own.answer;
  EXPECT_EQ(asked_with(proxy, own.key), 200);
  EXPECT_EQ(asked_with(proxy, own.key), 429) << "it has limits of its own";
}

TEST(IssuedKeys, AreNotIssuedUnlessTheConfigurationSaysSo) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  auto config = issuing(file.path());
  config["identity"]["api_key"].erase("issue");
  Proxy proxy(config);
  const Operator admin(proxy.gateway.process());
  const auto answer = admin.ask("POST", kKeysPath, R"({"owner": "acme"})");
  expect_refusal(answer, 409);
  EXPECT_TRUE(has(answer.body, "identity.api_key.issue")) << answer.body;
  const auto list = admin.get(kKeysPath);
  EXPECT_FALSE(list.at("issues").get<bool>());
  expect_refusal(admin.ask("DELETE", kKeysPath + '/' + list.at("keys").at(0).at("id").get<std::string>()), 409);
  EXPECT_EQ(text_of_file(file.path()), with_hand_key());
}

TEST(IssuedKeys, AreForOperatorsAlone) {
  const std::string all = "token-of-operators-123";
  const std::string read = "token-of-readers-45678";
  const TemporaryFile file(with_hand_key(), "keys.json");
  Proxy proxy(issuing(file.path(), {{"admin", {{"token", all}, {"read_token", read}}}, {"log", {{"format", "json"}}}}));
  const Operator reader(proxy.gateway.process(), read);
  const auto id = reader.get(kKeysPath).at("keys").at(0).at("id").get<std::string>();
  expect_refusal(reader.ask("POST", kKeysPath, R"({"owner": "acme"})"), 403);
  expect_refusal(reader.ask("DELETE", kKeysPath + '/' + id), 403);
  EXPECT_EQ(Operator(proxy.gateway.process()).ask("POST", kKeysPath, R"({"owner": "acme"})").status(), 401);
  EXPECT_EQ(text_of_file(file.path()), with_hand_key());
  const Operator admin(proxy.gateway.process(), all);
  const auto made = issue(admin);
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(
      [&](const std::string& log) { return has(log, "id=" + made.id + " owner=acme"); }));
  EXPECT_FALSE(has(proxy.gateway.process().err(), made.key));
}

TEST(IssuedKeys, StandBesideWhatPeopleEditMeanwhile) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  Proxy proxy(issuing(file.path()));
  const Operator admin(proxy.gateway.process());
  const auto first = issue(admin);
  auto text = text_of_file(file.path());
  const auto at = text.find("\"note\": \"by hand\"");
  ASSERT_NE(at, text.npos);
  write_file(file.path(), text.replace(at, 17, "\"note\": \"another ]\""));
  const auto second = issue(admin);
  text = text_of_file(file.path());
  EXPECT_TRUE(has(text, "another ]")) << text;
  EXPECT_EQ(records_of(file.path()).size(), 3U);
  // Without Redis the file has the last word.
  auto records = records_of(file.path());
  records.erase(1);
  write_file(file.path(), Json{{"keys", records}}.dump(2));
  EXPECT_TRUE(comes(kPatience, [&] { return asked_with(proxy, first.key) == 401; }));
  EXPECT_EQ(asked_with(proxy, second.key), 200);
  issue(admin);
  EXPECT_EQ(asked_with(proxy, first.key), 401) << "nothing brings it back";
}

TEST(IssuedKeys, AreNotIssuedIntoAFileThatCannotBeChangedButRevokedAllTheSame) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  Proxy proxy(issuing(file.path(), {{"log", {{"format", "json"}}}}));
  const Operator admin(proxy.gateway.process());
  const auto made = issue(admin);
  const auto good = text_of_file(file.path());
  write_file(file.path(), good + "x");
  const auto answer = admin.ask("POST", kKeysPath, R"({"owner": "acme"})");
  expect_refusal(answer, 500);
  EXPECT_TRUE(has(answer.body, "No key was issued")) << answer.body;
  EXPECT_EQ(admin.get(kKeysPath).at("keys").size(), 2U);
  const auto told = revoke(admin, made.id);
  EXPECT_FALSE(told.at("file").at("written").get<bool>());
  EXPECT_TRUE(has(told.at("file").at("why").get<std::string>(), "nothing may follow")) << told;
  EXPECT_EQ(asked_with(proxy, made.key), 401) << "it is refused all the same";
  EXPECT_TRUE(has(admin.get("/api/v1/status").dump(), "keys_unwritten"));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(look.metrics().value("headgate_unwritten_keys"), 1);
  EXPECT_EQ(text_of_file(file.path()), good + "x") << "no mistake of anybody is written over";
  write_file(file.path(), good);
  EXPECT_TRUE(comes(std::chrono::seconds(20), [&] { return has(text_of_file(file.path()), "\"revoked\""); }));
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.value("headgate_unwritten_keys") == 0; }));
  EXPECT_FALSE(has(admin.get("/api/v1/status").dump(), "keys_unwritten"));
  std::filesystem::remove(file.path());
  const auto away = admin.ask("POST", kKeysPath, R"({"owner": "acme"})");
  expect_refusal(away, 500);
  EXPECT_TRUE(has(away.body, "No such file")) << away.body;
  write_file(file.path(), good);
}

TEST(IssuedKeys, AreAllInTheFileWhenManyAreIssuedAtOnce) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  Proxy proxy(issuing(file.path()));
  const Operator admin(proxy.gateway.process());
  std::mutex mutex;
  std::vector<std::string> keys;
  std::vector<std::thread> callers;
  for (int i = 0; i < 20; ++i)
    callers.emplace_back([&] {
      for (int j = 0; j < 10; ++j) {
        const auto key = issue(admin).key;
        const std::lock_guard lock(mutex);
        keys.push_back(key);
      }
    });
  for (auto& each : callers) each.join();
  EXPECT_EQ(records_of(file.path()).size(), 201U);
  auto client = proxy.client();
  for (const auto& key : keys) EXPECT_EQ(client.get("/", "X-API-Key: " + key + "\r\n").status(), 200);
}

TEST(IssuedKeys, AreInAWholeFileWhenTheGatewayIsKilled) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  std::vector<std::string> told;
  for (int round = 0; round < 4; ++round) {
    Proxy proxy(issuing(file.path()));
    proxy.gateway.expect_any_end();
    const Operator admin(proxy.gateway.process());
    std::mutex mutex;
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i)
      callers.emplace_back([&] {
        for (;;) {
          const auto answer = admin.ask("POST", kKeysPath, R"({"owner": "acme"})");
          if (answer.status() != 201) return;  // it is gone
          const std::lock_guard lock(mutex);
          told.push_back(Json::parse(answer.body).at("id"));
        }
      });
    std::this_thread::sleep_for(Milliseconds(150 + 37 * round));
    proxy.gateway.process().kill9();
    for (auto& each : callers) each.join();
    const auto text = text_of_file(file.path());
    ASSERT_TRUE(records_of(file.path()).is_array()) << text;
    for (const auto& id : told) EXPECT_TRUE(has(text, "\"sha256\": \"" + id)) << "what was answered is in the file";
  }
  EXPECT_GT(told.size(), 4U);
}

TEST(IssuedKeys, OutliveAReloadAndAnUpgrade) {
  const TemporaryFile file(with_hand_key(), "keys.json");
  Upgraded upgraded(issuing(file.path()));
  auto& process = upgraded.gateway.process();
  const auto ask = [&](const std::string& key) {
    return upgraded.gateway.client().get("/", "X-API-Key: " + key + "\r\n").status();
  };
  IssuedKey stays;
  IssuedKey gone;
  {
    const Operator admin(process);
    stays = issue(admin);
    gone = issue(admin);
    write_file(file.path(), text_of_file(file.path()) + "x");  // so that the end of a key is in memory alone
    revoke(admin, gone.id);
    ASSERT_TRUE(upgraded.gateway.tells("\"config_refused\"", [&] { process.signal(SIGHUP); }));
    EXPECT_EQ(ask(gone.key), 401);
    auto text = text_of_file(file.path());
    text.pop_back();
    write_file(file.path(), text);
    EXPECT_TRUE(comes(std::chrono::seconds(20), [&] { return has(text_of_file(file.path()), "\"revoked\""); }));
    ASSERT_TRUE(upgraded.gateway.tells("\"config_reloaded\"", [&] { process.signal(SIGHUP); }));
    EXPECT_EQ(ask(stays.key), 200);
    EXPECT_EQ(ask(gone.key), 401);
  }
  ASSERT_TRUE(upgraded.upgrade());
  EXPECT_EQ(ask(stays.key), 200);
  EXPECT_EQ(ask(gone.key), 401);
}

TEST(IssuedKeys, AreIssuedByCommandsToo) {
  const TemporaryFile file("{\"keys\": []}", "keys.json");
  Proxy proxy(issuing(file.path()));
  const std::vector<std::string> environment{"HEADGATE_ADMIN=" + Operator(proxy.gateway.process()).url()};
  const auto made = run_headgate(
      {"keys", "issue", "--owner", "acme", "--tier", "pro", "--tag", "batch", "--prefix", "my"}, environment);
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_TRUE(made.out.starts_with("my_")) << made.out;
  EXPECT_TRUE(has(made.err, "shown only once; its id is ")) << made.err;
  const auto key = made.out.substr(0, made.out.size() - 1);
  EXPECT_EQ(asked_with(proxy, key), 200);
  const auto list = run_headgate({"keys", "list"}, environment);
  EXPECT_TRUE(has(list.out, "acme") && has(list.out, "pro") && has(list.out, "batch") && has(list.out, "valid"))
      << list.out;
  const auto id = records_of(file.path()).at(0).at("sha256").get<std::string>().substr(0, 16);
  const auto gone = run_headgate({"keys", "revoke", id}, environment);
  EXPECT_EQ(gone.code, 0) << gone.err;
  EXPECT_EQ(gone.out, "the key " + id + " of acme is revoked, in this gateway alone\n");
  EXPECT_EQ(asked_with(proxy, key), 401);
  EXPECT_EQ(run_headgate({"keys", "revoke", "0123456789abcdef"}, environment).code, 1);
}

}  // namespace
}  // namespace headgate::test
