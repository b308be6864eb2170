// Where the configuration is looked for, and what is said where it is not found.

#include "../../../src/cli/config_file.hpp"

#include "support/folder.hpp"

#include <cstdlib>

namespace headgate::cli {
namespace {

class ConfigFile : public headgate::test::Folder {
 protected:
  ConfigFile() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_);
    ::unsetenv("HEADGATE_CONFIG");
  }
  ~ConfigFile() override {
    std::filesystem::current_path(before_);
    ::unsetenv("HEADGATE_CONFIG");
  }
  /// What is found where `given` is named on the command line; "" and the complaint where nothing is.
  std::string found(const std::string& given = {}) {
    testing::internal::CaptureStderr();
    const auto source = read_source(given);
    complaint = testing::internal::GetCapturedStderr();
    return source ? source->text : std::string();
  }
  std::string complaint;

 private:
  std::filesystem::path before_;
};

TEST_F(ConfigFile, IsTheOneNamed) {
  write("named.json", "named");
  ::setenv("HEADGATE_CONFIG", write("variable.json", "variable").c_str(), 1);
  EXPECT_EQ(found("named.json"), "named");
  EXPECT_EQ(complaint, "");
}

TEST_F(ConfigFile, IsElseTheVariables) {
  std::filesystem::create_directory("conf");
  write("conf/headgate.json", "place");
  ::setenv("HEADGATE_CONFIG", write("variable.json", "variable").c_str(), 1);
  EXPECT_EQ(found(), "variable");
  ::setenv("HEADGATE_CONFIG", "", 1);
  EXPECT_EQ(found(), "place") << "an empty one names nothing";
}

TEST_F(ConfigFile, ThatIsNamedAndMissingIsNotLookedForElsewhere) {
  std::filesystem::create_directory("conf");
  write("conf/headgate.json", "place");
  EXPECT_EQ(found("gone.json"), "");
  EXPECT_EQ(complaint, "headgate: cannot read gone.json: No such file or directory\n");
  ::setenv("HEADGATE_CONFIG", "gone.json", 1);
  EXPECT_EQ(found(), "");
  EXPECT_EQ(complaint, "headgate: cannot read gone.json, which $HEADGATE_CONFIG names: No such file or directory\n");
}

TEST_F(ConfigFile, ThatIsAFolderIsSaidToBeOne) {
  EXPECT_EQ(found("."), "");
  EXPECT_EQ(complaint, "headgate: . is a directory; name the file in it\n");
}

TEST_F(ConfigFile, ThatIsNowhereIsToldWithEveryPlaceLookedAt) {
  if (std::filesystem::exists("/etc/headgate/headgate.json")) GTEST_SKIP() << "this machine has one";
  EXPECT_EQ(found(), "");
  EXPECT_EQ(complaint,
            "headgate: there is no configuration: $HEADGATE_CONFIG is not set, and neither conf/headgate.json nor "
            "/etc/headgate/headgate.json is there; name a file with -c FILE\n");
}

TEST_F(ConfigFile, KnowsWhereItsOwnRelativePathsBegin) {
  EXPECT_EQ((cli::ConfigFile{"/etc/headgate/headgate.json", ""}).directory(), "/etc/headgate");
  EXPECT_EQ((cli::ConfigFile{"headgate.json", ""}).directory(), "");
}

TEST_F(ConfigFile, WithMistakesIsNoneAndSaysWhere) {
  write("bad.json", "{ \"lisen\": 8080 }");
  testing::internal::CaptureStderr();
  const auto outcome = load_file("bad.json");
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(outcome.config);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(said.find("bad.json:1:"), said.npos) << said;
}

}  // namespace
}  // namespace headgate::cli
