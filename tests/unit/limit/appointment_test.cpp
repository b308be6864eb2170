// Appointments: their text, and that they are reserved one after the other at the limit's rate.

#include "headgate/limit/appointment.hpp"

#include "support/rules.hpp"

#include "headgate/limit/memory_store.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::kStart;
using test::make_check;
using test::make_rule;

constexpr AppointmentTerms kTerms{5min, 10s};

TEST(Appointment, IsReadBackFromItsText) {
  const auto made = *appoint(kTerms, 3, kStart, kStart + 1s, 0xFFFFFFFFFFFFFFFF);
  const auto text = to_text(made);
  EXPECT_EQ(text.find_first_not_of("a.0123456789"), std::string::npos) << text;
  EXPECT_EQ(parse_appointment(text), made);
}

TEST(Appointment, IsReadFromNoOtherText) {
  const auto text = to_text(*appoint(kTerms, 3, kStart, kStart + 1s, 7));
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_FALSE(parse_appointment(text.substr(0, i))) << i;
  for (const std::string& other :
       std::vector<std::string>{text + ".", text + ".1", "b" + text.substr(1), "a1.1.2.3.4.-5", "a1.1.2.3.4.+5",
                                "a1.01.2.3.4.5", "a1.1.2.3.4.99999999999999999999", "a1..2.3.4.5", "a1.-1.2.3.4.5"})
    EXPECT_FALSE(parse_appointment(other)) << other;
}

TEST(Appointment, IsKeptFromItsBeginningToItsEnd) {
  const auto made = *appoint(kTerms, 1, kStart, kStart + 1s, 7);
  EXPECT_EQ(arrival(made, kStart + 1s - 1us), Punctuality::early);
  EXPECT_EQ(arrival(made, kStart + 1s), Punctuality::in_time);
  EXPECT_EQ(arrival(made, kStart + 11s - 1us), Punctuality::in_time);
  EXPECT_EQ(arrival(made, kStart + 11s), Punctuality::late);
}

TEST(Appointment, IsNotMadeTooFarAhead) {
  EXPECT_TRUE(appoint(kTerms, 1, kStart, kStart + 5min, 7));
  EXPECT_FALSE(appoint(kTerms, 1, kStart, kStart + 5min + 1us, 7));
}

TEST(Appointment, BeginsWhenItsPermitsHaveComeBack) {
  MemoryStore store({.max_keys = 1000});
  const auto rule = make_rule("10/second", 10);
  Decision decision;
  const auto all = make_check(rule, "k", 10);
  ASSERT_TRUE(store.decide({&all, 1}, kStart, {&decision, 1}));
  for (int i = 1; i <= 5; ++i) {
    const auto booked = make_check(rule, "k", 1, How::debt);
    ASSERT_TRUE(store.decide({&booked, 1}, kStart, {&decision, 1}));
    EXPECT_EQ(due({&booked, 1}, {&decision, 1}, kStart), kStart + 100ms * i);
  }
  const auto three = make_check(rule, "k", 3, How::debt);
  store.decide({&three, 1}, kStart, {&decision, 1});
  EXPECT_EQ(due({&three, 1}, {&decision, 1}, kStart), kStart + 800ms);
  const auto one = make_check(rule, "k");
  EXPECT_FALSE(store.decide({&one, 1}, kStart + 899ms, {&decision, 1})) << "others wait behind them";
  EXPECT_TRUE(store.decide({&one, 1}, kStart + 900ms, {&decision, 1}));
}

TEST(Appointment, IsRememberedUntilItIsOver) {
  MemoryStore store({.max_keys = 1000});
  const auto rule = make_rule("10/second", 10);
  const auto made = *appoint(kTerms, 1, kStart, kStart + 5min, 7);
  const auto use = use_of(made, rule);
  EXPECT_TRUE(use.suffix.starts_with(rule.suffix));
  Decision decision;
  const auto check = make_check(use, "k");
  ASSERT_TRUE(store.decide({&check, 1}, made.from, {&decision, 1}));
  for (auto now = made.from; now < made.until; now += 100ms)
    EXPECT_FALSE(store.decide({&check, 1}, now, {&decision, 1}));
}

TEST(Appointment, StaysUsedWhenItsLimitForgetsAllKeys) {
  const auto rule = make_rule("10/minute");
  MemoryStore store({.max_keys = 1000});
  const auto use = use_of(*appoint(kTerms, 1, kStart, kStart + 1s, 7), rule);
  const Check first{.rule = &use, .key = "k", .hash = keyed_hash(use.suffix + "k", use.seed)};
  Decision out;
  ASSERT_TRUE(store.decide({&first, 1}, kStart, {&out, 1}));
  store.forget(rule.limit);
  EXPECT_FALSE(store.decide({&first, 1}, kStart, {&out, 1})) << "a signed token passes once";
}

}  // namespace
}  // namespace headgate::limit
