// The queue of webhooks: order, bound, pauses.
#include "headgate/notify/outbox.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace headgate::notify::test {
namespace {

using namespace std::chrono_literals;

struct WebhookOutbox : testing::Test {
  std::optional<PendingWebhook> add(std::uint64_t number, Outbox::Time due) {
    return outbox.add({.id = std::to_string(number), .body = {}, .number = number}, due);
  }
  /// The number of what is taken; 0 for nothing.
  std::uint64_t take(Outbox::Time at) {
    const auto taken = outbox.take(at);
    return taken ? taken->number : 0;
  }

  Outbox outbox{3};
  Outbox::Time now{1h};
};

TEST_F(WebhookOutbox, GivesWhatHasBeenDueTheLongest) {
  add(1, now + 3s);
  add(2, now + 1s);
  add(3, now + 2s);
  EXPECT_EQ(outbox.next(), now + 1s);
  EXPECT_EQ(take(now), 0U);
  EXPECT_EQ(take(now + 5s), 2U);
  EXPECT_EQ(take(now + 5s), 3U);
  EXPECT_EQ(take(now + 5s), 1U);
  EXPECT_EQ(take(now + 5s), 0U);
  EXPECT_EQ(outbox.next(), std::nullopt);
}

TEST_F(WebhookOutbox, DropsTheOldestBeyondItsBound) {
  add(2, now + 1s);
  add(3, now);
  EXPECT_FALSE(add(4, now));
  EXPECT_EQ(add(5, now)->number, 2U) << "whenever it is due";
  EXPECT_EQ(add(1, now)->number, 1U) << "one that comes back after a failure may be the oldest itself";
  EXPECT_EQ(outbox.size(), 3U);
  EXPECT_EQ(take(now), 3U);
}

TEST_F(WebhookOutbox, GivesNothingDuringAPauseThatTheReceiverAsksFor) {
  add(1, now);
  outbox.hold(now + 30s);
  outbox.hold(now + 10s);
  EXPECT_EQ(outbox.next(), now + 30s);
  EXPECT_EQ(take(now + 29s), 0U);
  EXPECT_EQ(take(now + 30s), 1U);
}

TEST_F(WebhookOutbox, GivesEverythingOnceItHurries) {
  add(1, now + 5min);
  outbox.hold(now + 5min);
  outbox.hurry();
  EXPECT_EQ(take(now), 1U);
  add(2, now + 5min);
  EXPECT_EQ(take(now), 2U);
}

TEST_F(WebhookOutbox, LosesNothingWhateverComes) {
  std::minstd_rand random(7);
  std::set<std::uint64_t> inside;
  for (std::uint64_t number = 1; number <= 10'000; ++number) {
    inside.insert(number);
    if (const auto dropped = add(number, now + std::chrono::seconds(random() % 60))) {
      EXPECT_EQ(dropped->number, *inside.begin());
      inside.erase(dropped->number);
    }
    now += std::chrono::seconds(random() % 20);
    if (const auto taken = take(now); taken > 0) {
      EXPECT_EQ(inside.erase(taken), 1U);
    }
    ASSERT_EQ(outbox.size(), inside.size());
  }
}

}  // namespace
}  // namespace headgate::notify::test
