// Price files: what they accept, the prices that they leave out, and where a mistake is.

#include "headgate/usage/prices.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace headgate::usage {
namespace {

Prices prices_in(const std::string& text) {
  auto read = Prices::parse(text);
  EXPECT_TRUE(read.has_value()) << to_text(read.error()) << " in " << text;
  return read.has_value() ? std::move(*read) : Prices();
}

std::string mistake_in(const std::string& text) {
  const auto read = Prices::parse(text);
  EXPECT_TRUE(read.has_error()) << text;
  return read.has_error() ? to_text(read.error()) : "";
}

/// The price of the one model of a file with these members.
Price model_of(const std::string& members) {
  const auto prices = prices_in(R"({"models": {"m": {)" + members + "}}}");
  const auto* const found = prices.find("m");
  EXPECT_NE(found, nullptr);
  return found == nullptr ? Price() : *found;
}

TEST(PriceFile, HasPricesAsTextsOrNumbersPerMillionTokens) {
  const auto price = model_of(R"("input": "2.50", "output": 10, "cached": 1.25, "cache_written": "3.125",
                                 "cache_written_long": 5, "audio_input": "40", "audio_output": 80.0, "max_output": 16384)");
  EXPECT_EQ(price.input, 2'500'000);
  EXPECT_EQ(price.output, 10'000'000);
  EXPECT_EQ(price.cached, 1'250'000);
  EXPECT_EQ(price.cache_written, 3'125'000);
  EXPECT_EQ(price.cache_written_long, 5'000'000);
  EXPECT_EQ(price.audio_input, 40'000'000);
  EXPECT_EQ(price.audio_output, 80'000'000);
  EXPECT_EQ(price.most_output, 16384);
  EXPECT_TRUE(price.steps.empty());
}

TEST(PriceFile, ReadsDecimalsThatNoFloatingPointNumberHolds) {
  EXPECT_EQ(model_of(R"("input": "0.1", "output": 0.000001)").input, 100'000);
  EXPECT_EQ(model_of(R"("input": "0.1", "output": 0.000001)").output, 1);
  EXPECT_EQ(model_of(R"("input": "999999999.999999", "output": 999999999.999999)").input, 999'999'999'999'999);
  EXPECT_EQ(model_of(R"("input": "999999999.999999", "output": 999999999.999999)").output, 999'999'999'999'999);
  EXPECT_EQ(model_of(R"("input": 2.5e-1, "output": "25E+1")").input, 250'000);
  EXPECT_EQ(model_of(R"("input": 2.5e-1, "output": "25E+1")").output, 250'000'000);
  EXPECT_EQ(model_of(R"("input": "1000000000", "output": "0.0000000")").input, kMaxMicros);
  EXPECT_EQ(model_of(R"("input": "1000000000", "output": "0.0000000")").output, 0);
}

TEST(PriceFile, FillsInPricesNeverCheaperThanTheKnownOnes) {
  const auto plain = model_of(R"("input": 2, "output": 8)");
  EXPECT_EQ(plain.cached, 2'000'000);
  EXPECT_EQ(plain.cache_written, 2'000'000);
  EXPECT_EQ(plain.cache_written_long, 2'000'000);
  EXPECT_EQ(plain.audio_input, 8'000'000);
  EXPECT_EQ(plain.audio_output, 8'000'000);
  const auto dear_cache = model_of(R"("input": 2, "output": 8, "cached": 3)");
  EXPECT_EQ(dear_cache.cache_written, 3'000'000);
  const auto written = model_of(R"("input": 2, "output": 8, "cache_written": "2.5")");
  EXPECT_EQ(written.cached, 2'000'000);
  EXPECT_EQ(written.cache_written_long, 2'500'000);
  const auto dear_audio = model_of(R"("input": 2, "output": 8, "audio_input": 40)");
  EXPECT_EQ(dear_audio.audio_output, 40'000'000);
}

TEST(PriceFile, FillsInTheStepsFromTheStepBefore) {
  const auto price = model_of(R"("input": 3, "output": 15, "cached": 0.3, "audio_input": 20,
      "above": [{"input_tokens": 200000, "input": 6}, {"input_tokens": 500000, "output": 30}])");
  ASSERT_EQ(price.steps.size(), 2U);
  const auto& first = price.steps[0];
  EXPECT_EQ(first.above, 200'000);
  EXPECT_EQ(first.prices.input, 6'000'000);
  EXPECT_EQ(first.prices.output, 15'000'000);
  EXPECT_EQ(first.prices.cached, 6'000'000) << "the step does not say what it costs";
  EXPECT_EQ(first.prices.cache_written, 6'000'000);
  EXPECT_EQ(first.prices.audio_input, 20'000'000);
  const auto& second = price.steps[1];
  EXPECT_EQ(second.prices.input, 6'000'000);
  EXPECT_EQ(second.prices.output, 30'000'000);
  EXPECT_EQ(second.prices.audio_output, 30'000'000);
}

TEST(PriceFile, MatchesNamesExactlyThenByTheLongestBeginning) {
  const auto prices = prices_in(R"({"models": {
    "gpt-4o": {"input": 1, "output": 1}, "gpt-4o*": {"input": 2, "output": 2}, "gpt-4o-2024*": {"input": 3, "output": 3},
    "*": {"input": 9, "output": 9}, "o1": {"input": 4, "output": 4}}})");
  const auto input = [&](std::string_view model) { return prices.find(model)->input / 1'000'000; };
  EXPECT_EQ(input("gpt-4o"), 1);
  EXPECT_EQ(input("gpt-4o-mini"), 2);
  EXPECT_EQ(input("gpt-4o-2024-05-13"), 3);
  EXPECT_EQ(input("gpt-4"), 9);
  EXPECT_EQ(input("o1"), 4);
  EXPECT_EQ(input("o1-2024-12-17"), 9);
  EXPECT_EQ(input("GPT-4O"), 9);
  EXPECT_EQ(input(""), 9);
}

TEST(PriceFile, GivesADatedSnapshotNoPriceUnlessABeginningSaysSo) {
  const auto prices = prices_in(R"({"models": {"gpt-4o": {"input": 2.5, "output": 10}}})");
  EXPECT_EQ(prices.find("gpt-4o-2024-05-13"), nullptr);
  EXPECT_EQ(prices.find("gpt-4"), nullptr);
  EXPECT_EQ(prices.find("gpt-4o*"), nullptr);
}

TEST(PriceFile, MayHaveCommentsAndTrailingCommas) {
  const auto prices = prices_in(
      "// our prices\n{ /* of\n2026 */ \"currency\": \"EUR\",\n\"models\": {\n"
      "\"a//b\": {\"input\": \"1\", // one\n\"output\": 2,},\n"
      "\"a/*\": {\"input\": 1, \"output\": 2, \"above\": [],}, /**/}, // end\n}//");
  EXPECT_EQ(prices.currency(), "EUR");
  ASSERT_NE(prices.find("a//b"), nullptr);
  EXPECT_EQ(prices.find("a//b")->output, 2'000'000);
  EXPECT_EQ(prices_in(R"({"models":{}})").currency(), "USD");
}

TEST(PriceFile, ListsItsModels) {
  const auto prices = prices_in(R"({"models": {"b*": {"input": 1, "output": 1}, "c": {"input": 1, "output": 1},
                                               "a": {"input": 1, "output": 1}, "bb*": {"input": 1, "output": 1}}})");
  std::string names;
  for (const auto& each : prices.models()) names += each.name + ' ';
  EXPECT_EQ(names, "a c bb* b* ");
}

