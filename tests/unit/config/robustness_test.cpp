// With any bytes: no crash, no exception, and never a configuration beside an error. The sanitizers check this.

#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headgate::config {
namespace {

bool is_valid(const std::string& source) {
  const auto loaded = load(source);
  const bool errors = std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                  [](const Diagnostic& each) { return each.severity == Severity::error; });
  const auto place = [](const Diagnostic& each) { return std::pair(each.line, each.column); };
  const bool sorted = std::is_sorted(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                     [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  const bool placed = std::all_of(loaded.diagnostics.begin(), loaded.diagnostics.end(), [](const Diagnostic& each) {
    return each.line > 0 && each.column > 0 && each.end_column >= each.column && !each.code.empty() &&
           !each.message.empty();
  });
  if (!loaded.diagnostics.empty()) {
    if (render_text(loaded.diagnostics, "f", source).empty()) return false;
    if (render_json(loaded.diagnostics, "f").empty()) return false;
  }
  if (loaded.config && meaning(*loaded.config, "f").empty()) return false;
  return errors != loaded.config.has_value() && sorted && placed;
}

TEST(Robustness, PrefixesOfTheExamplesAreReadOrRefused) {
  // Every eleventh, from another first one in each file: the files say most things several times.
  constexpr std::size_t kStep = 11;
  std::size_t first = 0;
  for (const auto& path : shipped_configurations()) {
    const auto source = content(path);
    for (std::size_t size = first++ % kStep; size < source.size(); size += kStep) {
      ASSERT_TRUE(is_valid(source.substr(0, size))) << path << " cut at " << size;
    }
  }
}

TEST(Robustness, NoSingleByteOfTheExamplesBreaksTheReader) {
  std::mt19937 random(20261121);  // NOLINT: the same bytes every time
  const std::string special = "{}[]:,\"\\/*$ \n\t\r0123456789-eEtfnu\0\x80\xC3\xFF\xEF";
  for (const auto& path : shipped_configurations()) {
    const auto source = content(path);
    for (int round = 0; round < 60; ++round) {
      auto mutated = source;
      const auto at = random() % mutated.size();
      const char byte = special[random() % special.size()];
      switch (random() % 3) {
        case 0:
          mutated[at] = byte;
          break;
        case 1:
          mutated.insert(at, 1, byte);
          break;
        default:
          mutated.erase(at, 1 + random() % 5);
          break;
      }
      ASSERT_TRUE(is_valid(mutated)) << path << " round " << round << '\n' << mutated;
    }
  }
}

TEST(Robustness, ValuesOfEveryTypeInEveryPlaceAreReadOrRefused) {
  const std::vector<std::string> values{"null",      "true",  "0",  "-1", "1e999", "99999999999999999999",
                                        "\"\"",      "\"x\"", "[]", "{}", "[[]]",  "[{}]",
                                        "{\"x\":{}}"};
  // Two in each place, by turns: the files say most things several times.
  std::size_t turn = 0;
  for (const auto& path : shipped_configurations()) {
    const auto source = content(path);
    for (auto colon = source.find("\": "); colon != std::string::npos; colon = source.find("\": ", colon + 1)) {
      const auto begin = colon + 3;
      for (int times = 0; times < 2; ++times) {
        const auto& value = values[turn++ % values.size()];
        // In front of the old value, whose place a comma then ends: both the new value and what is left over are tried.
        ASSERT_TRUE(is_valid(source.substr(0, begin) + value + ", \"left\": " + source.substr(begin)))
            << path << ' ' << begin << ' ' << value;
      }
    }
  }
}

TEST(Robustness, LongAndDeepTextsAreRefusedAtOnce) {
  EXPECT_TRUE(is_valid(std::string(1'000'000, '[')));
  EXPECT_TRUE(is_valid(std::string(1'000'000, '{')));
  EXPECT_TRUE(is_valid("\"" + std::string(1'000'000, 'x')));
  EXPECT_TRUE(is_valid("{ \"" + std::string(1'000'000, 'x') + "\": 1 }"));
  EXPECT_TRUE(is_valid("{ \"listen\": \"" + std::string(1'000'000, ':') + "\" }"));
  EXPECT_TRUE(is_valid("/*" + std::string(1'000'000, '*')));
  EXPECT_TRUE(is_valid(std::string(5'000'000, ' ')));
  std::string many = "{";
  for (int i = 0; i < 5'000; ++i) many += "\"k" + std::to_string(i) + "\":1,";
  EXPECT_TRUE(is_valid(many + "}"));
}

}  // namespace
}  // namespace headgate::config
