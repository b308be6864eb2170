// Another policy beside the one in force: compared on live traffic, set, dropped, promoted, and never felt by a client.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace headgate::test {
namespace {

Json policy_of(const std::string& limit, const std::string& rate, const Json& more = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"workers", 1},
              {"limits", {{limit, {{"rate", rate}, {"per", "client_ip"}}}}},
              {"all_routes", {{"limits", {limit}}}},
              {"log", {{"format", "json"}, {"access", "off"}}}};
  out.merge_patch(more);
  return out;
}

/// Sends so many requests, and tells the statuses.
std::vector<int> statuses(std::uint16_t port, int times) {
  std::vector<int> out;
  for (int i = 0; i < times; ++i) out.push_back(RawClient(port).get().status());
  return out;
}
std::vector<int> statuses(Reloaded& file, int times) { return statuses(file.gateway().port(), times); }

Json row_of(const Json& diff, const std::string& limit) {
  for (const auto& row : diff["limits"])
    if (row["limit"] == limit) return row;
  return nullptr;
}

TEST(Candidate, TakesOverListenersOnlyWhenThatIsSaid) {
  const FakeUpstream nowhere;
  Reloaded file(policy_of("plan", "100/day"));
  const Operator admin(file.process());
  const auto port = Socket::listen().local_port();
  Json config = config_for(nowhere, policy_of("plan", "100/day"));
  config["listen"] = "127.0.0.1:" + std::to_string(port);
  const TemporaryFile next(config.dump(), "next.json");
  const auto set = run_headgate({"candidate", "set", next.path(), "--admin", admin.url()});
  ASSERT_EQ(set.code, 0) << set.err;
  EXPECT_TRUE(has(set.err, "warning: its \"listen\" differs, and promote applies that only with --listeners"))
      << set.err;
  const auto refused = run_headgate({"promote", "--admin", admin.url()});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "The candidate has another listen: to promote it closes addresses")) << refused.err;
  EXPECT_TRUE(has(refused.err, "help: add --listeners")) << refused.err;
  expect_refusal(admin.ask("POST", "/api/v1/candidate/promote"), 409);
  EXPECT_EQ(statuses(file, 1), std::vector<int>{200}) << "nothing has changed";
  const auto promoted = run_headgate({"promote", "--listeners", "--admin", admin.url()});
  ASSERT_EQ(promoted.code, 0) << promoted.err;
  EXPECT_EQ(RawClient(port).get().status(), 200);
}

TEST(Candidate, OfTheFileIsComparedOverReloadsUntilItIsDropped) {
  const FakeUpstream nowhere;
  TemporaryFile next(config_for(nowhere, policy_of("plan", "2/day")).dump(), "next.json");
  Reloaded file(policy_of("plan", "100/day", {{"candidate", next.path()}}));
  const Operator admin(file.process());
  ASSERT_EQ(statuses(file, 5), std::vector<int>(5, 200));
  auto diff = admin.get("/api/v1/candidate/diff");
  EXPECT_EQ(diff["requests"]["both_allowed"], 2);
  EXPECT_EQ(diff["requests"]["hit"], 3);
  EXPECT_EQ(row_of(diff, "plan")["hit"], 3) << diff;
  ASSERT_FALSE(diff["keys"].empty()) << diff;
  EXPECT_EQ(diff["keys"][0]["hit"][0]["key"], "127.0.0.1") << diff;
  EXPECT_EQ(diff["keys"][0]["hit"][0]["requests"], 3);
  EXPECT_EQ(diff["candidate"]["from"], "file");
  EXPECT_EQ(admin.get("/api/v1/status")["candidate"]["file"], next.path());
  EXPECT_TRUE(has(Look(file.process()).text(),
                  "headgate_candidate_limit_requests_total{limit=\"plan\",tier=\"\",result=\"hit\"} 3"));
  const auto shown = run_headgate({"diff", "--admin", admin.url()});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(has(shown.out, "hit 3 (60.00 %)")) << shown.out;

  ASSERT_TRUE(file.reload(policy_of("plan", "100/day", {{"candidate", next.path()}, {"drain", "3s"}})));
  ASSERT_EQ(statuses(file, 1), std::vector<int>{200});
  EXPECT_EQ(admin.get("/api/v1/candidate/diff")["requests"]["hit"], 4) << "with the counters from before";

  // A mistake in it refuses the whole reload, and has its place.
  std::ofstream(next.path(), std::ios::trunc) << "{\n  \"listen\": \":1\",\n  \"lmits\": {}\n}\n";
  file.write(policy_of("plan", "1/day", {{"candidate", next.path()}}));
  const auto refused = admin.ask("POST", "/api/v1/reload");
  EXPECT_EQ(refused.status(), 422) << refused.body;
  EXPECT_TRUE(has(refused.body, next.path())) << refused.body;
  EXPECT_EQ(statuses(file, 1), std::vector<int>{200}) << "nothing of it is in force";
  EXPECT_EQ(admin.get("/api/v1/candidate/diff")["requests"]["hit"], 5);

  EXPECT_EQ(run_headgate({"candidate", "drop", "--admin", admin.url()}).out, "the candidate is dropped\n");
  expect_refusal(admin.ask("GET", "/api/v1/candidate"), 404);
  expect_refusal(admin.ask("DELETE", "/api/v1/candidate"), 404);
  expect_refusal(admin.ask("POST", "/api/v1/candidate/promote"), 404);
  EXPECT_TRUE(file.process().says("candidate_dropped"));
}

