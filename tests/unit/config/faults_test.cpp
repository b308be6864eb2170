// One file for each fault in faults/, and beside it the exact output of `headgate check`.

#include "files.hpp"

#include "headgate/config/load.hpp"
#include "headgate/observe/access_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace headgate::config {
namespace {

class Faults : public testing::TestWithParam<std::filesystem::path> {
 protected:
  void SetUp() override {
    setenv("HEADGATE_TEST_SECRET", "top secret value", 1);
    setenv("HEADGATE_TEST_EMPTY", "", 1);
    setenv("HEADGATE_TEST_FILES", source_path("tests/unit/config/beside").c_str(), 1);
    unsetenv("HEADGATE_TEST_UNSET");
    // As `headgate check` there shows the paths of included files.
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(GetParam().parent_path());
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  static bool is_called(std::string_view begin) { return GetParam().filename().string().starts_with(begin); }
  static Loaded loaded() {
    return load(content(GetParam()), "", GetParam().filename().string(),
                is_called("advice-") ? WithAdvice::yes : WithAdvice::no);
  }

 private:
  std::filesystem::path before_;
};

TEST_P(Faults, AreReportedExactlySo) {
  auto expected = GetParam();
  expected.replace_extension(".txt");
  const auto source = content(GetParam());
  const auto loaded = Faults::loaded();
  EXPECT_EQ(render_text(loaded.diagnostics, GetParam().filename().string(), source, loaded.included),
            content(expected));
}

TEST_P(Faults, ThatAreErrorsLeaveNoConfiguration) {
  const auto loaded = Faults::loaded();
  ASSERT_FALSE(loaded.diagnostics.empty());
  const bool errors = std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                  [](const Diagnostic& each) { return each.severity == Severity::error; });
  EXPECT_EQ(loaded.config.has_value(), !errors);
  EXPECT_EQ(is_called("warning-") || is_called("advice-"), !errors);
}

TEST_P(Faults, NeverShowWhatAPlaceholderStandsFor) {
  const auto source = content(GetParam());
  const auto loaded = Faults::loaded();
  EXPECT_EQ(render_text(loaded.diagnostics, "f", source, loaded.included).find("top secret"), std::string::npos);
  EXPECT_EQ(render_json(loaded.diagnostics, "f").find("top secret"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Config, Faults, testing::ValuesIn(files_in("tests/unit/config/faults", ".json")),
                         [](const auto& test) {
                           auto name = test.param.stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FaultFiles, HaveAnExpectationEachAndNoExpectationIsLeftOver) {
  for (auto path : files_in("tests/unit/config/faults", ".txt")) {
    EXPECT_TRUE(std::filesystem::exists(path.replace_extension(".json"))) << path;
  }
  EXPECT_GE(files_in("tests/unit/config/faults", ".json").size(), 60U);
}

/// No file has this, as each new field would change it.
TEST(LogFields, AreAllListedIfOneIsUnknown) {
  std::string known;
  for (const auto& field : observe::kAccessFields) known += (known.empty() ? "" : ", ") + std::string(field.name);
  const auto loaded = load(R"({ "listen": ":80", "log": { "format": "json", "fields": ["staus"] },
                                "routes": [{ "path": "/*", "respond": {} }] })");
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(loaded.diagnostics[0].message, "\"staus\" is not a field of the access log");
  EXPECT_EQ(loaded.diagnostics[0].help, "did you mean \"status\"?  There are: " + known);
}

}  // namespace
}  // namespace headgate::config
