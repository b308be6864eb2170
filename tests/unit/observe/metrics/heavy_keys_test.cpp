#include "headgate/observe/heavy_keys.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/observe/limit_top.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

namespace headgate::observe {
namespace {

std::uint64_t hash_of(std::string_view key) { return keyed_hash(key, 0).low; }
void add(HeavyKeys& sketch, const std::string& key, std::uint32_t times = 1) { sketch.add(hash_of(key), key, times); }

using Exact = std::map<std::string, std::uint64_t>;

std::uint64_t told(const HeavyList& list, const std::string& key) {
  const auto found =
      std::find_if(list.keys.begin(), list.keys.end(), [&](const auto& each) { return each.key == key; });
  return found == list.keys.end() ? 0 : found->count;
}

/// What the header promises, for every key that came, and for those that did not.
void expect_within_bounds(const HeavyList& list, const Exact& exact) {
  Exact shown;
  for (const auto& each : list.keys) shown[each.key] = each.count;
  EXPECT_EQ(shown.size(), list.keys.size()) << "a key stands twice";
  std::uint64_t total = 0;
  std::string wrong;
  for (const auto& [key, count] : exact) {
    total += count;
    const auto found = shown.find(key);
    const auto at_least = found == shown.end() ? 0 : found->second;
    if (at_least > count || at_least + list.missed < count) wrong += key + ' ';
  }
  EXPECT_EQ(wrong, "") << "not within their bounds";
  EXPECT_EQ(list.total, total);
  EXPECT_LE(list.missed * HeavyKeys::kShare, total) << "the error is larger than it may be";
  EXPECT_LE(list.keys.size(), HeavyKeys::kCounters);
  for (const auto& [key, count] : exact)
    if (count * HeavyKeys::kShare > total && !shown.contains(key)) wrong += key + ' ';
  EXPECT_EQ(wrong, "") << "came often, and is not in the list";
  for (const auto& each : list.keys) EXPECT_TRUE(exact.contains(each.key)) << each.key << " never came";
}

/// Streams of all kinds: a few keys or very many, all alike or some far more often, in bursts or mixed.
class Stream {
 public:
  explicit Stream(unsigned seed)
      : random_(seed),
        keys_(2 + random_() % 3000),
        skew_(static_cast<double>(random_() % 30) / 10),
        long_(seed % 5 == 0) {}
  std::string next() {
    if (left_ == 0) {
      key_ = pick();
      left_ = random_() % 4 == 0 ? 1 + random_() % 40 : 1;
    }
    --left_;
    return key_;
  }

 private:
  std::string pick() {
    const double even = std::uniform_real_distribution<double>(0, 1)(random_);
    const auto at = static_cast<std::uint64_t>(static_cast<double>(keys_) * std::pow(even, 1 + skew_));
    return (long_ ? std::string(200, 'x') : std::string("k")) + std::to_string(at);
  }
  std::mt19937 random_;
  std::uint64_t keys_;
  double skew_;
  bool long_;
  std::string key_;
  std::uint64_t left_ = 0;
};

TEST(HeavyKeys, AreWithinTheirBoundsForRandomStreams) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    HeavyKeys sketch;
    Exact exact;
    Stream stream(seed);
    for (int i = 0; i < 4000; ++i) {
      const auto key = stream.next();
      add(sketch, key);
      ++exact[key];
    }
    expect_within_bounds(sketch.list(), exact);
  }
}

TEST(HeavyKeys, StayWithinThemWhenManyListsAreMerged) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    HeavyList merged;
    Exact exact;
    Stream stream(seed);
    std::mt19937 random(seed);
    for (int part = 0; part < 12; ++part) {
      HeavyKeys sketch;
      const auto length = random() % 900;
      for (unsigned i = 0; i < length; ++i) {
        const auto key = stream.next();
        const auto times = static_cast<std::uint32_t>(1 + random() % 3);
        add(sketch, key, times);
        exact[key] += times;
      }
      merged.merge(sketch.list());
    }
    expect_within_bounds(merged, exact);
  }
}

TEST(HeavyKeys, AreExactForAsManyKeysAsThereAreCounters) {
  HeavyKeys sketch;
  for (std::size_t i = 0; i < HeavyKeys::kCounters * 3; ++i) add(sketch, std::to_string(i % HeavyKeys::kCounters));
  const auto list = sketch.list();
  EXPECT_EQ(list.missed, 0U);
  ASSERT_EQ(list.keys.size(), HeavyKeys::kCounters);
  for (const auto& each : list.keys) EXPECT_EQ(each.count, 3U) << each.key;
}

TEST(HeavyKeys, FindOneAmongAFloodOfOthersThatComeOnce) {
  HeavyKeys sketch;
  for (int i = 0; i < 100'000; ++i) add(sketch, i % 20 == 0 ? "often" : "once" + std::to_string(i));
  const auto list = sketch.list();
  EXPECT_GE(told(list, "often") + list.missed, 5000U);
  EXPECT_GT(told(list, "often"), 3000U);
}

TEST(HeavyList, AddsUpAKeyThatCameUnderTwoHashes) {
  HeavyKeys sketch;
  sketch.add(1, "a", 3);  // of one tier
  sketch.add(2, "a", 4);  // of another
  HeavyList list;
  list.merge(sketch.list());
  ASSERT_EQ(list.keys.size(), 1U);
  EXPECT_EQ(list.keys[0].count, 7U);
}

TEST(HeavyList, MergedWithNothingStaysAsItIs) {
  HeavyKeys sketch;
  for (int i = 0; i < 500; ++i) add(sketch, std::to_string(i));
  auto list = sketch.list();
  const auto before = list;
  list.merge({});
  EXPECT_EQ(list.total, before.total);
  EXPECT_EQ(list.missed, before.missed);
  EXPECT_EQ(list.keys.size(), before.keys.size());
}

TEST(LimitTop, CountsEveryRejectionAndOneAllowedRequestOfEight) {
  LimitTop top(7);
  for (int i = 0; i < 1000; ++i) top.rejected(hash_of("a"), "a");
  constexpr int kAllowed = 200'000;
  for (int i = 0; i < kAllowed; ++i)
    top.allowed(i % 2 == 0 ? 1 : 2, i % 2 == 0 ? "even" : "odd");  // no pattern hides one of them
  const auto rejected = top.take_rejected();
  ASSERT_NE(rejected, nullptr);
  EXPECT_EQ(told(rejected->list(), "a"), 1000U);
  const auto allowed = top.take_allowed();
  ASSERT_NE(allowed, nullptr);
  const double each = kAllowed / 2.0;
  for (const auto* key : {"even", "odd"})
    EXPECT_NEAR(static_cast<double>(told(allowed->list(), key)), each, 3 * 5.3 * std::sqrt(each)) << key;
  EXPECT_EQ(top.take_rejected(), nullptr) << "taken once";
}

TEST(WorkerTops, HandOverOnlyLimitsThatCountedSomething) {
  WorkerTops tops(0);
  tops.of("quiet");
  tops.of("login").rejected(1, "203.0.113.7");
  EXPECT_EQ(&tops.of("login"), &tops.of("login"));
  const auto taken = tops.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].limit, "login");
  ASSERT_NE(taken[0].rejected, nullptr);
  EXPECT_EQ(taken[0].allowed, nullptr);
  EXPECT_TRUE(tops.take().empty());
}

}  // namespace
}  // namespace headgate::observe