TEST(Candidate, OfAnOperatorIsPromotedWithWhatCallersHaveUsed) {
  Reloaded file(policy_of("plan", "5/day"));
  const Operator admin(file.process());
  auto next = Json::parse(file.as_file(policy_of("plan", "7/day")));
  next["listen"] = "127.0.0.1:0";
  next["limits"]["new"] = {{"rate", "9/day"}, {"per", "client_ip"}};
  next["all_routes"]["limits"] = {"plan", "new"};
  TemporaryFile written(next.dump(), "next.json");
  const auto set = run_headgate({"candidate", "set", written.path(), "--admin", admin.url()});
  ASSERT_EQ(set.code, 0) << set.err;
  EXPECT_TRUE(has(run_headgate({"candidate", "--admin", admin.url()}).out, "set by an operator"));
  EXPECT_EQ(statuses(file, 6), (std::vector<int>{200, 200, 200, 200, 200, 429}));
  const auto diff = admin.get("/api/v1/candidate/diff");
  EXPECT_EQ(diff["requests"]["freed"], 1) << diff;
  EXPECT_TRUE(has(diff["keys"].dump(), R"("freed":[{"key":"127.0.0.1")")) << diff;

  const auto promoted = run_headgate({"promote", "--admin", admin.url()});
  ASSERT_EQ(promoted.code, 0) << promoted.err;
  EXPECT_TRUE(has(promoted.out, "the candidate is in force")) << promoted.out;
  const auto port = file.last_port("listening on ");
  EXPECT_EQ(statuses(port, 3), (std::vector<int>{200, 200, 429})) << "five of seven were used";
  expect_refusal(admin.ask("GET", "/api/v1/candidate"), 404);
  EXPECT_TRUE(has(admin.get("/api/v1/status")["details"].dump(), R"("reason":"promoted")"));
  EXPECT_TRUE(file.process().says("candidate_promoted"));
  const auto key = admin.get("/api/v1/limits/new/keys/127.0.0.1");
  EXPECT_TRUE(has(key.dump(), R"("used":8)")) << "six beside the old policy, and two since: " << key;

  ASSERT_EQ(run_headgate({"reload", "--previous", "--admin", admin.url()}).code, 0);
  EXPECT_EQ(admin.get("/api/v1/status")["details"], Json::array());
}

