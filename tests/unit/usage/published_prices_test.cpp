// Price maps as LiteLLM publishes them: what becomes a price, and what is left out so that nothing is too cheap.

#include "headgate/usage/published_prices.hpp"

#include "headgate/usage/prices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headgate::usage {
namespace {

TranslatedPrices translated(const std::string& map, const PublishedOptions& options = {}) {
  auto read = translate_prices(map, options);
  EXPECT_TRUE(read.has_value()) << to_text(read.error());
  return read.has_value() ? std::move(*read) : TranslatedPrices();
}

/// The remarks about all models, a line each: "- reason: a, b" for those that were left out.
std::string remarks_of(const TranslatedPrices& prices) {
  std::string out;
  for (const auto& each : prices.remarks) {
    out += (each.left_out ? "- " : "+ ") + each.reason + ':';
    for (const auto& name : each.models) out += ' ' + name;
    out += '\n';
  }
  return out;
}

/// Returns the price that a gateway has for the model when it has read the translation; null if there is none.
std::optional<Price> price_in(const TranslatedPrices& prices, std::string_view model) {
  const auto read = Prices::parse(prices.text);
  EXPECT_TRUE(read.has_value()) << to_text(read.error()) << " in " << prices.text;
  if (read.has_error()) return std::nullopt;
  EXPECT_EQ(read->models().size(), prices.models);
  const auto* const found = read->find(model);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// The only remark about a model of a chat with these members, without its name.
std::string remark_on(const std::string& members) {
  const auto out = remarks_of(translated(R"({"m": {"mode": "chat", )" + members + "}}"));
  return out.substr(0, out.find(": m\n"));
}

constexpr const char* kPlain = R"("input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05)";

TEST(PublishedPrices, BecomeAPriceFile) {
  const auto out = translated(R"({
    "sample_spec": {"input_cost_per_token": 0.0, "mode": "one of: chat, embedding", "max_output_tokens": "a text"},
    "gpt-4o": {"cache_read_input_token_cost": 1.25e-06, "input_cost_per_token": 2.5e-06, "litellm_provider": "openai",
      "max_input_tokens": 128000, "max_output_tokens": 16384, "max_tokens": 16384, "mode": "chat",
      "output_cost_per_token": 1e-05, "supports_vision": true, "supported_endpoints": ["/v1/chat/completions"]},
    "claude-sonnet-4-20250514": {"cache_creation_input_token_cost": 3.75e-06,
      "cache_creation_input_token_cost_above_1hr": 6e-06, "cache_read_input_token_cost": 3e-07,
      "input_cost_per_token": 3e-06, "input_cost_per_token_above_200k_tokens": 6e-06,
      "output_cost_per_token_above_200k_tokens": 2.25e-05, "cache_creation_input_token_cost_above_200k_tokens": 7.5e-06,
      "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 1.2e-05,
      "cache_read_input_token_cost_above_200k_tokens": 6e-07, "litellm_provider": "anthropic", "max_output_tokens": 64000,
      "mode": "chat", "output_cost_per_token": 1.5e-05}})");
  EXPECT_EQ(
      out.text,
      "// Made by `headgate prices import`. The prices are those of a million tokens.\n"
      "{\n"
      "  \"currency\": \"USD\",\n"
      "  \"models\": {\n"
      "    \"claude-sonnet-4-20250514\": { \"input\": \"3\", \"cached\": \"0.3\", \"cache_written\": \"3.75\", "
      "\"cache_written_long\": \"6\", \"output\": \"15\", \"above\": [{ \"input_tokens\": 200000, \"input\": \"6\", "
      "\"cached\": \"0.6\", \"cache_written\": \"7.5\", \"cache_written_long\": \"12\", \"output\": \"22.5\" }], "
      "\"max_output\": 64000 },\n"
      "    \"gpt-4o\": { \"input\": \"2.5\", \"cached\": \"1.25\", \"output\": \"10\", \"max_output\": 16384 },\n"
      "  },\n"
      "}\n");
  EXPECT_EQ(remarks_of(out), "");
  EXPECT_EQ(out.models, 2U);
  EXPECT_EQ(price_in(out, "claude-sonnet-4-20250514")->steps.at(0).prices.output, 22'500'000);
}

