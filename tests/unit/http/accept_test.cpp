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

TEST(Accept, OfSeveralFieldsIsOneList) {
  TextArena text;
  EXPECT_EQ(accepted({}, Known::accept, text), "");
  const Fields fields{{Known::accept, "Accept", "text/html"},
                      {Known::host, "Host", "a.example"},
                      {Known::accept, "accept", ""},
                      {Known::accept_encoding, "Accept-Encoding", "br"},
                      {Known::accept, "Accept", "*/*;q=0.1"}};
  EXPECT_EQ(accepted(fields, Known::accept, text), "text/html, , */*;q=0.1");
  EXPECT_EQ(accepted(fields, Known::accept_encoding, text), "br");
}

TEST(Accept, OfManyFieldsOnlyTheBeginningIsJoined) {
  TextArena text;
  const std::string almost(kMaxAccept - 1, 'a');
  Fields fields(100, {Known::accept, "Accept", almost});
  EXPECT_EQ(accepted(fields, Known::accept, text), almost + ", " + almost);
  const std::string long_one(2 * kMaxAccept, 'a');
  fields.assign(2, {Known::accept, "Accept", long_one});
  EXPECT_EQ(accepted(fields, Known::accept, text).size(), kMaxAccept);
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
  EXPECT_FALSE(names_type(many + "text/html", "text/html"));
  EXPECT_EQ(quality_of(std::string(kMaxAccept, ' ') + "text/html", "text/html"), 0U);
}

TEST(Accept, NamesATypeThatStandsInItWithAWeightAboveNothing) {
  struct Row {
    const char* accept;
    bool named;
  };
  for (const auto& row : std::initializer_list<Row>{{"a/text", true},
                                                    {"A/Text", true},
                                                    {" \tb/c ,\t a/text ;level=1 ; q=0.001", true},
                                                    {"a/text;level=1", true},
                                                    {"a/text;q=x", true},
                                                    {"a/text;q=0", false},
                                                    {"a/text ; Q=0.000 , */*", false},
                                                    {"a/text;level=1;q=0", false},
                                                    {"a/text;q=0, a/text", false},
                                                    {"a/text, a/text;q=0", true},
                                                    {"a/*, */*", false},
                                                    {"", false},
                                                    {"b/c;x=a/text", false},
                                                    {"x-a/text, a/text2, a/tex, a/text+b", false}})
    EXPECT_EQ(names_type(row.accept, "a/text"), row.named) << row.accept;
}

TEST(Accept, NamesATypeAlsoWithASuffixWhereThatIsAsked) {
  for (const auto* const accept :
       {"a/text", "a/text+proto", "b/c, A/TEXT+Proto;q=0.5", "a/text+", "a/text+proto;q=0, a/text"})
    EXPECT_TRUE(names_type(accept, "a/text", Suffixed::yes)) << accept;
  for (const auto* const accept : {"a/text+proto;q=0", "a/text2+proto", "a/texts", "x-a/text+proto", "a/+text", "*/*"})
    EXPECT_FALSE(names_type(accept, "a/text", Suffixed::yes)) << accept;
}

TEST(Accept, IsOneListInAllItsFields) {
  const auto names = [](std::initializer_list<Field> fields) { return names_type(Fields(fields), "a/text"); };
  const auto accept = [](std::string_view value) { return Field{Known::accept, "Accept", value}; };
  EXPECT_TRUE(names({accept("b/c"), accept("d/e, a/text")}));
  EXPECT_FALSE(names({accept("b/c, a/text;q=0"), accept("a/text")})) << "the first one counts";
  EXPECT_FALSE(names({accept("b/c"), {Known::content_type, "Content-Type", "a/text"}}));
  EXPECT_FALSE(names({}));
}

TEST(AcceptEncoding, SaysHowGladlyACodingIsTaken) {
  struct Row {
    const char* accept;
    const char* coding;
    std::optional<unsigned> quality;
  };
  for (const auto& row : std::initializer_list<Row>{{"gzip", "gzip", 1000},
                                                    {"gzip", "br", std::nullopt},
                                                    {"", "gzip", std::nullopt},
                                                    {"gzip;q=0", "gzip", 0},
                                                    {"*", "br", 1000},
                                                    {"*;q=0", "br", 0},
                                                    {"gzip;q=0.5, *;q=0.1", "gzip", 500},
                                                    {"gzip;q=0.5, *;q=0.1", "br", 100},
                                                    {"*;q=0.1, gzip;q=0.5", "gzip", 500},
                                                    {"GZip ; Q=0.25", "gzip", 250},
                                                    {"x-gzip", "gzip", 1000},
                                                    {"X-GZIP;q=0", "gzip", 0},
                                                    {"gzip2, xgzip, gzi", "gzip", std::nullopt},
                                                    {"br;q=0, br", "br", 0},
                                                    {"identity;q=0, *", "identity", 0},
                                                    {"gzip,deflate,br,zstd", "br", 1000},
                                                    {";;,,br", "br", 1000}})
    EXPECT_EQ(coding_quality(row.accept, row.coding), row.quality) << row.accept << " for " << row.coding;
}

TEST(AcceptEncoding, WhatStandsBehindAThousandBytesIsNotRead) {
  EXPECT_EQ(coding_quality(std::string(2000, ' ') + "br", "br"), std::nullopt);
  std::string many;
  for (unsigned i = 0; i < kMaxAcceptRanges; ++i) many += "a,";
  EXPECT_EQ(coding_quality(many + "br", "br"), std::nullopt);
}

}  // namespace
}  // namespace headgate::http
