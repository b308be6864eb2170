// Other ways to a reload: a call of the admin interface, and a file that is watched.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;

const Json kAdminAnywhere = {{"admin", {{"listen", "127.0.0.1:0"}}}};

Json with_limit(const std::string& rate, const Json& more = Json::object()) {
  Json out = {{"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}}, {"all_routes", {{"limits", {"x"}}}}};
  out.merge_patch(more);
  return out;
}

Message post(std::uint16_t port, const std::string& fields = "") {
  return RawClient(port).ask("POST /api/v1/reload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n" + fields +
                             "\r\n");
}

TEST(ReloadCall, TellsWhatHasChanged) {
  Reloaded gateway(kAdminAnywhere);
  const auto port = admin_port(gateway.process());
  auto answer = post(port);
  EXPECT_EQ(answer.status(), 200) << answer.head;
  EXPECT_TRUE(Json::parse(answer.body)["changed"].empty()) << answer.body;
  gateway.write(with_limit(
      "5/day", {{"admin", kAdminAnywhere["admin"]}, {"listen", {"127.0.0.1:0", "127.0.0.1:0"}}, {"workers", 2}}));
  answer = post(port);
  ASSERT_EQ(answer.status(), 200) << answer.body;
  const auto told = Json::parse(answer.body);
  EXPECT_EQ(told["changed"], Json({"all_routes", "limits", "listen", "workers"})) << answer.body;
  EXPECT_EQ(told["listeners"]["added"].size(), 1U) << answer.body;
  EXPECT_EQ(told["waiting_for_restart"], Json({"workers"})) << answer.body;
  EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "5") << "every worker uses it before the answer";
}

TEST(ReloadCall, TellsEveryMistakeWithItsPlace) {
  Reloaded gateway(kAdminAnywhere);
  const auto port = admin_port(gateway.process());
  gateway.write(with_limit("5/dya", {{"admin", kAdminAnywhere["admin"]}, {"drian", "5s"}}));
  const auto answer = post(port);
  EXPECT_EQ(answer.status(), 422);
  EXPECT_EQ(answer.value("Content-Type"), "application/problem+json");
  const auto problem = Json::parse(answer.body);
  EXPECT_EQ(problem["status"], 422);
  ASSERT_EQ(problem["mistakes"].size(), 2U) << answer.body;
  for (const auto& mistake : problem["mistakes"]) {
    EXPECT_EQ(mistake["file"], gateway.path());
    EXPECT_GT(mistake["line"], 1);
    EXPECT_FALSE(mistake["message"].get<std::string>().empty());
  }
  EXPECT_FALSE(gateway.client().get().has("X-RateLimit-Limit"));
}

TEST(ReloadCall, IsAnsweredWhereItWasMadeEvenIfThatAddressCloses) {
  Reloaded gateway(kAdminAnywhere);
  const auto port = admin_port(gateway.process());
  gateway.write(Json{{"admin", "off"}});
  EXPECT_EQ(post(port).status(), 200);
}

TEST(ReloadCall, NeedsTheTokenAndAPost) {
  Reloaded gateway(Json{{"admin", {{"listen", "127.0.0.1:0"}, {"token", "0123456789abcdef"}}}});
  const auto port = admin_port(gateway.process());
  EXPECT_EQ(post(port).status(), 401);
  const std::string token = "Authorization: Bearer 0123456789abcdef\r\n";
  EXPECT_EQ(post(port, token).status(), 200);
  const auto get = RawClient(port).ask("GET /api/v1/reload HTTP/1.1\r\nHost: x\r\n" + token + "\r\n");
  EXPECT_EQ(get.status(), 405);
  EXPECT_EQ(get.value("Allow"), "POST");
}

TEST(ReloadCall, WithoutAFileIsRefused) {
  FakeUpstream upstream;
  Gateway gateway(Words{"proxy", "--to", upstream.url(), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  const auto answer = post(admin_port(gateway.process()));
  EXPECT_EQ(answer.status(), 422);
  EXPECT_TRUE(has(answer.body, "no file to read again")) << answer.body;
}

TEST(Watch, SeesAFileThatIsWrittenRenamedOrBehindALink) {
  Reloaded gateway(Json::object(), {"--watch"});
  const auto limit = [&] { return gateway.client().get().value("X-RateLimit-Limit"); };
  const std::string word = "\"config_reloaded\"";
  ASSERT_TRUE(gateway.tells(word, [&] { gateway.write(with_limit("5/day")); }));
  EXPECT_EQ(limit(), "5");
  const auto next = gateway.path() + ".next";
  std::ofstream(next) << gateway.as_file(with_limit("6/day"));
  ASSERT_TRUE(gateway.tells(word, [&] { fs::rename(next, gateway.path()); }));
  EXPECT_EQ(limit(), "6");
  ASSERT_TRUE(gateway.tells("\"config_refused\"", [&] { gateway.write_text("{"); }));
  EXPECT_EQ(limit(), "6");
}

/// Kubernetes keeps the files of a ConfigMap in a folder of its own, and swaps a link to it.
TEST(Watch, SeesALinkToAFolderThatIsSwapped) {
  const TemporaryFile anchor("", "nothing");
  const auto folder = fs::path(anchor.path()).parent_path();
  const FakeUpstream upstream;
  const auto fill = [&](const std::string& name, const std::string& rate) {
    fs::create_directory(folder / name);
    Json config = config_for(upstream, with_limit(rate));
    std::ofstream(folder / name / "headgate.json") << config.dump(2);
  };
  fill("v1", "5/day");
  fill("v2", "6/day");
  fs::create_directory_symlink("v1", folder / "data");
  fs::create_symlink("data/headgate.json", folder / "headgate.json");
  {
    Gateway gateway(Words{"run", "--watch", "-c", (folder / "headgate.json").string()});
    EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "5");
    fs::create_directory_symlink("v2", folder / "data.next");
    fs::rename(folder / "data.next", folder / "data");
    EXPECT_TRUE(gateway.process().wait_for_err([](const std::string& log) { return has(log, "config_reloaded"); }));
    EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "6");
  }
  for (const char* name : {"v1", "v2", "data", "headgate.json"}) fs::remove_all(folder / name);
}

}  // namespace
}  // namespace headgate::test
