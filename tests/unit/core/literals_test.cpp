#include "headgate/core/literals.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <limits>
#include <string>

namespace headgate {
namespace {

using namespace std::chrono_literals;

std::string refusal(const Result<Duration, LiteralError>& result) {
  return result.has_value() ? "accepted " + to_text(*result) : result.error().message + " | " + result.error().help;
}
std::string refusal(const Result<Rate, LiteralError>& result) {
  return result.has_value() ? "accepted " + to_text(*result) : result.error().message + " | " + result.error().help;
}

TEST(Durations, AreAWholeNumberAndAUnit) {
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("5s"), 5s);
  EXPECT_EQ(*parse_duration("1m"), 1min);
  EXPECT_EQ(*parse_duration("2h"), 2h);
  EXPECT_EQ(*parse_duration("1d"), 24h);
  EXPECT_EQ(*parse_duration("700us"), 700us);
  EXPECT_EQ(*parse_duration("007s"), 7s);
}

TEST(Durations, WithoutAUnitNameBothThatCouldBeMeant) {
  EXPECT_EQ(refusal(parse_duration("5")), R"("5" has no unit | "5s" is five seconds, "5ms" five milliseconds)");
  EXPECT_EQ(refusal(parse_duration("1")), R"("1" has no unit | "1s" is one second, "1ms" one millisecond)");
  EXPECT_EQ(refusal(parse_duration("90")), R"("90" has no unit | "90s" is 90 seconds, "90ms" 90 milliseconds)");
}

TEST(Durations, AreReadStrictly) {
  for (const char* wrong :
       {"", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "5S", "5sec", "1h30m", "1.5s", "5ns", "0x5s", "fives"}) {
    EXPECT_EQ(parse_duration(wrong).error().message, '"' + std::string(wrong) + "\" is not a duration") << wrong;
  }
}

TEST(Durations, AreLongerThanNothing) { EXPECT_EQ(parse_duration("0ms").error().message, "\"0ms\" is too short"); }

TEST(Durations, EndAt366DaysHoweverManyDigitsAreWritten) {
  EXPECT_EQ(*parse_duration("366d"), 366 * 24h);
  for (const char* wrong : {"367d", "8785h", "99999999999999999999999999s", "18446744073709551615d", "213503982335d"}) {
    EXPECT_EQ(parse_duration(wrong).error().help, "write at most \"366d\"") << wrong;
  }
}

TEST(Durations, AreWrittenInTheLargestUnitThatIsExact) {
  EXPECT_EQ(to_text(Duration(90s)), "90s");
  EXPECT_EQ(to_text(Duration(60s)), "1m");
  EXPECT_EQ(to_text(Duration(24h)), "1d");
  EXPECT_EQ(to_text(Duration(250ms)), "250ms");
  EXPECT_EQ(to_text(Duration(1500us)), "1500us");
  EXPECT_EQ(to_text(Duration(0)), "0s");
  EXPECT_EQ(to_text(Duration(-5s)), "-5s");
  EXPECT_EQ(to_text(Duration::min()), "-9223372036854775808us");
}

TEST(Rates, AreACountASlashAndAPeriod) {
  EXPECT_EQ(*parse_rate("100/minute"), (Rate{100, 1min}));
  EXPECT_EQ(*parse_rate("100/m"), (Rate{100, 1min}));
  EXPECT_EQ(*parse_rate("1/second"), (Rate{1, 1s}));
  EXPECT_EQ(*parse_rate("30/hour"), (Rate{30, 1h}));
  EXPECT_EQ(*parse_rate("1000/day"), (Rate{1000, 24h}));
  EXPECT_EQ(*parse_rate("300/5m"), (Rate{300, 5min}));
  EXPECT_EQ(*parse_rate("300/5minutes"), (Rate{300, 5min}));
  EXPECT_EQ(*parse_rate("5/100ms"), (Rate{5, 100ms}));
  EXPECT_EQ(*parse_rate("10000000000000/s"), (Rate{10'000'000'000'000, 1s}));
  EXPECT_EQ(*parse_rate("1/366d"), (Rate{1, 366 * 24h}));
}

TEST(Rates, GuessWhatWasMeantWhenTheyCannotBeRead) {
  const std::string form = "  (a count, a slash, then second, minute, hour or day)";
  EXPECT_EQ(refusal(parse_rate("100r/m")), "\"100r/m\" is not a rate | write \"100/minute\"" + form);
  EXPECT_EQ(refusal(parse_rate("5/sec")), "\"5/sec\" is not a rate | write \"5/second\"" + form);
  EXPECT_EQ(refusal(parse_rate("10 / Hour")), "\"10 / Hour\" is not a rate | write \"10/hour\"" + form);
  EXPECT_EQ(refusal(parse_rate("7 per day")), "\"7 per day\" is not a rate | write \"7/day\"" + form);
  EXPECT_EQ(refusal(parse_rate("lots")), "\"lots\" is not a rate | write \"100/minute\"" + form);
  EXPECT_EQ(refusal(parse_rate("")), "\"\" is not a rate | write \"100/minute\"" + form);
}

TEST(Rates, GuessTheNumberThatWasMeantTheWayItWasWritten) {
  const auto help = [](const char* text) {
    const auto whole = parse_rate(text).error().help;
    return whole.substr(0, whole.find("  ("));
  };
  EXPECT_EQ(help("0.5/second"), R"(write "1/2s" or "30/minute")");
  EXPECT_EQ(help("0,5/second"), R"(write "1/2s" or "30/minute")");
  EXPECT_EQ(help("1.5/minute"), R"(write "3/2m" or "90/hour")");
  EXPECT_EQ(help("0.3/day"), R"(write "3/10d")");
  EXPECT_EQ(help("2.0/second"), R"(write "2/second")");
  EXPECT_EQ(help("1,000/hour"), R"(write "1000/hour")");
  EXPECT_EQ(help("1_000_000/day"), R"(write "1000000/day")");
  EXPECT_EQ(help("1k/second"), R"(write "1000/second")");
  EXPECT_EQ(help("-5/second"), R"(write "5/second")");
  EXPECT_EQ(help("-5"), R"(write "5/minute")");
  EXPECT_EQ(help("10r/s"), R"(write "10/second")");
  EXPECT_EQ(help("0.0/s"), R"(write "100/second")");
  EXPECT_EQ(help("99999999999999999999999.5/s"), R"(write "100/second")");
}

TEST(Rates, AreReadStrictly) {
  for (const char* wrong : {"/", "5/", "/s", "100", "-1/s", "1.5/s", "5/s ", " 5/s", "5//s", "5/s/m", "5/minutes",
                            "5/1minutes", "5/5", "5/M", "5/seconds", "+5/s", "5/-1s"}) {
    EXPECT_TRUE(parse_rate(wrong).has_error()) << wrong;
  }
}

TEST(Rates, ThatCannotBeGrantedSayWhy) {
  EXPECT_EQ(parse_rate("0/second").error().message, "\"0/second\" allows nothing");
  EXPECT_EQ(parse_rate("10000000000001/s").error().message,
            "\"10000000000001/s\" allows more than 10000000000000 requests a period");
  EXPECT_EQ(parse_rate("99999999999999999999999/s").error().help, "leave the limit out instead");
  EXPECT_EQ(parse_rate("5/0s").error().message, "\"5/0s\" has a period of no time at all");
  EXPECT_EQ(parse_rate("5/367d").error().message, "\"5/367d\" has a period longer than 366 days");
  EXPECT_EQ(parse_rate("5/99999999999999999999d").error().help, "write at most \"366d\"");
}

TEST(Rates, OfAMonthAreBoundedByTheLongestOne) {
  EXPECT_EQ(*parse_rate("1000/month"), (Rate{1000, 31 * 24h, true}));
  EXPECT_EQ(*parse_rate("1000/mo"), (Rate{1000, 31 * 24h, true}));
  EXPECT_NE(*parse_rate("1000/month"), *parse_rate("1000/31d"));
  EXPECT_EQ(
      refusal(parse_rate("1000/Month")),
      R"("1000/Month" is not a rate | write "1000/month" for calendar months, or a number of days, as in "1000/30d")");
  for (const char* wrong : {"1000/2months", "1000/1month", "1000/months", "1000 a month", "1000/Mo", "0/month"})
    EXPECT_TRUE(parse_rate(wrong).has_error()) << wrong;
}

TEST(Rates, OfWeeksAndYearsAreWrittenInDays) {
  EXPECT_EQ(refusal(parse_rate("10/week")), R"("10/week" is not a rate: week is no unit here | write "10/7d")");
  EXPECT_EQ(parse_rate("10/year").error().help, "write \"10/365d\"");
}

TEST(Rates, NameTheirPeriodInASentence) {
  EXPECT_EQ(period_text(*parse_rate("5/second")), "a second");
  EXPECT_EQ(period_text(*parse_rate("5/60s")), "a minute");
  EXPECT_EQ(period_text(*parse_rate("5/hour")), "an hour");
  EXPECT_EQ(period_text(*parse_rate("5/day")), "a day");
  EXPECT_EQ(period_text(*parse_rate("5/month")), "a month");
  EXPECT_EQ(period_text(*parse_rate("5/5m")), "every 5m");
  EXPECT_EQ(period_text(*parse_rate("5/31d")), "every 31d");
}

TEST(Rates, AreWrittenBackAsAUserWould) {
  EXPECT_EQ(to_text(Rate{100, 1min}), "100/minute");
  EXPECT_EQ(to_text(Rate{100, 60s}), "100/minute");
  EXPECT_EQ(to_text(Rate{300, 5min}), "300/5m");
  EXPECT_EQ(to_text(Rate{5, 100ms}), "5/100ms");
  EXPECT_EQ(to_text(Rate{1, 1ms}), "1/1ms");
  EXPECT_EQ(to_text(Rate{9, 24h}), "9/day");
  EXPECT_EQ(to_text(Rate{1000, 31 * 24h, true}), "1000/month");
  EXPECT_EQ(to_text(Rate{1000, 31 * 24h}), "1000/31d");
}

TEST(Rates, ReadBackAsThemselves) {
  for (const Rate rate : {Rate{1, 1us}, Rate{5, 100ms}, Rate{7, 1s}, Rate{300, 5min}, Rate{2, 48h},
                          Rate{1'000'000'000, 366 * 24h}, Rate{1000, 31 * 24h, true}}) {
    EXPECT_EQ(*parse_rate(to_text(rate)), rate) << to_text(rate);
  }
}

TEST(Sizes, AreBytesOrAWholeNumberAndAUnit) {
  EXPECT_EQ(*parse_size("512"), 512U);
  EXPECT_EQ(*parse_size("0"), 0U);
  EXPECT_EQ(*parse_size("512B"), 512U);
  EXPECT_EQ(*parse_size("64KiB"), 65'536U);
  EXPECT_EQ(*parse_size("1MiB"), 1'048'576U);
  EXPECT_EQ(*parse_size("500kB"), 500'000U);
  EXPECT_EQ(*parse_size("2GB"), 2'000'000'000U);
  EXPECT_EQ(*parse_size("8192TiB"), std::uint64_t{1} << 53);
}

TEST(Sizes, AreReadStrictly) {
  for (const char* wrong : {"", "MiB", "1 MiB", "1mb", "1K", "1KB", "-1", "1.5MiB", "1MiB ", "0x10"}) {
    EXPECT_EQ(parse_size(wrong).error().message, '"' + std::string(wrong) + "\" is not a size") << wrong;
  }
}

TEST(Sizes, EndAtTwoToThe53) {
  EXPECT_TRUE(parse_size("9007199254740992").has_value());
  for (const char* wrong : {"9007199254740993", "8193TiB", "99999999999999999999999999", "18446744073709551615TiB"}) {
    EXPECT_EQ(parse_size(wrong).error().help, "write at most \"8192TiB\"") << wrong;
  }
}

TEST(Sizes, AreWrittenInTheirShortestExactForm) {
  EXPECT_EQ(size_text(1 << 20), "1MiB");
  EXPECT_EQ(size_text(65'536), "64KiB");
  EXPECT_EQ(size_text(500'000), "500kB");
  EXPECT_EQ(size_text(2'000'000'000), "2GB");
  EXPECT_EQ(size_text(1'537), "1537");
  EXPECT_EQ(size_text(0), "0");
  for (const std::uint64_t bytes : {1ULL, 999ULL, 1'000ULL, 1'024ULL, 61'440ULL, 5'000'000ULL, 1ULL << 53}) {
    EXPECT_EQ(*parse_size(size_text(bytes)), bytes);
  }
}

TEST(Literals, AreCutInMessagesBetweenCharacters) {
  const auto message = parse_size(std::string(59, 'x') + "\xC3\xA4 and more").error().message;
  EXPECT_EQ(message, '"' + std::string(59, 'x') + "...\" is not a size");
}

TEST(EditDistance, CountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("burst", "burst"), 0U);
  EXPECT_EQ(edit_distance("brust", "burst"), 1U);
  EXPECT_EQ(edit_distance("bust", "burst"), 1U);
  EXPECT_EQ(edit_distance("burrst", "burst"), 1U);
  EXPECT_EQ(edit_distance("burnt", "burst"), 1U);
  EXPECT_EQ(edit_distance("", "burst"), 5U);
  EXPECT_EQ(edit_distance("burst", ""), 5U);
  EXPECT_EQ(edit_distance("BURST", "burst"), 0U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // optimal string alignment: a swapped pair is not edited again
}

TEST(EditDistance, DoesNotWorkThroughTextThatIsNoMisspelling) {
  const std::string endless(10'000'000, 'x');
  EXPECT_EQ(edit_distance(endless, endless), endless.size());
}

TEST(Nearest, SuggestsOnlyWhatIsNearEnough) {
  const std::array<std::string, 3> known{"rate", "burst", "per"};
  EXPECT_EQ(nearest("brust", known), "burst");
  EXPECT_EQ(nearest("Rate", known), "rate");
  EXPECT_EQ(nearest("algorithm", known), "");
}

}  // namespace
}  // namespace headgate
