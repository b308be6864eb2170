#include "headgate/http/accept.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::http {
namespace {

TEST(Accept, TheMostSpecificRangeDecides) {
  constexpr std::string_view kAccept = "text/*;q=0.3, text/html;q=0.7, */*;q=0.5";
  EXPECT_EQ(quality_of(kAccept, "text/html"), 700U);
  EXPECT_EQ(quality_of(kAccept, "text/plain"), 300U);
  EXPECT_EQ(quality_of(kAccept, "application/json"), 500U);
  EXPECT_EQ(quality_of("text/html;q=0, */*", "text/html"), 0U);
}

TEST(Accept, WhatNoRangeFitsIsNotTaken) {
  EXPECT_EQ(quality_of("text/html", "application/json"), 0U);
  EXPECT_EQ(quality_of("", "text/html"), 0U);
  EXPECT_EQ(quality_of("text", "text/html"), 0U);
  EXPECT_EQ(quality_of("/*", "text/html"), 0U);
  EXPECT_EQ(quality_of("text/htm*", "text/html"), 0U);
}

TEST(Accept, CaseAndSpacesDoNotMatter) {
  EXPECT_EQ(quality_of("TEXT/Html ; level=1 ; Q=0.25", "text/html"), 250U);
  EXPECT_EQ(quality_of(" , ,text/html", "text/html"), 1000U);
}

TEST(Accept, AWeightHasThreeDigitsOrCountsAsOne) {
  for (const auto& [written, weight] : std::initializer_list<std::pair<const char*, unsigned>>{{"0", 0},
                                                                                               {"0.", 0},
                                                                                               {"0.0", 0},
                                                                                               {"0.5", 500},
                                                                                               {"0.125", 125},
                                                                                               {"1", 1000},
                                                                                               {"1.000", 1000},
                                                                                               {"1.5", 1000},
                                                                                               {"2", 1000},
                                                                                               {"", 1000},
                                                                                               {"0.1234", 1000},
                                                                                               {"-1", 1000},
                                                                                               {"x", 1000},
                                                                                               {"0x", 1000}})
    EXPECT_EQ(quality_of("text/html;q=" + std::string(written), "text/html"), weight) << written;
}

TEST(Accept, IsReadNoFurtherThanItsBound) {
  std::string many;
  for (unsigned i = 0; i < kMaxAcceptRanges; ++i) many += "a/b,";
  EXPECT_EQ(quality_of(many + "text/html", "text/html"), 0U);
  EXPECT_EQ(quality_of(std::string(kMaxAccept, ' ') + "text/html", "text/html"), 0U);
}

}  // namespace
}  // namespace headgate::http
