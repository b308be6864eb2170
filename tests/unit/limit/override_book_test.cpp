// The overrides that a process knows, and their entries in the log that gateways share.
#include "headgate/limit/override_book.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using headgate::test::kStart;
using Put = OverrideBook::Put;

Override override_of(const std::string& key, std::string_view rate = "500/minute", Duration length = 1h,
                     Instant from = kStart) {
  Override out;
  out.limit = "plan";
  out.key = key;
  out.rates = {*parse_rate(rate)};
  out.since = from;
  out.until = from + length;
  return out;
}

TEST(OverrideEntries, AreReadAsTheyWereWritten) {
  Override one = override_of(std::string("a b|\0\r\n 7", 9));
  one.burst = 800;
  one.why = "launch of \u00fc, with spaces";
  one.version = 7;
  EXPECT_EQ(read_override(entry_of(one)), one);
  one.rates = {*parse_rate("10/second"), *parse_rate("300/5m"), *parse_rate("5000/month")};
  one.burst.reset();
  one.why.clear();
  one.lifted = true;
  EXPECT_EQ(read_override(entry_of(one)), one);
  one.rates.clear();
  EXPECT_EQ(read_override(entry_of(one)), one) << "unlimited";
  one.rates = {*parse_rate("10000000000000/month")};
  one.burst = 10'000'000'000'000;
  EXPECT_EQ(read_override(entry_of(one)), one);
}

TEST(OverrideEntries, AreNotReadIfNoGatewayWroteThem) {
  for (const std::string text :
       {"", "0", "2 0 0 4 1 plank", "0 -1 0 4 1 plank", "0 0 9 4 1 plank", "0 0 1 x/minute 4 1 plank",
        "0 0 1 4 1 plank", "0 5 0 4 1 plank", "0 5 2 1/s 1/m 4 1 plank", "0 0 0 0 1 k", "0 0 0 9 1 plank",
        "0 0 0 4 9 plank", "0 10000000000001 1 1/s 4 1 plank"})
    EXPECT_FALSE(read_override({.text = text})) << text;
  EXPECT_FALSE(read_override({.text = "0 0 0 4 1 plank" + std::string(Override::kMaxWhy + 1, 'w')}));
  EXPECT_FALSE(read_override({.text = "0 0 0 4 257 plan" + std::string(257, 'k')}));
  EXPECT_TRUE(read_override({.text = "0 0 0 4 1 plank"}));
}

TEST(OverrideBook, HoldsAnOverrideUntilItsEnd) {
  OverrideBook book;
  EXPECT_EQ(book.put(override_of("k"), kStart), Put::added);
  EXPECT_TRUE(book.find("plan", "k", kStart + 1h - 1us));
  EXPECT_FALSE(book.find("plan", "k", kStart + 1h));
  EXPECT_FALSE(book.find("plan", "other", kStart));
  EXPECT_FALSE(book.find("other", "k", kStart));
  EXPECT_EQ(book.next_end(), kStart + 1h);
  EXPECT_TRUE(book.forget_ended(kStart + 1h - 1us).empty());
  ASSERT_EQ(book.forget_ended(kStart + 1h).size(), 1u);
  EXPECT_FALSE(book.next_end());
}

TEST(OverrideBook, TakesTheLaterOfTwo) {
  OverrideBook book;
  book.put(override_of("k"), kStart);
  EXPECT_EQ(book.put(override_of("k", "5/minute"), kStart + 1min), Put::replaced);
  EXPECT_EQ(book.list(kStart).size(), 1u);
  EXPECT_EQ(book.find("plan", "k", kStart)->rates.front().count, 5u);
  EXPECT_EQ(book.put(override_of("k", "6/minute", 1h, kStart + 2h), kStart + 2h), Put::added) << "the other had ended";
}

