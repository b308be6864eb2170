// Settlements that wait for Redis: how they are merged, bounded and dropped.
#include "headgate/limit/settle_queue.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using Moment = SettleQueue::Moment;

class SettleQueueTest : public testing::Test {
 protected:
  static std::shared_ptr<const Rule> rule_of(const std::string& name) {
    Rule rule;
    rule.limit = name;
    rule.suffix = ":" + name;
    return std::make_shared<const Rule>(rule);
  }
  bool add(std::int64_t cost, How how = How::take, std::string_view key = "caller", Duration held_for = 1h) {
    return add(rule, cost, how, key, held_for);
  }
  bool add(const std::shared_ptr<const Rule>& of, std::int64_t cost, How how, std::string_view key,
           Duration held_for = 1h) {
    const Check check{.rule = of.get(), .key = key, .hash = {}, .cost = cost, .how = how};
    return queue.add(check, of, now + held_for, now);
  }
  /// Takes what waits, as "caller -3 take, other 5 charge".
  std::string take(std::size_t most = 31, bool one_key = false) {
    auto batch = queue.has_new() ? queue.take_new(most, one_key, now) : queue.take_waiting(most, one_key, now);
    std::string out;
    for (const auto& key : batch.keys) {
      for (const auto& sum : key.sums) {
        if (!out.empty()) out += ", ";
        out += key.key + " " + std::to_string(sum.cost);
        out += sum.how == How::take ? " take" : sum.how == How::charge ? " charge" : " debt";
      }
    }
    queue.settled(batch);
    return out;
  }

  SettleQueue queue;
  std::shared_ptr<const Rule> rule = rule_of("plan");
  Moment now{std::chrono::hours(1000)};
};

TEST_F(SettleQueueTest, HasOneSumForEachCounterAndKind) {
  add(-3);
  add(-4);
  add(2, How::charge);
  add(5, How::charge);
  add(1, How::debt);
  add(7, How::charge, "other");
  const auto amount = queue.outstanding();
  EXPECT_EQ(amount.settlements, 6U);
  EXPECT_EQ(amount.permits, 22U);
  EXPECT_EQ(take(), "caller -7 take, other 7 charge") << "a batch has each counter once";
  EXPECT_EQ(take(), "caller 7 charge");
  EXPECT_EQ(take(), "caller 1 debt");
  EXPECT_EQ(take(), "");
  EXPECT_EQ(queue.outstanding().settlements, 0U);
  EXPECT_FALSE(queue.oldest());
}

TEST_F(SettleQueueTest, KeepsCountersOfOneKeyApart) {
  add(-3);
  add(rule_of("day"), -4, How::take, "caller");
  EXPECT_EQ(take(), "caller -3 take, caller -4 take");
}

TEST_F(SettleQueueTest, TakesOneKeyOrAFewCounters) {
  add(-1);
  add(rule_of("day"), -2, How::take, "caller");
  add(-3, How::take, "other");
  EXPECT_EQ(take(1, true), "caller -1 take");
  EXPECT_EQ(take(31, true), "other -3 take");
  EXPECT_EQ(take(31, true), "caller -2 take");
}

TEST_F(SettleQueueTest, AddsLaterSettlementsToThoseThatWait) {
  add(-1);
  queue.put_back(queue.take_new(31, false, now));
  EXPECT_FALSE(queue.has_new());
  add(-2);
  EXPECT_FALSE(queue.has_new());
  EXPECT_FALSE(queue.is_new("caller"));
  EXPECT_EQ(queue.outstanding().settlements, 2U);
  EXPECT_EQ(take(), "caller -3 take");
}

TEST_F(SettleQueueTest, MergesABatchThatIsPutBackWithLaterSettlements) {
  add(-1);
  auto batch = queue.take_new(31, false, now);
  now += 2s;
  add(-2);
  add(9, How::charge);
  queue.put_back(std::move(batch));
  EXPECT_EQ(queue.oldest(), now - 2s);
  EXPECT_EQ(take(), "caller -3 take");
  EXPECT_EQ(queue.oldest(), now);
  EXPECT_EQ(take(), "caller 9 charge");
}

TEST_F(SettleQueueTest, LetsWaitWhatIsPutBackOrKnownToFail) {
  add(-1);
  add(2, How::charge);
  queue.put_back(queue.take_new(31, false, now));
  EXPECT_FALSE(queue.has_new()) << "nor the charge of the same counter";
  add(3, How::charge, "other");
  queue.let_wait();
  EXPECT_FALSE(queue.has_new());
  EXPECT_FALSE(queue.is_new("other"));
  EXPECT_EQ(take(), "caller 2 charge, other 3 charge");
  EXPECT_EQ(take(), "caller -1 take");
}

TEST_F(SettleQueueTest, DropsGiveBacksOfExpiredHoldsAlone) {
  add(-1, How::take, "caller", 10s);
  add(-2, How::take, "caller", 60s);
  add(3, How::charge, "caller", 10s);
  now += 11s;
  EXPECT_EQ(take(), "caller -2 take");
  EXPECT_EQ(take(), "caller 3 charge");
  EXPECT_EQ(queue.outstanding().permits, 0U);
  EXPECT_FALSE(queue.has_lost()) << "they belong to others now";
}

TEST_F(SettleQueueTest, NeverGivesBackLateAndSumsUpHoldsThatExpireTogether) {
  for (int i = 0; i < 1000; ++i) add(-1, How::take, "caller", 60s + i * 10ms);
  now += 55s;
  EXPECT_EQ(take(), "caller -1000 take");
  for (int i = 0; i < 1000; ++i) add(-1, How::take, "caller", 60s + i * 1ms);
  now += 61s;
  EXPECT_EQ(take(), "");
}

TEST_F(SettleQueueTest, SweepsExpiredHolds) {
  add(-1, How::take, "caller", 10s);
  add(-1, How::take, "other", 60s);
  now += 11s;
  queue.sweep(now);
  EXPECT_EQ(queue.outstanding().settlements, 1U);
  EXPECT_EQ(take(), "other -1 take");
}

TEST_F(SettleQueueTest, SharesItsRoomBetweenLimits) {
  const auto other = rule_of("other");
  std::size_t had = 0;
  while (add(1, How::charge, "caller " + std::to_string(had))) ++had;
  EXPECT_EQ(had, SettleQueue::kMax / 2);
  std::size_t others = 0;
  while (add(other, 1, How::charge, "caller " + std::to_string(others))) ++others;
  EXPECT_EQ(others, SettleQueue::kMax / 4);
  EXPECT_TRUE(add(1, How::charge, "caller 0")) << "its counter has a place already";
  const auto lost = queue.take_lost();
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_EQ(lost.at("plan").settlements, 1U);
  EXPECT_EQ(lost.at("other").permits, 1U);
  EXPECT_FALSE(queue.has_lost());
}

TEST_F(SettleQueueTest, CountsALostBatch) {
  add(-2);
  add(-3);
  queue.lost(queue.take_new(31, false, now));
  EXPECT_EQ(queue.take_lost().at("plan").permits, 5U);
  EXPECT_EQ(queue.outstanding().settlements, 0U);
}

}  // namespace
}  // namespace headgate::limit