TEST(PriceFile, OfTheDocumentationIsAccepted) {
  std::ifstream page(std::string(HEADGATE_SOURCE_DIR) + "/docs/prices.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::string begin = "```json\n";
  const auto at = text.find(begin) + begin.size();
  ASSERT_GT(at, begin.size());
  const auto prices = prices_in(text.substr(at, text.find("```", at) - at));
  EXPECT_EQ(prices.models().size(), 4U);
  EXPECT_EQ(prices.find("gpt-4o-2024-11-20"), nullptr) << "the page says so";
  ASSERT_NE(prices.find("our-own-llama-7b"), nullptr);
  EXPECT_EQ(prices.find("our-own-llama-7b")->output, 0);
}

TEST(PriceFileMistake, SaysWhereItIsAndWhatToWrite) {
  EXPECT_EQ(mistake_in("{}"),
            R"(1:1: "models" is missing here; write { "models": { "gpt-4o": { "input": "2.50", "output": "10" } } })");
  EXPECT_EQ(
      mistake_in("{\"models\": {\n  // one\n  \"m\": {\"input\": \"$2\", \"output\": 1}}}"),
      "3:18: a price is a number from 0 to 1000000000 [/models/m/input]; write what a million tokens cost, such as "
      "\"2.50\", without a currency");
  EXPECT_EQ(
      mistake_in(R"({"models": {"m": {"input": 1}}})"),
      R"(1:18: "output" is missing here [/models/m]; add the price of a million tokens, such as "2.50", or "0" if they are free)");
  EXPECT_EQ(mistake_in(R"({"models": {"m": {"inptu": 1}}})"),
            R"(1:19: unknown member [/models/m]; did you mean "input"?)");
  EXPECT_EQ(mistake_in("{\"models\": {\n}} /* never"), "2:4: this comment is never closed; close it with */");
}

TEST(PriceFileMistake, IsFoundInEveryMember) {
  const std::pair<std::string, std::string> cases[] = {
      {R"("input": -1, "output": 1)", "a price is a number"},
      {R"("input": "", "output": 1)", "a price is a number"},
      {R"("input": "1 ", "output": 1)", "a price is a number"},
      {R"("input": "1,5", "output": 1)", "a price is a number"},
      {R"("input": "1000000000.000001", "output": 1)", "a price is a number"},
      {R"("input": 1e18, "output": 1)", "a price is a number"},
      {R"("input": "0.0000001", "output": 1)", "at most six decimals"},
      {R"("input": 1e-300, "output": 1)", "at most six decimals"},
      {R"("input": "1e-99999999999999999999", "output": 1)", "at most six decimals"},
      {R"("input": "1e99999999999999999999", "output": 1)", "a price is a number"},
      {R"("input": true, "output": 1)", "expected a price, found true or false"},
      {R"("input": null, "output": 1)", "expected a price, found null"},
      {R"("input": 1, "input": 1, "output": 1)", "stands twice"},
      {R"("input": 1, "output": 1, "max_output": 0)", "expected a whole number from 1"},
      {R"("input": 1, "output": 1, "above": {})", "expected a list"},
      {R"("input": 1, "output": 1, "above": [{"input": 2}])", "\"input_tokens\" is missing"},
      {R"("input": 1, "output": 1, "above": [{"input_tokens": 5}])", "this step has no price"},
      {R"("input": 1, "output": 1, "above": [{"input_tokens": 5, "input": 2}, {"input_tokens": 5, "input": 2}])",
       "the step before this one"},
      {R"("input": 1, "output": 1, "above": [{"input_tokens": 5, "max_output": 2}])", "unknown member"},
  };
  for (const auto& [members, message] : cases) {
    const auto said = mistake_in(R"({"models": {"m": {)" + members + "}}}");
    EXPECT_NE(said.find(message), std::string::npos) << said << " for " << members;
    EXPECT_NE(said.find("/models/m"), std::string::npos) << said;
  }
  EXPECT_NE(mistake_in(R"({"models": {"gpt*4": {}}})").find("before the end"), std::string::npos);
  EXPECT_NE(mistake_in(R"({"models": {"": {}}})").find("1 to 256 bytes"), std::string::npos);
  EXPECT_NE(mistake_in(R"({"currency": "usd", "models": {}})").find("three capital letters"), std::string::npos);
  EXPECT_NE(mistake_in(R"({"model": {}})").find("unknown member"), std::string::npos);
  EXPECT_NE(mistake_in(R"({"models": {}} {})").find("nothing may follow"), std::string::npos);
  EXPECT_NE(mistake_in(R"({"models": [,]})").find("expected an object"), std::string::npos);
  EXPECT_NE(mistake_in(std::string(kMaxPriceFile + 1, ' ')).find("16 MiB"), std::string::npos);
}

TEST(PriceFileMistake, IsEveryCommaThatTrailsNothing) {
  for (const auto* text : {R"({,})", R"({"models":,})", R"({"models":{,}})", R"({"models":{}},)",
                           R"({"models":{"m":{"input":1,"output":1,,}}})"})
    mistake_in(text);
}

}  // namespace
}  // namespace headgate::usage
