// Billed use on its way to the ledger: the sheet of a worker, and the queue of a gateway.

#include "headgate/limit/use_sheet.hpp"

#include "support/utc.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/limit/ledger_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace headgate::limit {
namespace {

using namespace std::chrono;
using test::utc;

Day date(int y, unsigned m, unsigned d) { return year(y) / m / d; }

using Days = std::shared_ptr<const Calendar>;
Days in_utc() { return std::make_shared<const Calendar>(Calendar::Unit::day, "UTC", std::vector<ZoneOffset>()); }
/// With the two changes of 2026.
Days in_vienna() {
  return std::make_shared<const Calendar>(
      Calendar::Unit::day, "Europe/Vienna",
      std::vector<ZoneOffset>{
          {utc(2000, 1, 1), hours(1)}, {utc(2026, 3, 29, 1h), hours(2)}, {utc(2026, 10, 25, 1h), hours(1)}});
}

using Sums = std::map<std::pair<Day, std::string>, Use>;
Sums sums_of(const UseSheet::Content& taken) {
  Sums out;
  for (const auto& [day, uses] : taken.days)
    for (const auto& [field, use] : uses) out[{day, field}] += use;
  return out;
}

TEST(UseSheet, SumsEachKeyOfEachLimit) {
  UseSheet sheet;
  const auto days = in_utc();
  const auto now = utc(2026, 11, 22, 12h);
  sheet.add(days, now, "plan", "acme", 5);
  sheet.add(days, now, "plan", "acme", 2);
  sheet.add(days, now, "plan", "globex", 1);
  sheet.add(days, now, "daily", "acme", 1);
  const auto day = date(2026, 11, 22);
  EXPECT_EQ(sums_of(sheet.take()),
            (Sums{{{day, "plan acme"}, {7, 2}}, {{day, "plan globex"}, {1, 1}}, {{day, "daily acme"}, {1, 1}}}));
  EXPECT_TRUE(sums_of(sheet.take()).empty()) << "handed over once";
  sheet.add(days, now, "plan", "acme", 1);
  EXPECT_EQ(sums_of(sheet.take()), (Sums{{{day, "plan acme"}, {1, 1}}}));
}

TEST(UseSheet, LeavesOutWhatCostsNothing) {
  UseSheet sheet;
  sheet.add(in_utc(), utc(2026, 11, 22), "plan", "acme", 0);
  sheet.add(in_utc(), utc(2026, 11, 22), "plan", "acme", -3);
  EXPECT_TRUE(sheet.take().days.empty());
}

TEST(UseSheet, BeginsADayAtMidnightOfItsZone) {
  UseSheet sheet;
  const auto days = in_vienna();
  const auto add = [&](Instant at) { sheet.add(days, at, "plan", "acme", 1); };
  add(utc(2026, 3, 28, 22h, 59min));  // 23:59
  add(utc(2026, 3, 28, 23h));         // midnight: the day of 23 hours
  add(utc(2026, 3, 29, 21h, 59min));
  add(utc(2026, 3, 29, 22h));   // midnight, in summer time
  add(utc(2026, 10, 24, 22h));  // the day of 25 hours
  add(utc(2026, 10, 25, 22h, 59min));
  add(utc(2026, 10, 25, 23h));
  EXPECT_EQ(sums_of(sheet.take()), (Sums{{{date(2026, 3, 28), "plan acme"}, {1, 1}},
                                         {{date(2026, 3, 29), "plan acme"}, {2, 2}},
                                         {{date(2026, 3, 30), "plan acme"}, {1, 1}},
                                         {{date(2026, 10, 25), "plan acme"}, {2, 2}},
                                         {{date(2026, 10, 26), "plan acme"}, {1, 1}}}));
}

TEST(UseSheet, FollowsAClockThatIsSetBackAndAnotherZone) {
  UseSheet sheet;
  sheet.add(in_utc(), utc(2026, 11, 23), "plan", "acme", 1);
  sheet.add(in_utc(), utc(2026, 11, 22, 23h, 30min), "plan", "acme", 1);
  sheet.add(in_vienna(), utc(2026, 11, 22, 23h, 30min), "plan", "acme", 1);
  EXPECT_EQ(sums_of(sheet.take()),
            (Sums{{{date(2026, 11, 22), "plan acme"}, {1, 1}}, {{date(2026, 11, 23), "plan acme"}, {2, 2}}}));
}

TEST(UseSheet, IsBoundedByKeysAndSaysWhatItLost) {
  UseSheet sheet;
  const auto days = in_utc();
  const auto now = utc(2026, 11, 22);
  for (std::size_t i = 0; i < UseSheet::kMaxKeys + 10; ++i) sheet.add(days, now, "plan", std::to_string(i), 2);
  for (int i = 0; i < 5; ++i) sheet.add(days, now, "plan", "0", 2);
  const auto taken = sheet.take();
  EXPECT_EQ(taken.lost, (Use{20, 10}));
  EXPECT_EQ(taken.days.front().second.size(), UseSheet::kMaxKeys);
  EXPECT_EQ(taken.days.front().second.find(std::string_view("plan 0"))->second, (Use{12, 6})) << "known keys go on";
  sheet.add(days, now, "plan", "next", 1);
  EXPECT_EQ(sheet.take().lost, Use());
}

TEST(CalendarDates, AreThoseOfTheDays) {
  std::mt19937_64 random(7);
  for (const auto& days : {in_utc(), in_vienna()}) {
    for (int i = 0; i < 2000; ++i) {
      const Instant at = utc(2026, 1, 1) + Duration(static_cast<std::int64_t>(random() % 31'536'000'000'000));
      const auto date = days->date_of(at);
      const auto window = days->day(date);
      EXPECT_EQ(window, days->at(at));
      EXPECT_EQ(days->date_of(window.start), date);
      EXPECT_EQ(days->date_of(window.end), date + std::chrono::days(1));
    }
  }
}

TEST(Days, AreWrittenAsDates) {
  EXPECT_EQ(day_text(date(2026, 3, 9)), "2026-03-09");
  EXPECT_EQ(parse_day("2026-03-09"), date(2026, 3, 9));
  for (const char* wrong : {"", "2026-3-9", "2026-02-30", "2026-00-01", "2026-11-2x", "+026-11-22", "2026-11-222"})
    EXPECT_FALSE(parse_day(wrong)) << wrong;
}

UseSheet::Content taken_of(Day day, const std::vector<std::pair<std::string, Use>>& uses) {
  UseSheet::Content out;
  auto& to = out.days.emplace_back(day, UseByField()).second;
  for (const auto& [field, use] : uses) to.emplace(field, use);
  return out;
}

/// Acknowledges everything, and returns it.
Sums drain(LedgerQueue& queue) {
  Sums out;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    std::uint64_t last = 0;
    while (const auto* batch = queue.next(lane)) {
      EXPECT_EQ(batch->lane, lane);
      EXPECT_GT(batch->number, last);
      EXPECT_LE(batch->uses.size(), LedgerQueue::kMaxBatch);
      last = batch->number;
      for (const auto& [field, use] : batch->uses) {
        EXPECT_EQ(lane_of(bucket_of(field)), lane);
        out[{batch->day, field}] += use;
      }
      queue.acknowledge(lane);
    }
  }
  return out;
}