TEST(OverrideBook, RefusesMoreThanItsBoundButNoReplacement) {
  OverrideBook book;
  EXPECT_EQ(book.put(override_of("a", "1/s", 1min), kStart, 2), Put::added);
  EXPECT_EQ(book.put(override_of("b"), kStart, 2), Put::added);
  EXPECT_EQ(book.put(override_of("c"), kStart, 2), Put::full);
  EXPECT_EQ(book.put(override_of("b", "2/s"), kStart, 2), Put::replaced);
  EXPECT_FALSE(book.find("plan", "c", kStart));
  EXPECT_EQ(book.put(override_of("c", "1/s", 1h, kStart + 1min), kStart + 1min, 2), Put::added) << "one has ended";
}

TEST(OverrideBook, IsNotBroughtBackByAnOlderEntryOfTheLog) {
  OverrideBook book;
  Override first = override_of("k");
  first.version = 10;
  EXPECT_TRUE(book.apply(first, kStart));
  EXPECT_FALSE(book.apply(first, kStart)) << "again";
  Override end = first;
  end.lifted = true;
  end.version = 11;
  EXPECT_TRUE(book.apply(end, kStart + 1s));
  EXPECT_FALSE(book.apply(first, kStart + 2s));
  EXPECT_TRUE(book.list(kStart + 2s).empty());
  EXPECT_TRUE(book.forget_ended(kStart + 1h).empty()) << "it was ended before";
  EXPECT_FALSE(book.apply(first, kStart + 1h)) << "what has ended is no news";
}

TEST(OverrideBook, LiftsOnceWhatIsInForce) {
  OverrideBook book;
  EXPECT_FALSE(book.lift("plan", "k", kStart));
  Override one = override_of("k");
  one.version = 3;
  book.apply(one, kStart);
  const auto lifted = book.lift("plan", "k", kStart + 1min);
  ASSERT_TRUE(lifted);
  EXPECT_TRUE(lifted->lifted);
  EXPECT_EQ(lifted->since, kStart + 1min);
  EXPECT_EQ(lifted->until, kStart + 1h) << "the log keeps it as long as what it ends";
  EXPECT_EQ(lifted->version, 0u) << "not in the log yet";
  EXPECT_FALSE(book.lift("plan", "k", kStart + 1min));
}

// A model that does the same with a map and nothing else.
TEST(OverrideBook, IsWhatAModelSaysAfterAnyChanges) {
  std::mt19937 random(7);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int run = 0; run < 50; ++run) {
    OverrideBook book;
    std::map<std::string, Override> model;
    auto now = kStart;
    std::uint64_t version = 0;
    for (int step = 0; step < 200; ++step) {
      now += Duration(std::chrono::seconds(pick(60)));
      const std::string key(1, static_cast<char>('a' + pick(5)));
      const auto live = [&](const std::string& of) {
        const auto at = model.find(of);
        return at != model.end() && at->second.until > now;
      };
      switch (pick(4)) {
        case 0: {
          const auto one =
              override_of(key, std::to_string(1 + pick(100)) + "/m", std::chrono::seconds(1 + pick(600)), now);
          EXPECT_EQ(book.put(one, now), live(key) ? Put::replaced : Put::added);
          model[key] = one;
          break;
        }
        case 1:
          EXPECT_EQ(book.lift("plan", key, now).has_value(), live(key));
          model.erase(key);
          break;
        case 2: {
          auto one = override_of(key, "7/m", std::chrono::seconds(1 + pick(600)), now);
          one.version = ++version;
          one.lifted = pick(3) == 0;
          book.apply(one, now);
          one.lifted ? static_cast<void>(model.erase(key)) : static_cast<void>(model.insert_or_assign(key, one));
          break;
        }
        default:
          book.forget_ended(now);
      }
      std::size_t count = 0;
      for (const auto& name : std::array<std::string, 5>{"a", "b", "c", "d", "e"}) {
        const auto found = book.find("plan", name, now);
        ASSERT_EQ(found.has_value(), live(name)) << "run " << run << ", step " << step << ", key " << name;
        if (!found) continue;
        EXPECT_EQ(found->rates, model[name].rates);
        ++count;
      }
      ASSERT_EQ(book.list(now).size(), count);
      const auto counts = book.counts(now);
      ASSERT_EQ(counts.contains("plan") ? counts.at("plan") : 0, count);
    }
  }
}

}  // namespace
}  // namespace headgate::limit
