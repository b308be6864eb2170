// What an answer means, and how long the pauses are.
#include "headgate/notify/retry.hpp"

#include <gtest/gtest.h>

namespace headgate::notify::test {
namespace {

using namespace std::chrono_literals;

constexpr double kJustBelowOne = 0.999999;

TEST(WebhookRetry, TakesEveryTwoHundredAsDelivered) {
  for (const unsigned status : {200U, 201U, 202U, 204U, 299U}) EXPECT_EQ(outcome_of(status), WebhookOutcome::delivered);
}

TEST(WebhookRetry, EndsIfAnotherAttemptWouldNotHelp) {
  for (const unsigned status : {400U, 401U, 403U, 404U, 405U, 410U, 413U, 422U, 499U})
    EXPECT_EQ(outcome_of(status), WebhookOutcome::refused) << status;
  for (const unsigned status : {408U, 409U, 425U, 429U, 301U, 304U, 308U, 500U, 501U, 502U, 503U, 504U, 599U, 600U})
    EXPECT_EQ(outcome_of(status), WebhookOutcome::retry) << status;
}

TEST(WebhookRetry, DoublesThePauseUpToFiveMinutes) {
  EXPECT_EQ(pause_after(1, 0, {}), 1s);
  EXPECT_EQ(pause_after(2, 0, {}), 2s);
  EXPECT_EQ(pause_after(3, 0, {}), 4s);
  EXPECT_EQ(pause_after(9, 0, {}), 256s);
  EXPECT_EQ(pause_after(10, 0, {}), 5min);
  EXPECT_EQ(pause_after(4'000'000'000, 0, {}), 5min);
}

TEST(WebhookRetry, ShortensThePauseByUpToHalf) {
  for (unsigned failed = 1; failed < 20; ++failed) {
    const auto longest = pause_after(failed, 0, {});
    EXPECT_EQ(pause_after(failed, 0.5, {}), longest * 3 / 4);
    EXPECT_GE(pause_after(failed, kJustBelowOne, {}), longest / 2);
    EXPECT_LT(pause_after(failed, kJustBelowOne, {}), longest / 2 + 1ms);
  }
}

TEST(WebhookRetry, WaitsAsLongAsTheReceiverAsksButForFiveMinutes) {
  EXPECT_EQ(pause_after(1, kJustBelowOne, 30s), 30s);
  EXPECT_EQ(pause_after(5, 0, 1s), 16s) << "not sooner than without it";
  EXPECT_EQ(pause_after(1, 0, 24h), 5min);
}

}  // namespace
}  // namespace headgate::notify::test