TEST(LedgerQueue, GivesEverythingInBatchesOfLanes) {
  LedgerQueue queue;
  Sums wanted;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<std::string, Use>> uses;
    for (int i = 0; i < 20'000; ++i) uses.push_back({"plan " + std::to_string(i), {3, 1}});
    for (const auto& [field, use] : uses) wanted[{date(2026, 11, 22 + round % 2), field}] += use;
    EXPECT_EQ(queue.add(taken_of(date(2026, 11, 22 + round % 2), uses)), Use());
  }
  EXPECT_EQ(queue.keys(), 40'000u);
  EXPECT_EQ(queue.waiting(), (Use{180'000, 60'000}));
  EXPECT_TRUE(queue.waits_for(date(2026, 11, 23)));
  EXPECT_FALSE(queue.waits_for(date(2026, 11, 24)));
  EXPECT_EQ(drain(queue), wanted);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.waits_for(date(2026, 11, 23)));
}

TEST(LedgerQueue, RepeatsABatchUntilItIsAcknowledged) {
  LedgerQueue queue;
  const auto lane = lane_of(bucket_of("plan acme"));
  queue.add(taken_of(date(2026, 11, 22), {{"plan acme", {5, 1}}}));
  const auto* const first = queue.next(lane);
  ASSERT_NE(first, nullptr);
  const auto number = first->number;
  queue.add(taken_of(date(2026, 11, 22), {{"plan acme", {2, 1}}}));
  ASSERT_EQ(queue.next(lane), first) << "it may have arrived, so nothing may be added to it";
  EXPECT_EQ(first->uses.front().second, (Use{5, 1}));
  queue.acknowledge(lane);
  const auto* const second = queue.next(lane);
  ASSERT_NE(second, nullptr);
  EXPECT_GT(second->number, number);
  EXPECT_EQ(second->uses.front().second, (Use{2, 1}));
}

TEST(LedgerQueue, IsBoundedByKeysAndSaysWhatItLost) {
  LedgerQueue queue;
  std::vector<std::pair<std::string, Use>> uses;
  for (std::size_t i = 0; i < LedgerQueue::kMaxKeys; ++i) uses.push_back({"plan " + std::to_string(i), {1, 1}});
  EXPECT_EQ(queue.add(taken_of(date(2026, 11, 22), uses)), Use());
  EXPECT_EQ(queue.add(taken_of(date(2026, 11, 22), {{"plan more", {7, 2}}, {"plan 5", {1, 1}}})), (Use{7, 2}));
  EXPECT_EQ(queue.keys(), LedgerQueue::kMaxKeys);
  EXPECT_EQ(queue.waiting(), (Use{LedgerQueue::kMaxKeys + 1, LedgerQueue::kMaxKeys + 1}));
  auto lost = taken_of(date(2026, 11, 22), {});
  lost.lost = {4, 3};
  EXPECT_EQ(queue.add(std::move(lost)), (Use{4, 3})) << "what the worker lost";
  drain(queue);
  EXPECT_EQ(queue.add(taken_of(date(2026, 11, 22), {{"plan more", {7, 2}}})), Use());
}

TEST(LedgerFields, HaveALimitAndAKeyOfAnyBytes) {
  std::mt19937 random(3);
  std::string field;
  for (int i = 0; i < 1000; ++i) {
    std::string key(1 + random() % 40, '\0');
    for (auto& byte : key) byte = static_cast<char>(random());
    write_ledger_field(field, "per-plan_2.x", key);
    const auto read = read_ledger_field(field);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->limit, "per-plan_2.x");
    EXPECT_EQ(read->key, key);
  }
  for (const char* wrong : {"", " ", "plan", "plan ", " key"}) EXPECT_FALSE(read_ledger_field(wrong)) << wrong;
}

}  // namespace
}  // namespace headgate::limit
