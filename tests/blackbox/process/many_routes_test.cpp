// Many routes, and routes in many files: all are found, and a folder of files is reloaded as one.

#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;

// A build with sanitizers takes ten times as long for each. What 100,000 cost is counted in tests/cost and by
// `./dev bench cost`.
constexpr std::size_t kRoutes = 20'000;

std::string fixed(const std::string& path, const std::string& body) {
  return R"({ "path": ")" + path + R"(", "respond": { "body": ")" + body + R"(" } })";
}

TEST(ManyRoutes, AnswersTheFirstTheMiddleAndTheLast) {
  std::string routes;
  for (std::size_t i = 0; i < kRoutes; ++i) {
    const auto number = std::to_string(i);
    routes += (i == 0 ? "\n" : ",\n") + fixed("/service-" + number + "/*", number);
  }
  const TemporaryFile file(R"({ "listen": "127.0.0.1:0", "admin": "off", "workers": 1, "routes": [)" + routes + "] }");
  Gateway gateway(Words{"run", "-c", file.path()});
  RawClient client = gateway.client();
  for (const auto i : {std::size_t{0}, kRoutes / 2, kRoutes - 1})
    EXPECT_EQ(client.get("/service-" + std::to_string(i) + "/x").body, std::to_string(i));
  EXPECT_EQ(client.get("/service-" + std::to_string(kRoutes) + "/x").status(), 404);
}

/// A gateway whose file includes all of a folder.
class Divided {
 public:
  explicit Divided(const Words& more = {})
      : file_(R"({ "listen": "127.0.0.1:0", "admin": "off", "workers": 2, "log": { "format": "json" },
                   "include": "routes/*.json" })"),
        folder_(fs::path(file_.path()).parent_path() / "routes") {
    fs::create_directory(folder_);
    write("a", fixed("/a", "1"));
    write("b", fixed("/b", "1"));
    Words words{"run", "-c", file_.path()};
    words.insert(words.end(), more.begin(), more.end());
    gateway_ = std::make_unique<Gateway>(words);
  }

  void write(const std::string& name, const std::string& routes) const {
    std::ofstream(folder_ / (name + ".json")) << R"({ "routes": [)" << routes << "] }";
  }
  void remove(const std::string& name) const { fs::remove(folder_ / (name + ".json")); }

  std::string body(const std::string& path) const { return gateway_->client().get(path).body; }
  int status(const std::string& path) const { return gateway_->client().get(path).status(); }

  template <class What>
  bool tells(const std::string& word, What&& what) {
    const auto before = count_of(gateway_->process().err(), word);
    what();
    return gateway_->process().wait_for_err([&](const std::string& log) { return count_of(log, word) > before; });
  }
  template <class What>
  bool reload_after(What&& what) {
    return tells("\"config_reloaded\"", [&] {
      what();
      gateway_->process().signal(SIGHUP);
    });
  }
  Gateway& gateway() { return *gateway_; }
  const fs::path& folder() const { return folder_; }

 private:
  TemporaryFile file_;
  fs::path folder_;
  std::unique_ptr<Gateway> gateway_;
};

TEST(DividedConfiguration, IsReloadedAsOneUnderLoad) {
  Divided divided;
  std::atomic<bool> stop{false};
  std::atomic<int> answered{0};
  std::atomic<int> failed{0};
  std::vector<std::thread> load;
  for (const char* path : {"/a", "/b"}) {
    load.emplace_back([&, path] {
      RawClient client = divided.gateway().client();
      while (!stop) ++(client.get(path).status() == 200 ? answered : failed);
    });
  }
  for (int version = 2; version < 6; ++version) {
    const auto body = std::to_string(version);
    ASSERT_TRUE(divided.reload_after([&] {
      divided.write("a", fixed("/a", body));
      divided.write("b", fixed("/b", body) + "," + fixed("/only-" + body, body));
    }));
    EXPECT_EQ(divided.body("/a"), body);
    EXPECT_EQ(divided.body("/b"), body);
    EXPECT_EQ(divided.status("/only-" + std::to_string(version - 1)), 404);
  }
  stop = true;
  for (auto& each : load) each.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(answered, 0);
}

TEST(DividedConfiguration, AMistakeInOneFileKeepsAllOfTheOldAndNamesTheFile) {
  Divided divided;
  ASSERT_TRUE(divided.tells("\"config_refused\"", [&] {
    divided.write("a", fixed("/a", "2"));
    std::ofstream(divided.folder() / "b.json") << R"({ "routes": [{ "path": "/b",)";
    divided.gateway().process().signal(SIGHUP);
  }));
  EXPECT_EQ(divided.body("/a"), "1");
  EXPECT_EQ(divided.body("/b"), "1");
  EXPECT_TRUE(divided.gateway().process().says("routes/b.json\",\"line\":1")) << divided.gateway().process().err();
}

TEST(DividedConfiguration, IsWatchedWithFilesThatComeAndGo) {
  Divided divided({"--watch"});
  const std::string reloaded = "\"config_reloaded\"";
  ASSERT_TRUE(divided.tells(reloaded, [&] { divided.write("b", fixed("/b", "2")); }));
  EXPECT_EQ(divided.body("/b"), "2");
  ASSERT_TRUE(divided.tells(reloaded, [&] { divided.write("c", fixed("/c", "1")); }));
  EXPECT_EQ(divided.body("/c"), "1");
  ASSERT_TRUE(divided.tells(reloaded, [&] { divided.remove("a"); }));
  EXPECT_EQ(divided.status("/a"), 404);
  ASSERT_TRUE(divided.tells("\"config_refused\"", [&] { divided.write("d", fixed("/c", "2")); })) << "/c twice";
  ASSERT_TRUE(divided.tells(reloaded, [&] { divided.write("d", fixed("/d", "1")); })) << "mended in a file that is new";
  EXPECT_EQ(divided.body("/d"), "1");
}

}  // namespace
}  // namespace headgate::test