TEST(Candidate, ThatCannotBeUsedChangesNothing) {
  Reloaded file(policy_of(
      "plan", "5/day",
      {{"admin",
        {{"token", "0123456789abcdef0123456789abcdef"}, {"read_token", "fedcba9876543210fedcba9876543210"}}}}));
  const Operator admin(file.process(), "0123456789abcdef0123456789abcdef");
  const Operator reader(file.process(), "fedcba9876543210fedcba9876543210");
  const auto good = file.as_file(policy_of("plan", "1/day"));
  EXPECT_EQ(reader.ask("PUT", "/api/v1/candidate", good).status(), 403);
  ASSERT_EQ(admin.ask("PUT", "/api/v1/candidate", good).status(), 200);
  EXPECT_EQ(reader.ask("POST", "/api/v1/candidate/promote").status(), 403);
  EXPECT_EQ(reader.ask("DELETE", "/api/v1/candidate").status(), 403);
  const auto sha = reader.get("/api/v1/candidate")["sha256"];

  auto answer = admin.ask("PUT", "/api/v1/candidate?name=next.json", "{\n  \"lmits\": {}\n}\n");
  EXPECT_EQ(answer.status(), 422);
  auto mistakes = Json::parse(answer.body)["mistakes"];
  const auto typo = std::find_if(mistakes.begin(), mistakes.end(), [](const Json& each) {
    return each["message"].get<std::string>().find("lmits") != std::string::npos;
  });
  ASSERT_NE(typo, mistakes.end()) << mistakes;
  EXPECT_EQ((*typo)["file"], "next.json");
  EXPECT_EQ((*typo)["line"], 2);
  answer = admin.ask("PUT", "/api/v1/candidate", file.as_file(policy_of("plan", "1/day", {{"candidate", "x.json"}})));
  EXPECT_EQ(answer.status(), 422);
  EXPECT_TRUE(has(answer.body, "a candidate has no candidate of its own")) << answer.body;
  answer = admin.ask("PUT", "/api/v1/candidate", R"({"file": "/nowhere/next.json"})");
  EXPECT_EQ(answer.status(), 422);
  EXPECT_TRUE(has(answer.body, "/nowhere/next.json")) << answer.body;
  expect_refusal(admin.ask("PUT", "/api/v1/candidate", ""), 400);
  EXPECT_EQ(reader.get("/api/v1/candidate")["sha256"], sha);
  EXPECT_EQ(statuses(file, 2), std::vector<int>(2, 200));

  EXPECT_EQ(admin.ask("PUT", "/api/v1/candidate", Json{{"file", file.path()}}.dump()).status(), 200);
  EXPECT_EQ(reader.get("/api/v1/candidate")["file"], file.path());
}

TEST(Candidate, HasItsMistakesToldByCheckWithTheirPlaces) {
  const FakeUpstream nowhere;
  TemporaryFile next("{\n  \"listen\": \":8080\",\n  \"lmits\": {}\n}\n", "next.json");
  TemporaryFile main(config_for(nowhere, {{"candidate", next.path()}}).dump());
  auto ran = run_headgate({"check", main.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, next.path() + ":3:3: error: ")) << ran.err;
  EXPECT_TRUE(has(ran.err, "\"lmits\": {}")) << "with its line: " << ran.err;
  std::ofstream(next.path(), std::ios::trunc) << config_for(nowhere, {{"candidate", main.path()}}).dump();
  ran = run_headgate({"check", main.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "a candidate has no candidate of its own")) << ran.err;
  TemporaryFile lost(config_for(nowhere, {{"candidate", "/nowhere/next.json"}}).dump());
  ran = run_headgate({"check", lost.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(has(ran.err, "the candidate \"/nowhere/next.json\" cannot be read")) << ran.err;
}

TEST(Candidate, InRedisHasKeysOfItsOwnAndItsOutageIsFeltByNobody) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const auto url = "redis://127.0.0.1:" + std::to_string(redis.port());
  const Json in_redis = {{"redis", {{"url", url}}}};
  Reloaded file(policy_of("plan", "100/day"));
  const Operator admin(file.process());
  auto next = Json::parse(file.as_file(policy_of("plan", "90/day", in_redis)));
  next["limits"]["plan"]["leases"] = "off";
  ASSERT_EQ(admin.ask("PUT", "/api/v1/candidate", next.dump()).status(), 200);
  const auto compared = [&](const char* what, std::uint64_t least) {
    return wait_until([&] { return admin.get("/api/v1/candidate/diff")["requests"][what] >= least; });
  };
  // The first may come before its connection is there.
  ASSERT_TRUE(wait_until([&] {
    return statuses(file, 1) == std::vector<int>{200} &&
           admin.get("/api/v1/candidate/diff")["requests"]["both_allowed"] >= 1;
  }));
  const auto keys = redis_cli(redis.port(), "--raw keys '*'");
  EXPECT_TRUE(has(keys, "hg:candidate:")) << keys;
  std::istringstream lines(keys);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with("hg:candidate:")) << line;

  redis.kill9();
  EXPECT_EQ(statuses(file, 5), std::vector<int>(5, 200));
  EXPECT_TRUE(compared("undecided", 1));
  EXPECT_GE(admin.get("/api/v1/candidate/diff")["undecided"]["redis_down"], 1);
  EXPECT_EQ(admin.get("/api/v1/status")["state"], "ready") << "it is no outage of this gateway";
}

