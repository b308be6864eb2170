// Tests of tests/unit/translate/files: beside each file of another product stand its translation (.json) and its
// remarks (.said), as `headgate import FILE >FILE.json 2>FILE.said` writes them in that folder, without the count at
// the end.

#include "headgate/config/load.hpp"
#include "headgate/translate/translate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace headgate::translate {
namespace {

const std::filesystem::path kFiles = HEADGATE_SOURCE_DIR "/tests/unit/translate/files";

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// product and file name
class Fixture : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  Fixture() : before_(std::filesystem::current_path()) { std::filesystem::current_path(kFiles / GetParam().first); }
  ~Fixture() override { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};

TEST_P(Fixture, BecomesWhatStandsBesideIt) {
  const std::string file = GetParam().second;
  const auto translated = translate(file, std::nullopt);
  ASSERT_TRUE(translated.has_value()) << translated.error().message;
  EXPECT_EQ(to_text(translated->product), GetParam().first);
  EXPECT_TRUE(translated->found);
  EXPECT_EQ(translated->text, content(file + ".json"));
  std::string said;
  for (const auto& remark : translated->remarks) said += to_text(remark) + '\n';
  EXPECT_EQ(said, content(file + ".said"));
}

TEST_P(Fixture, IsAcceptedByTheChecker) {
  // the files name these variables in place of secrets
  for (const auto* name : {"KONG_JWT_ACME", "LITELLM_MASTER_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "VLLM_KEY"})
    ::setenv(name, "a-secret-of-at-least-32-bytes-0123456789", 1);
  const auto loaded = config::load(content(std::string(GetParam().second) + ".json"));
  for (const auto& mistake : loaded.diagnostics)
    EXPECT_NE(mistake.severity, config::Severity::error) << mistake.line << ": " << mistake.message;
  EXPECT_TRUE(loaded.config.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    All, Fixture,
    testing::Values(std::pair("nginx", "shop.conf"), std::pair("nginx", "rate-limit.conf"),
                    std::pair("nginx", "office.conf"), std::pair("nginx", "staging.conf"),
                    std::pair("nginx", "pages.conf"), std::pair("nginx", "split"), std::pair("haproxy", "edge.cfg"),
                    std::pair("kong", "kong.yml"), std::pair("kong", "access.yml"), std::pair("ingress", "shop.yaml"),
                    std::pair("spring", "application.yml"), std::pair("spring", "application.properties"),
                    std::pair("spring", "fields.yml"), std::pair("spring", "guards.yml"),
                    std::pair("spring", "resilience4j.yml"), std::pair("spring", "bucket4j.properties"),
                    std::pair("traefik", "rules.yml"), std::pair("traefik", "dynamic.yml"),
                    std::pair("traefik", "compose.yml"), std::pair("traefik", "passwords.yml"),
                    std::pair("litellm", "config.yaml"), std::pair("ratelimit", "edge.yaml")));

}  // namespace
}  // namespace headgate::translate
