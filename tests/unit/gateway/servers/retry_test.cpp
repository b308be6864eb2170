// What is sent again, and after which pause.

#include "../../../../src/gateway/servers/retry.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using upstream::Failed;

constexpr Failed kAllFailures[] = {Failed::no_connection, Failed::connect_timeout, Failed::untrusted,
                                   Failed::handshake,     Failed::sending,         Failed::closed,
                                   Failed::reply_timeout, Failed::malformed,       Failed::head_too_large};
constexpr Failed kNotConnected[] = {Failed::no_connection, Failed::connect_timeout, Failed::handshake};

Retry everything() {
  Retry out;
  out.on_timeout = true;
  out.timeout_each = seconds(1);
  return out;
}

Attempted one_failed() { return {.attempts = 1, .idempotent = true, .held = true, .left = seconds(30)}; }

bool not_connected(Failed failed) {
  return std::find(std::begin(kNotConnected), std::end(kNotConnected), failed) != std::end(kNotConnected);
}

TEST(RetryDecision, NamesTheReason) {
  const auto retry = everything();
  for (const auto failed : kNotConnected)
    EXPECT_EQ(reason_to_retry(retry, failed, one_failed()), RetryReason::connect_error);
  EXPECT_EQ(reason_to_retry(retry, Failed::reply_timeout, one_failed()), RetryReason::timeout);
  EXPECT_EQ(reason_to_retry(retry, Failed::closed, one_failed()), RetryReason::closed);
  EXPECT_EQ(reason_to_retry(retry, Failed::sending, one_failed()), RetryReason::closed);
  EXPECT_EQ(reason_to_retry(retry, 503, one_failed()), RetryReason::status);
}

TEST(RetryDecision, IsOnlyForWhatIsNamed) {
  auto retry = everything();
  retry.on_connect_error = retry.on_closed = retry.on_timeout = false;
  for (const auto failed : kAllFailures) EXPECT_FALSE(reason_to_retry(retry, failed, one_failed()));
  for (unsigned status = 200; status < 600; ++status)
    EXPECT_EQ(reason_to_retry(retry, status, one_failed()).has_value(), status == 502 || status == 503) << status;
}

TEST(RetryDecision, SendsOnlyWhatWasNotSentIfItCouldDoHarmTwice) {
  for (const auto& [idempotent, held] : {std::pair(false, true), std::pair(true, false), std::pair(false, false)}) {
    auto so_far = one_failed();
    so_far.idempotent = idempotent;
    so_far.held = held;
    for (const auto failed : kAllFailures)
      EXPECT_EQ(reason_to_retry(everything(), failed, so_far).has_value(), not_connected(failed));
    EXPECT_FALSE(reason_to_retry(everything(), 503, so_far));
  }
}

TEST(RetryDecision, NeverSendsAgainOnceAnAnswerHasBegun) {
  auto so_far = one_failed();
  so_far.answer_began = true;
  for (const auto failed : kAllFailures) EXPECT_FALSE(reason_to_retry(everything(), failed, so_far));
  EXPECT_FALSE(reason_to_retry(everything(), 503, so_far));
}

TEST(RetryDecision, CountsTheFirstAttempt) {
  auto retry = everything();
  retry.attempts = 3;
  for (unsigned attempts = 1; attempts < 6; ++attempts) {
    auto so_far = one_failed();
    so_far.attempts = attempts;
    EXPECT_EQ(reason_to_retry(retry, 503, so_far).has_value(), attempts < 3) << attempts;
    EXPECT_EQ(reason_to_retry(retry, Failed::closed, so_far).has_value(), attempts < 3) << attempts;
  }
}

TEST(RetryDecision, KnowsTheIdempotentMethods) {
  for (const auto* method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"}) EXPECT_TRUE(is_idempotent(method));
  for (const auto* method : {"POST", "PATCH", "CONNECT", "get", "QUERY", ""}) EXPECT_FALSE(is_idempotent(method));
}

TEST(BackOff, IsAnywhereUpToABoundThatDoubles) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> dice;
  for (unsigned attempts = 1; attempts < 10; ++attempts) {
    const auto bound = std::min<Duration>(milliseconds(25) * (1U << (attempts - 1)), milliseconds(250));
    Duration longest{0};
    auto shortest = bound;
    for (unsigned i = 0; i < 2000; ++i) {
      auto so_far = one_failed();
      so_far.attempts = attempts;
      const auto pause = back_off(so_far, dice(random), std::nullopt);
      ASSERT_TRUE(pause);
      ASSERT_GE(*pause, Duration(0));
      ASSERT_LT(*pause, bound);
      longest = std::max(longest, *pause);
      shortest = std::min(shortest, *pause);
    }
    EXPECT_GT(longest, bound * 9 / 10) << "full jitter";
    EXPECT_LT(shortest, bound / 10) << "full jitter";
  }
}

TEST(BackOff, IsNeverShorterThanTheServerAsks) {
  EXPECT_EQ(back_off(one_failed(), 0.5, seconds(3)), seconds(3));
  EXPECT_EQ(back_off(one_failed(), 0.5, Duration(0)), back_off(one_failed(), 0.5, std::nullopt));
}

TEST(BackOff, LeavesNoAttemptThatWouldComeTooLate) {
  auto so_far = one_failed();
  so_far.left = seconds(3);
  EXPECT_FALSE(back_off(so_far, 0, seconds(3)));
  EXPECT_TRUE(back_off(so_far, 0, seconds(2)));
  so_far.left = Duration(0);
  EXPECT_FALSE(back_off(so_far, 0, std::nullopt));
}

}  // namespace
}  // namespace headgate::gateway