TEST(PublishedPrices, AreReadAsExactDecimals) {
  const auto out = translated(R"({"m": {"mode": "chat", "input_cost_per_token": 5.46875e-07,
    "output_cost_per_token": 0.0000001, "input_cost_per_audio_token": 1E-4, "cache_read_input_token_cost": "7.5e-8"}})");
  const auto price = price_in(out, "m");
  ASSERT_TRUE(price);
  EXPECT_EQ(price->input, 546'875);
  EXPECT_EQ(price->output, 100'000);
  EXPECT_EQ(price->audio_input, 100'000'000);
  EXPECT_EQ(price->cached, 75'000);
}

TEST(PublishedPrices, AreRoundedUpToSixDecimals) {
  const auto out =
      translated(R"({"m": {"mode": "chat", "input_cost_per_token": 1.0000001e-06, "output_cost_per_token": 1e-300}})");
  EXPECT_EQ(price_in(out, "m")->input, 1'000'001);
  EXPECT_EQ(price_in(out, "m")->output, 1);
  EXPECT_EQ(remarks_of(out), "+ a price was rounded up to six decimals: m\n");
}

TEST(PublishedPrices, OfReasoningAreTheDearerPriceOfOutput) {
  const auto with = [](const char* reasoning) {
    return price_in(translated(R"({"m": {"mode": "chat", "output_cost_per_reasoning_token": )" +
                               std::string(reasoning) + ", " + kPlain + "}}"),
                    "m")
        ->output;
  };
  EXPECT_EQ(with("4e-05"), 40'000'000);
  EXPECT_EQ(with("4e-06"), 10'000'000);
}

TEST(PublishedPrices, OfEmbeddingsNeedNoOutput) {
  const auto out =
      translated(R"({"e": {"mode": "embedding", "input_cost_per_token": 2e-08, "output_cost_per_token": 0.0},
                                  "f": {"mode": "embedding", "input_cost_per_token": 2e-08}})");
  EXPECT_EQ(price_in(out, "e")->output, 20'000);
  EXPECT_EQ(price_in(out, "f")->output, 20'000);
}

TEST(PublishedPrices, AreNeverZeroOrAbsent) {
  const std::string none = "- a token of input or output has no price, or the price is 0";
  EXPECT_EQ(remark_on(R"("max_tokens": 1)"), none);
  EXPECT_EQ(remark_on(R"("input_cost_per_token": 0.0, "output_cost_per_token": 0.0)"), none);
  EXPECT_EQ(remark_on(R"("input_cost_per_token": 1e-06, "output_cost_per_token": 0)"), none);
  EXPECT_EQ(remark_on(R"("input_cost_per_token": 0e-5, "output_cost_per_token": 1e-06)"), none);
  EXPECT_EQ(remark_on(R"("input_cost_per_token": null, "output_cost_per_token": 1e-06)"), none);
  EXPECT_EQ(remark_on(R"("input_cost_per_token_above_200k_tokens": 1e-06, "output_cost_per_token": 1e-06)"), none);
}

TEST(PublishedPrices, LeaveOutModelsThatCostMoreThanTheirTokens) {
  const std::string units = "- some costs are per image, second, character or call";
  for (const std::string cost :
       {"input_cost_per_image", "output_cost_per_image", "output_cost_per_second", "input_cost_per_character",
        "input_cost_per_video_per_second_above_128k_tokens", "input_cost_per_query", "output_cost_per_pixel"}) {
    EXPECT_EQ(remark_on('"' + cost + "\": 0.004, " + kPlain), units) << cost;
    EXPECT_EQ(remark_on('"' + cost + "\": 0.0, " + kPlain), "") << cost;
  }
  const std::string dearer = "- some tokens, for example those of images, cost more than plain ones";
  EXPECT_EQ(remark_on(std::string(R"("output_cost_per_image_token": 3e-05, )") + kPlain), dearer);
  EXPECT_EQ(remark_on(std::string(R"("output_cost_per_image_token": 1e-05, )") + kPlain), "");
  EXPECT_EQ(
      remark_on(std::string(R"("input_cost_per_image_token": 3e-06, "input_cost_per_audio_token": 4e-05, )") + kPlain),
      dearer);
  EXPECT_EQ(remark_on(std::string(
                          R"("cache_creation_input_audio_token_cost": 3e-05, "input_cost_per_audio_token": 4e-05, )") +
                      kPlain),
            "");
}

TEST(PublishedPrices, LeaveOutModelsWhosePricesCannotBeRead) {
  const std::string unreadable = "- a price is negative, no number, or too high";
  EXPECT_EQ(remark_on(R"("input_cost_per_token": -1e-06, "output_cost_per_token": 1e-06)"), unreadable);
  EXPECT_EQ(remark_on(R"("input_cost_per_token": 1e+06, "output_cost_per_token": 1e-06)"), unreadable);
  EXPECT_EQ(remark_on(R"("input_cost_per_token": "free", "output_cost_per_token": 1e-06)"), unreadable);
  EXPECT_EQ(
      remark_on(std::string(R"("tiered_pricing": [{"range": [0, 32000], "input_cost_per_token": 5e-08}], )") + kPlain),
      "- the prices are in a list of ranges or times");
  std::string steps;
  for (int i = 1; i <= 9; ++i) steps += "\"input_cost_per_token_above_" + std::to_string(i) + "k_tokens\": 3e-06, ";
  EXPECT_EQ(remark_on(steps + kPlain), "- there are more than 8 steps");
}

TEST(PublishedPrices, LeaveOutOtherModesAndNames) {
  const auto out =
      translated(std::string(R"({"i": {"mode": "image_generation", "output_cost_per_image": 0.04},
      "r": {"mode": "rerank", )") +
                 kPlain + R"(}, "j": {"mode": "image_generation", )" + kPlain + R"(}, "n": {)" + kPlain +
                 R"(}, "vendor/*": {"mode": "chat", )" + kPlain + R"(}, "ok": {"mode": "responses", )" + kPlain + "}}");
  EXPECT_EQ(remarks_of(out),
            "- a price file cannot have the name: vendor/*\n"
            "- the mode is image_generation: i j\n"
            "- the mode is rerank: r\n"
            "- there is no mode: n\n");
  EXPECT_EQ(out.models, 1U);
  EXPECT_TRUE(price_in(out, "ok"));
}

TEST(PublishedPrices, SayWhatTheyDoNotCover) {
  const auto noted = [](const std::string& members) { return remark_on(members + ", " + kPlain); };
  const std::string tier = "+ a dearer service tier is not covered";
  const std::string fees = "+ fees that are not for tokens are not covered";
  EXPECT_EQ(noted(R"("input_cost_per_token_priority": 5e-06)"), tier);
  EXPECT_EQ(noted(R"("input_cost_per_token_above_272k_tokens_priority": 1e-05)"), tier);
  EXPECT_EQ(noted(R"("provider_specific_entry": {"us": 1.1, "fast": 6.0})"), tier);
  EXPECT_EQ(noted(R"("search_context_cost_per_query": {"search_context_size_low": 0.03})"), fees);
  EXPECT_EQ(noted(R"("code_interpreter_cost_per_session": 0.03)"), fees);
  EXPECT_EQ(noted(R"("code_interpreter_cost_per_session": 0.0)"), "");
  EXPECT_EQ(noted(R"("input_cost_per_token_flex": 1e-06, "input_cost_per_token_batches": 1e-06)"), "");
  EXPECT_EQ(noted(R"("cache_read_input_token_cost": 0.0)"), "+ a price is 0 and was left out, so a dearer one applies");
}

TEST(PublishedPrices, OfAZeroCacheAreThePriceOfInput) {
  const auto out =
      translated(R"({"m": {"mode": "chat", "cache_creation_input_token_cost": 0.0, )" + std::string(kPlain) + "}}");
  EXPECT_EQ(price_in(out, "m")->cache_written, 2'500'000);
}

TEST(PublishedPrices, MayBeThoseOfOneProvider) {
  const std::string map = std::string(R"({"gemini/pro": {"mode": "chat", "litellm_provider": "gemini", )") + kPlain +
                          R"(}, "pro": {"mode": "chat", "litellm_provider": "vertex", )" + kPlain +
                          R"(}, "gemini/draw": {"mode": "image_generation", "litellm_provider": "gemini"}})";
  const auto one = translated(map, {.currency = "EUR", .provider = "gemini"});
  EXPECT_EQ(one.models, 1U);
  EXPECT_TRUE(price_in(one, "pro"));
  EXPECT_EQ(Prices::parse(one.text)->currency(), "EUR");
  EXPECT_EQ(remarks_of(one), "- the mode is image_generation: draw\n");
  EXPECT_TRUE(price_in(translated(map), "gemini/pro"));
  EXPECT_EQ(translated(map, {.currency = "USD", .provider = "none"}).models, 0U);
}

TEST(PublishedPrices, ThatDifferForOneNameAreLeftOut) {
  const auto map = [](const char* output) {
    return std::string(R"({"d": {"mode": "chat", "litellm_provider": "p", )") + kPlain +
           R"(}, "p/d": {"mode": "chat", "litellm_provider": "p", "input_cost_per_token": 2.5e-06, "output_cost_per_token": )" +
           output + "}}";
  };
  const auto same = translated(map("1e-05"), {.currency = "USD", .provider = "p"});
  EXPECT_EQ(same.models, 1U);
  EXPECT_EQ(remarks_of(same), "");
  const auto other = translated(map("2e-05"), {.currency = "USD", .provider = "p"});
  EXPECT_EQ(other.models, 0U);
  EXPECT_EQ(remarks_of(other), "- entries with the same name have different prices: d\n");
}

TEST(PublishedPrices, HaveNamesThatJsonMustEscape) {
  const auto out = translated(R"({"a\"b\\c\n": {"mode": "chat", )" + std::string(kPlain) + "}}");
  EXPECT_TRUE(price_in(out, "a\"b\\c\n"));
}

TEST(PublishedPrices, ThatAreNoJsonHaveAMistakeWithItsPlace) {
  const auto mistake = [](const char* map) { return to_text(translate_prices(map, {}).error()); };
  EXPECT_EQ(mistake("[]"), "1:1: expected an object, found a list");
  EXPECT_EQ(mistake("{\"a\": {\n\"mode\": \"chat\" \"x\": 1}}"), "2:16: expected ',' or '}' [/a]");
  EXPECT_EQ(mistake(R"({"a": {}, "a": {}})"),
            "1:11: this member stands twice; remove one of the two: readers differ on which of them counts");
}

}  // namespace
}  // namespace headgate::usage
