// A configuration in several files: what is joined, from where paths begin, and which files are watched. Mistakes are
// in faults/include*.json.

#include "files.hpp"

#include "headgate/config/included.hpp"
#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>

namespace headgate::config {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using Json = nlohmann::ordered_json;

class Include : public testing::Test {
 protected:
  Include() {
    std::string place = "/tmp/headgate-include-XXXXXX";
    folder_ = ::mkdtemp(place.data());
  }
  ~Include() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Loaded load_main() const {
    return load(content(folder_ / "main.json"), folder_.string(), (folder_ / "main.json").string());
  }
  Config loaded() const {
    auto result = load_main();
    EXPECT_TRUE(result.config) << render_text(result.diagnostics, "main.json", "", result.included);
    return result.config ? std::move(*result.config) : Config{};
  }
  /// The first message, with its file's name.
  std::string complaint() const {
    const auto result = load_main();
    if (result.diagnostics.empty()) return "";
    const auto& first = result.diagnostics.front();
    return fs::path(first.file).filename().string() + ": " + first.message;
  }
  static std::vector<std::string> paths_of(const Config& config) {
    std::vector<std::string> out;
    for (const auto& each : config.gateway.routes) out.push_back(each.path);
    return out;
  }

  fs::path folder_;
};

std::string route(const std::string& path) { return R"({ "path": ")" + path + R"(", "respond": {} })"; }

std::string including(const std::string& files, const std::string& more = "") {
  return R"({ "listen": ":1", "include": )" + files + more + " }";
}

TEST_F(Include, JoinsRoutesInTheOrderOfTheNamesOfTheirFiles) {
  write("main.json", including(R"(["routes/*.json"])", R"(, "routes": [)" + route("/main") + "]"));
  write("routes/b.json", R"({ "routes": [)" + route("/b") + "] }");
  write("routes/a.json", R"({ "$schema": "x", "routes": [)" + route("/a1") + "," + route("/a2") + "] }");
  const auto config = loaded();
  EXPECT_THAT(paths_of(config), ElementsAre("/main", "/a1", "/a2", "/b"));
  EXPECT_THAT(config.included, ElementsAre(path("routes/a.json"), path("routes/b.json")));
  EXPECT_NE(meaning(config, "f").find("It includes 2 files: " + path("routes/a.json") + " and "), std::string::npos);
}

TEST_F(Include, ReadsEachFileOnceHoweverOftenItIsNamed) {
  write("main.json", including(R"(["routes/b.json", "routes/*.json", "./routes/../routes/a.json"])"));
  write("routes/a.json", R"({ "routes": [)" + route("/a") + "] }");
  write("routes/b.json", R"({ "routes": [)" + route("/b") + "] }");
  EXPECT_THAT(paths_of(loaded()), ElementsAre("/b", "/a"));
}

TEST_F(Include, LeavesOutHiddenFilesDirectoriesAndOtherNames) {
  write("main.json", including(R"("parts/r*.json")"));
  write("parts/r.json", R"({ "routes": [)" + route("/r") + "] }");
  write("parts/.r.json", "not JSON");
  write("parts/r.json.swp", "not JSON");
  write("parts/r-directory.json/x", "");
  write("parts/q.json", "not JSON");
  EXPECT_THAT(paths_of(loaded()), ElementsAre("/r"));
}

TEST_F(Include, PathsAndSecretsBeginAtTheFileThatNamesThem) {
  write("main.json", including(R"("parts/a.json")"));
  write("parts/a.json", R"({ "routes": [{ "path": "/*", "respond": { "body": "${file:word}" } }] })");
  write("parts/word", "from beside it\n");
  const auto result = load_main();
  ASSERT_TRUE(result.config);
  EXPECT_EQ(result.config->gateway.routes[0].respond->body, "from beside it");
  EXPECT_THAT(result.watched, ElementsAre(path("parts/a.json"), path("parts/word")));
}

TEST_F(Include, WatchesPatternsAndNotWhatFitsThemNow) {
  write("main.json", including(R"(["*.part", "missing.json"])"));
  write("a.part", R"({ "routes": [)" + route("/a") + "] }");
  const auto result = load_main();
  EXPECT_FALSE(result.config) << "one file is missing";
  EXPECT_THAT(result.watched, ElementsAre(path("*.part"), path("missing.json")));
  EXPECT_THAT(files_for(path("*.part")).files, ElementsAre(path("a.part")));
  EXPECT_THAT(files_for(path("missing.json")).files, ElementsAre(path("missing.json")));
}

TEST_F(Include, DoesNotWatchLogsCertificatesAndFilesOfKeys) {
  write("main.json", R"({ "listen": ":1", "log": { "access": "./access.log" }, "routes": [)" + route("/*") + "] }");
  EXPECT_THAT(load_main().watched, ElementsAre());
}

TEST_F(Include, AFileThatIsNoJsonPreventsAllOfThem) {
  write("main.json", including(R"("*.part")"));
  write("a.part", R"({ "routes": [)" + route("/a") + "] }");
  write("b.part", R"({ "routes": [)");
  EXPECT_FALSE(load_main().config);
  EXPECT_EQ(complaint(), "b.part: this '[' is never closed");
  write("b.part", "[]");
  EXPECT_EQ(complaint(), "b.part: an included file is an object");
}

TEST_F(Include, BoundsTheBytesOfAllFilesTogether) {
  write("main.json", including(R"("large.part")"));
  write("large.part", "");
  fs::resize_file(folder_ / "large.part", 65UL << 20U);
  EXPECT_THAT(complaint(), testing::HasSubstr("may have 64MiB together"));
}

/// Moves elements and members of the parts that can be joined to other files; order is kept.
TEST_F(Include, MeansTheSameHoweverItIsDivided) {
  Json whole = {{"listen", ":1"}};
  whole["upstreams"] = Json::object();
  whole["limits"] = Json::object();
  whole["routes"] = Json::array();
  for (int i = 0; i < 30; ++i) {
    const auto number = std::to_string(i);
    whole["upstreams"]["app" + number] = "http://127.0.0.1:3000";
    whole["limits"]["limit" + number] = {{"rate", number + "1/minute"}, {"per", "client_ip"}};
    whole["routes"].push_back({{"path", "/" + number}, {"to", "app" + number}, {"limits", {"limit" + number}}});
  }
  write("main.json", whole.dump());
  const auto expected = loaded();
  std::mt19937 random(20261123);  // NOLINT: the same divisions every time
  for (int round = 0; round < 20; ++round) {
    const std::size_t files = 1 + random() % 5;
    std::vector<Json> parts(files, Json::object());
    parts[0]["listen"] = ":1";
    if (files > 1) parts[0]["include"] = "part-*";
    for (const char* key : {"upstreams", "limits", "routes"}) {
      std::size_t at = 0;
      for (const auto& [name, value] : whole[key].items()) {
        while (at + 1 < files && random() % 10 == 0) ++at;
        if (whole[key].is_array())
          parts[at][key].push_back(value);
        else
          parts[at][key][name] = value;
      }
    }
    write("main.json", parts[0].dump(1));
    for (std::size_t i = 1; i < files; ++i) write("part-" + std::to_string(i), parts[i].dump(1));
    auto got = loaded().fingerprints;
    got.erase("include");
    EXPECT_EQ(got, expected.fingerprints) << "round " << round;
    for (std::size_t i = 1; i < files; ++i) fs::remove(folder_ / ("part-" + std::to_string(i)));
  }
}

}  // namespace
}  // namespace headgate::config