TEST(Candidate, GoesOnInTheProcessOfAnUpgrade) {
  Upgraded upgraded(policy_of("plan", "100/day"));
  const auto port = upgraded.gateway.gateway().port();
  const Operator admin(admin_port(upgraded.gateway.process()));
  ASSERT_EQ(admin.ask("PUT", "/api/v1/candidate", upgraded.gateway.as_file(policy_of("plan", "4/day"))).status(), 200);
  const auto sha = admin.get("/api/v1/candidate")["sha256"];
  ASSERT_EQ(statuses(port, 3), std::vector<int>(3, 200));
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  ASSERT_TRUE(wait_until([&] { return !upgraded.gateway.process().runs(); })) << "else it may still accept";
  EXPECT_EQ(admin.get("/api/v1/candidate")["sha256"], sha);
  ASSERT_EQ(statuses(port, 2), std::vector<int>(2, 200));
  const auto diff = admin.get("/api/v1/candidate/diff");
  EXPECT_EQ(diff["requests"]["both_allowed"], 1) << "three of four were used before: " << diff;
  EXPECT_EQ(diff["requests"]["hit"], 1);
}

/// The configuration in a file of its own, whose directory and name stay over restarts.
struct Restarted {
  explicit Restarted(const Json& changes) : file(config_for(upstream, changes).dump(), "restarted.json") { start(); }
  void write(const Json& changes) const {
    std::ofstream(file.path(), std::ios::trunc) << config_for(upstream, changes).dump();
  }
  void start(const std::vector<std::string>& environment = {}) {
    gateway.reset();  // and ends the one before
    gateway = std::make_unique<Gateway>(Words{"run", "-c", file.path()}, 1, environment);
  }
  Operator admin() { return Operator(gateway->process()); }
  std::string kept() const { return file.path() + ".candidate"; }

  FakeUpstream upstream;
  TemporaryFile file;
  std::unique_ptr<Gateway> gateway;
};

