#include "../../../../src/session/h2/abuse.hpp"

#include "../../../../src/session/h2/h2_session.hpp"
#include "../../../../src/session/h2/opening.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::session {
namespace {

using namespace std::chrono_literals;

constexpr headgate::Clock::Steady kStart{1h};

unsigned resets_until_found(H2Limits& limits, headgate::Clock::Steady now) {
  unsigned out = 0;
  for (; limits.why() == H2Abuse::none; ++out) limits.reset(now);
  return out;
}

TEST(H2LimitsTest, LetSoManyResetsComeAtOnce) {
  H2Limits limits;
  EXPECT_EQ(resets_until_found(limits, kStart), 201U);
  EXPECT_EQ(limits.why(), H2Abuse::resets);
}

TEST(H2LimitsTest, LetMoreComeWithTime) {
  H2Limits limits;
  for (int i = 0; i < 200; ++i) limits.reset(kStart);
  EXPECT_EQ(resets_until_found(limits, kStart + 2s), 41U) << "twenty a second";
  H2Limits rested;
  for (int i = 0; i < 200; ++i) rested.reset(kStart);
  EXPECT_EQ(resets_until_found(rested, kStart + 1h), 201U) << "and never more than at first";
  H2Limits slow;
  for (int i = 0; i < 5'000; ++i) slow.reset(kStart + i * 50ms);
  EXPECT_EQ(slow.why(), H2Abuse::none) << "twenty a second for ever";
}

TEST(H2LimitsTest, AClockThatGoesBackGivesNothing) {
  H2Limits limits;
  for (int i = 0; i < 200; ++i) limits.reset(kStart);
  EXPECT_EQ(resets_until_found(limits, kStart - 1h), 1U);
}

TEST(H2LimitsTest, CountWindowUpdatesOnlyBeyondThoseOfTheDataSent) {
  H2Limits reader;
  for (int i = 0; i < 10'000; ++i) {
    reader.data_sent();
    for (int j = 0; j < 10; ++j) reader.window_update(kStart);
  }
  EXPECT_EQ(reader.why(), H2Abuse::none);
  H2Limits flood;
  unsigned updates = 0;
  for (; flood.why() == H2Abuse::none; ++updates) flood.window_update(kStart);
  EXPECT_EQ(updates, 1'101U);
  EXPECT_EQ(flood.why(), H2Abuse::glitches);
}

TEST(H2LimitsTest, SayTheFirstReason) {
  H2Limits limits;
  limits.queued(1'000);
  EXPECT_EQ(limits.why(), H2Abuse::none);
  limits.queued(1'001);
  limits.found(H2Abuse::head);
  EXPECT_EQ(limits.why(), H2Abuse::queue);
  EXPECT_FALSE(to_text(limits.why()).empty());
}

TEST(H2OpeningTest, TellsThePrefaceFromRequests) {
  for (std::size_t size = 0; size < kH2Preface.size(); ++size)
    EXPECT_EQ(begins_h2(kH2Preface.substr(0, size)), H2Begin::more) << size;
  EXPECT_EQ(begins_h2(kH2Preface), H2Begin::yes);
  EXPECT_EQ(begins_h2(std::string(kH2Preface) + "more"), H2Begin::yes);
  for (const std::string_view other : {"G", "PO", "PRI /", "PRI * HTTP/1.1", "pri", "\r\n"})
    EXPECT_EQ(begins_h2(other), H2Begin::no) << other;
}

}  // namespace
}  // namespace headgate::session
