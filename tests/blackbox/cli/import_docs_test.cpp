// The examples of docs/moving_in.md, docs/moving_from_litellm.md and docs/rate_limit_service.md, done.

#include "blackbox/harness/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headgate::test {
namespace {

/// A block of the page, with its language.
struct PageBlock {
  std::string language;
  std::string text;
};

std::vector<PageBlock> page_blocks(const std::string& path) {
  std::vector<PageBlock> out;
  std::ifstream page(path);
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) out.push_back({line.substr(3), {}});
    } else if (inside) {
      out.back().text += line + '\n';
    }
  }
  return out;
}

/// A page, and the number of its files.
class ImportDocs : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(ImportDocs, ExamplesAreTrue) {
  const TemporaryFile place("", "place");
  const auto folder = std::filesystem::path(place.path()).parent_path().string();
  int products = 0;
  for (const auto& block : page_blocks(std::string(HEADGATE_SOURCE_DIR "/docs/") + GetParam().first)) {
    if (block.language.starts_with("json")) continue;  // a part of a file of headgate
    if (block.language != "console") {                 // a file, which begins with its name
      ASSERT_TRUE(block.text.starts_with("# ")) << block.text;
      std::ofstream(folder + '/' + block.text.substr(2, block.text.find('\n') - 2)) << block.text;
      ++products;
      continue;
    }
    for (std::size_t at = 0; at < block.text.size();) {
      ASSERT_EQ(block.text.substr(at, 2), "$ ");
      const auto end = block.text.find('\n', at);
      auto command = block.text.substr(at + 2, end - at - 2);
      const auto next = std::min(block.text.find("\n$ ", end), block.text.size() - 1) + 1;
      if (command.starts_with("headgate ")) command = std::string(HEADGATE_BINARY) + command.substr(8);
      Process shell({"-c", "cd " + folder + " && (" + command + ") 2>&1"}, {}, "/bin/sh");
      EXPECT_LE(shell.wait(), 1) << command;
      EXPECT_EQ(shell.out(), block.text.substr(end + 1, next - end - 1)) << command;
      at = next;
    }
  }
  EXPECT_EQ(products, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(All, ImportDocs,
                         testing::Values(std::pair("moving_in.md", 6), std::pair("moving_from_litellm.md", 1),
                                         std::pair("rate_limit_service.md", 1)));

}  // namespace
}  // namespace headgate::test
