// headgate prices: what it prints where, and its exit codes. What becomes which price is tested in tests/unit/usage.

#include "blackbox/harness/process.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

constexpr const char* kMap = R"({
  "gpt-4o": {"mode": "chat", "litellm_provider": "openai", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05,
             "cache_read_input_token_cost": 1.25e-06, "max_output_tokens": 16384},
  "dall-e-2": {"mode": "image_generation", "litellm_provider": "openai", "output_cost_per_image": 0.02},
  "\u001b[31m": {"mode": "chat", "litellm_provider": "other"}
})";

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PricesCommand, PrintsThePriceFileAndReportsLeftOutModelsOnStderr) {
  const TemporaryFile map(kMap, "map.json");
  const auto ran = run_headgate({"prices", "import", map.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(says(ran.out, R"("gpt-4o": { "input": "2.5", "cached": "1.25", "output": "10", "max_output": 16384 })"))
      << ran.out;
  EXPECT_TRUE(says(ran.err, "1 model left out: the mode is image_generation: dall-e-2\n")) << ran.err;
  EXPECT_TRUE(says(ran.err, "or the price is 0: \\x1b[31m\n")) << ran.err;
  EXPECT_TRUE(says(ran.err, "1 model with a price, 2 left out\n")) << ran.err;
}

TEST(PricesCommand, AcceptsItsOwnFiles) {
  const TemporaryFile map(kMap, "map.json");
  const auto made = run_headgate({"prices", "import", "--currency", "EUR", "--provider", "openai", map.path()});
  ASSERT_EQ(made.code, 0) << made.err;
  const TemporaryFile file(made.out, "prices.json");
  const auto checked = run_headgate({"prices", "check", file.path()});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_TRUE(says(checked.out, "gpt-4o")) << checked.out;
  EXPECT_TRUE(says(checked.out, ": 1 model, in EUR per million tokens\n")) << checked.out;
}

TEST(PricesCommand, FailsIfNothingIsTranslated) {
  const TemporaryFile map(kMap, "map.json");
  const auto ran = run_headgate({"prices", "import", "--provider", "nobody", map.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(says(ran.err, "no model with the litellm_provider \"nobody\"")) << ran.err;
}

TEST(PricesCommand, SaysWhereAMistakeIs) {
  const TemporaryFile file("{\n  \"models\": { \"m\": { \"input\": \"$1\" } }\n}\n", "prices.json");
  const auto checked = run_headgate({"prices", "check", file.path()});
  EXPECT_EQ(checked.code, 3);
  EXPECT_TRUE(
      says(checked.err, file.path() + ":2:31: error: a price is a number from 0 to 1000000000 [/models/m/input]\n"))
      << checked.err;
  EXPECT_TRUE(says(checked.err, "\n  help: write what a million tokens cost")) << checked.err;
  const TemporaryFile map("{]", "map.json");
  const auto imported = run_headgate({"prices", "import", map.path()});
  EXPECT_EQ(imported.code, 3);
  EXPECT_TRUE(says(imported.err, map.path() + ":1:2: error: ")) << imported.err;
  EXPECT_EQ(imported.out, "");
}

TEST(PricesCommand, RefusesACurrencyThatIsNoCode) {
  const auto ran = run_headgate({"prices", "import", "--currency", "euro", "map.json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(says(ran.err, "three capital letters")) << ran.err;
}

}  // namespace
}  // namespace headgate::test