TEST(Candidate, OfAnOperatorIsSetAgainAfterARestartUntilItIsDropped) {
  Restarted one(policy_of("plan", "100/day"));
  const auto next = config_for(one.upstream, policy_of("plan", "2/day")).dump();
  ASSERT_EQ(one.admin().ask("PUT", "/api/v1/candidate?name=next.json", next).status(), 200);
  const auto sha = one.admin().get("/api/v1/candidate")["sha256"];
  EXPECT_EQ(std::filesystem::status(one.kept()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
      << "it may hold secrets";

  one.start();
  const auto shown = one.admin().get("/api/v1/candidate");
  EXPECT_EQ(shown["sha256"], sha);
  EXPECT_EQ(shown["from"], "admin");
  EXPECT_EQ(shown["notes"], Json::array());
  EXPECT_EQ(statuses(one.gateway->port(), 3), std::vector<int>(3, 200));
  EXPECT_EQ(one.admin().get("/api/v1/candidate/diff")["requests"]["hit"], 1);

  EXPECT_EQ(one.admin().ask("DELETE", "/api/v1/candidate").status(), 200);
  EXPECT_FALSE(std::filesystem::exists(one.kept()));
  one.start();
  expect_refusal(one.admin().ask("GET", "/api/v1/candidate"), 404);
}

TEST(Candidate, OfAnOperatorIsForgottenByARestartOnceItIsPromotedOrTheFileNamesAnother) {
  Restarted one(policy_of("plan", "100/day"));
  const TemporaryFile next(config_for(one.upstream, policy_of("plan", "2/day")).dump(), "next.json");
  const auto set = [&] {
    return one.admin().ask("PUT", "/api/v1/candidate", Json{{"file", next.path()}}.dump()).status();
  };
  ASSERT_EQ(set(), 200);
  ASSERT_EQ(one.admin().ask("POST", "/api/v1/candidate/promote").status(), 200);
  EXPECT_FALSE(std::filesystem::exists(one.kept()));

  one.start();
  ASSERT_EQ(set(), 200);
  const TemporaryFile other(config_for(one.upstream, policy_of("plan", "3/day")).dump(), "other.json");
  one.write(policy_of("plan", "100/day", {{"candidate", other.path()}}));
  one.start();
  EXPECT_EQ(one.admin().get("/api/v1/candidate")["file"], other.path());
  EXPECT_TRUE(one.gateway->process().says("the candidate that an operator had set was dropped"));
  EXPECT_FALSE(std::filesystem::exists(one.kept()));
  // Set over what the file names, it stays until the file names another one.
  ASSERT_EQ(set(), 200);
  one.start();
  EXPECT_EQ(one.admin().get("/api/v1/candidate")["file"], next.path());
  std::ofstream(other.path(), std::ios::app) << '\n';
  ASSERT_EQ(one.admin().ask("POST", "/api/v1/reload").status(), 200);
  EXPECT_EQ(one.admin().get("/api/v1/candidate")["file"], other.path());
  EXPECT_FALSE(std::filesystem::exists(one.kept()));
}

TEST(Candidate, OfAnOperatorIsKeptWhateverAnotherGatewayWithTheSameFileDoes) {
  Restarted one(policy_of("plan", "100/day"));
  Gateway other(Words{"run", "-c", one.file.path()});
  const auto next = config_for(one.upstream, policy_of("plan", "2/day")).dump();
  ASSERT_EQ(one.admin().ask("PUT", "/api/v1/candidate", next).status(), 200);
  const Operator of_other(other.process());
  EXPECT_EQ(of_other.ask("POST", "/api/v1/reload").status(), 200);
  expect_refusal(of_other.ask("DELETE", "/api/v1/candidate"), 404);
  EXPECT_TRUE(std::filesystem::exists(one.kept()));
  one.start();
  EXPECT_EQ(one.admin().get("/api/v1/candidate")["from"], "admin");
}

TEST(Candidate, ThatCannotBeKeptOrIsBrokenSaysSoAndStopsNoStart) {
  Restarted one(policy_of("plan", "100/day"));
  one.start({"STATE_DIRECTORY=/nowhere/state:/tmp"});
  const auto next = config_for(one.upstream, policy_of("plan", "2/day")).dump();
  const TemporaryFile written(next, "next.json");
  const auto set = run_headgate({"candidate", "set", written.path(), "--admin", one.admin().url()});
  EXPECT_EQ(set.code, 0) << set.err;
  const std::string why = "cannot write /nowhere/state/" + std::filesystem::path(one.kept()).filename().string();
  EXPECT_TRUE(has(set.err, "warning: this candidate does not survive a restart: " + why)) << set.err;
  EXPECT_TRUE(
      has(one.admin().get("/api/v1/candidate")["notes"].dump(), "the candidate does not survive a restart: " + why));

  const Json head = {{"candidate_of", one.file.path()}, {"form", 1}, {"name", "old.json"}, {"over", ""}};
  for (const auto& [text, told] : std::vector<std::pair<std::string, std::string>>{
           {head.dump() + "\n{\"lmits\": {}}", "the candidate that an operator had set can no longer be used"},
           {"{\"form\": 9}\n", "does not have the format of this version of headgate"},
           {"half", "cannot be read, or is incomplete"}}) {
    std::ofstream(one.kept(), std::ios::trunc) << text;
    one.start();
    expect_refusal(one.admin().ask("GET", "/api/v1/candidate"), 404);
    EXPECT_TRUE(one.gateway->process().says(told)) << one.gateway->process().err();
    EXPECT_EQ(statuses(one.gateway->port(), 1), std::vector<int>{200});
  }
  // Another configuration's: two gateways may have one directory.
  auto other = head;
  other["candidate_of"] = "/elsewhere/restarted.json";
  std::ofstream(one.kept(), std::ios::trunc) << other.dump() << '\n' << next;
  one.start();
  expect_refusal(one.admin().ask("GET", "/api/v1/candidate"), 404);
  std::filesystem::remove(one.kept());
}

/// The commands of docs/candidate.md with what they print, as a page shows them.
std::string shown_in_docs() {
  std::ifstream page(std::string(HEADGATE_SOURCE_DIR) + "/docs/candidate.md");
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```"))
      inside = line == "```console";
    else if (inside)
      out += line + '\n';
  }
  return std::regex_replace(out, std::regex("since [0-9TZ:-]+"), "since <time>");
}

TEST(CandidateDocs, ShowWhatTheCommandsPrint) {
  Reloaded file(policy_of("plan", "100/day"));
  const Operator admin(file.process());
  const TemporaryFile next(file.as_file(policy_of("plan", "4/day")), "next.json");
  std::string out;
  const auto run = [&](Words words) {
    out += "$ headgate";
    for (const auto& word : words) out += ' ' + (word == next.path() ? "next.json" : word);
    words.insert(words.end(), {"--admin", admin.url()});
    const auto ran = run_headgate(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    out += '\n' + std::regex_replace(ran.out, std::regex(next.path()), "next.json");
  };
  run({"candidate", "set", next.path()});
  ASSERT_EQ(statuses(file, 8), std::vector<int>(8, 200));
  run({"diff"});
  run({"promote"});
  EXPECT_EQ(std::regex_replace(out, std::regex("since [0-9TZ:-]+"), "since <time>"), shown_in_docs());
}

}  // namespace
}  // namespace headgate::test
