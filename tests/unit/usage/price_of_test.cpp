// The cost of a call is exact, rounded up once, and never more than the maximum.

#include "headgate/usage/prices.hpp"

#include <gtest/gtest.h>

namespace headgate::usage {
namespace {

Price gpt() {
  Price price;
  price.input = 2'500'000;
  price.output = 10'000'000;
  price.cached = 1'250'000;
  price.cache_written = 3'000'000;
  price.cache_written_long = 5'000'000;
  price.audio_input = 40'000'000;
  price.audio_output = 80'000'000;
  return price;
}

TEST(PriceOf, SumsInputAndOutput) {
  EXPECT_EQ(price_of(gpt(), {.input = 1000, .output = 100}), 2500 + 1000);
  EXPECT_EQ(price_of(gpt(), {.input = 1'000'000, .output = 1'000'000}), 12'500'000);
  EXPECT_EQ(price_of(gpt(), {.input = 0, .output = 0, .total = 0}), 0);
}

TEST(PriceOf, GivesPartsTheirOwnPrices) {
  EXPECT_EQ(price_of(gpt(), {.input = 1000, .cached = 400, .output = 0}), 600 * 5 / 2 + 400 * 5 / 4);
  EXPECT_EQ(price_of(gpt(), {.input = 1000, .cache_written = 200, .output = 0}), 800 * 5 / 2 + 200 * 3);
  EXPECT_EQ(price_of(gpt(), {.input = 1000, .cache_written = 200, .output = 0, .cache_written_long = 100}),
            800 * 5 / 2 + 100 * 3 + 100 * 5);
  EXPECT_EQ(price_of(gpt(), {.input = 1000, .audio_input = 200, .output = 100, .audio_output = 60}),
            800 * 5 / 2 + 200 * 40 + 40 * 10 + 60 * 80);
}

TEST(PriceOf, ChargesPartsThatExceedTheWholeInFull) {
  EXPECT_EQ(price_of(gpt(), {.input = 100, .cached = 100, .audio_input = 100, .output = 0}), 125 + 4000);
  EXPECT_EQ(price_of(gpt(), {.input = 0, .output = 1, .audio_output = 10}), 800);
}

TEST(PriceOf, ChargesTokensThatOnlyTheTotalHasAtTheDearerPrice) {
  EXPECT_EQ(price_of(gpt(), {.input = 100, .output = 10, .total = 150}), 250 + 100 + 400);
  EXPECT_EQ(price_of(gpt(), {.total = 150}), 1500);
  EXPECT_EQ(price_of(gpt(), {.input = 100, .output = 10, .total = 50}), 250 + 100);
}

TEST(PriceOf, RoundsUpOnce) {
  Price price;
  price.input = 1;
  price.output = 1;
  price.cached = 1;
  EXPECT_EQ(price_of(price, {.input = 1, .output = 0}), 1);
  EXPECT_EQ(price_of(price, {.input = 3, .cached = 1, .output = 3}), 1) << "three parts, each a fraction";
  EXPECT_EQ(price_of(price, {.input = 500'000, .output = 500'000}), 1);
  EXPECT_EQ(price_of(price, {.input = 500'000, .output = 500'001}), 2);
  EXPECT_EQ(price_of(gpt(), {.input = 1, .output = 0}), 3);
}

TEST(PriceOf, IsExactWhereFloatingPointIsNot) {
  Price price;
  price.input = 100'000'000'000'001;
  // The exact price is 100,000,100,000,001.000001 micro-units. A double loses the fraction.
  EXPECT_EQ(price_of(price, {.input = 1'000'001, .output = 0}), 100'000'100'000'002);
}

TEST(PriceOf, EndsAtTheMaximum) {
  Price price = gpt();
  price.input = kMaxMicros;
  EXPECT_EQ(price_of(price, {.input = 999'999, .output = 0}), kMaxMicros - 1'000'000'000);
  EXPECT_EQ(price_of(price, {.input = 1'000'000, .output = 0}), kMaxMicros);
  EXPECT_EQ(price_of(price, {.input = kMaxMicros, .output = kMaxMicros}), kMaxMicros);
  constexpr auto kMax = INT64_MAX;
  EXPECT_EQ(price_of(price, {kMax, kMax, kMax, kMax, kMax, kMax, kMax, kMax}), kMaxMicros);
}

TEST(PriceOf, CountsNothingThatWasNotReported) {
  EXPECT_EQ(price_of(gpt(), {}), 0);
  EXPECT_EQ(price_of(gpt(), {.input = 100}), 250);
  EXPECT_EQ(price_of(gpt(), {.output = 100}), 1000);
}

TEST(PriceOf, AppliesTheLastStepThatTheWholeInputExceeds) {
  auto price = gpt();
  TokenPrices dear = price;
  dear.input = 5'000'000;
  dear.cached = 2'500'000;
  price.steps.push_back({.above = 1000, .prices = dear});
  dear.output = 20'000'000;
  price.steps.push_back({.above = 2000, .prices = dear});
  EXPECT_EQ(price_of(price, {.input = 1000, .output = 10}), 2500 + 100);
  EXPECT_EQ(price_of(price, {.input = 1001, .output = 10}), 5005 + 100);
  EXPECT_EQ(price_of(price, {.input = 1001, .cached = 1000, .output = 10}), 5 + 2500 + 100);
  EXPECT_EQ(price_of(price, {.input = 2001, .output = 10}), 10'005 + 200);
}

}  // namespace
}  // namespace headgate::usage
