#pragma once
// Translates small texts of other products for tests.

#include "headgate/config/load.hpp"
#include "headgate/translate/translate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace headgate::translate {

/// A fixture with a temporary folder for each test.
class ImportedText : public testing::Test {
 protected:
  ImportedText() {
    auto name = (std::filesystem::temp_directory_path() / "headgate_imported.XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~ImportedText() override { std::filesystem::remove_all(folder_); }

  const std::string& folder() const { return folder_; }

  Translated of(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + '/' + name) << text;
    auto translated = translate(folder_ + '/' + name, std::nullopt);
    EXPECT_TRUE(translated.has_value()) << translated.error().message;
    return translated.has_value() ? *translated : Translated{};
  }

  /// Returns whether the file has this text, ignoring line breaks and blanks.
  static testing::AssertionResult has(const Translated& got, const std::string& text) {
    if (without_breaks(got.text).find(without_breaks(text)) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << got.text << "has no " << text;
  }

  /// Returns the addresses of the listeners that are opened.
  static std::vector<std::string> listeners(const Translated& got) {
    std::vector<std::string> out;
    const auto loaded = config::load(got.text);
    EXPECT_TRUE(loaded.config.has_value()) << got.text;
    if (loaded.config)
      for (const auto& each : loaded.config->listen) out.push_back(each.text);
    return out;
  }

 private:
  static std::string without_breaks(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
    return text;
  }

  std::string folder_;
};

}  // namespace headgate::translate
