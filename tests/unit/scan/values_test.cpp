// Values at pointers of documents of JSON.

#include "support/scanned.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace headgate::scan {
namespace {

using test::Scanned;

using Kind = Found::Kind;

TEST(Values, AreFoundAtTheirPointers) {
  Scanned scanned({"/model", "/usage/total", "/list/1", "/no", "/flag", "/nothing", "+/messages/*/content", ""});
  const auto& scan = scanned.whole(R"({"model":"gpt\u002d4","usage":{"total":12.5},"list":[1,"two",3],"flag":true,)"
                                   R"("nothing":null,"messages":[{"content":"abc"},{"content":"\u20ac"}]})");
  EXPECT_FALSE(scan.malformed());
  EXPECT_EQ(scan.documents(), 1U);
  EXPECT_EQ(scan.found(0).kind, Kind::text);
  EXPECT_EQ(scan.found(0).text, "gpt-4");
  EXPECT_EQ(scan.found(1).kind, Kind::number);
  EXPECT_EQ(scan.found(1).number, 13);
  EXPECT_EQ(scan.found(2).text, "two");
  EXPECT_EQ(scan.found(3).kind, Kind::absent);
  EXPECT_EQ(scan.found(4).kind, Kind::boolean);
  EXPECT_TRUE(scan.found(4).truth);
  EXPECT_EQ(scan.found(5).kind, Kind::null);
  EXPECT_EQ(scan.found(6).number, 6);
  EXPECT_EQ(scan.found(7).kind, Kind::structure);
  EXPECT_EQ(scan.text_bytes(), 5U + 3U + 6U);
  EXPECT_EQ(scan.found(8).kind, Kind::absent) << "there is no such index";
  for (std::size_t i = 0; i < 8; ++i) EXPECT_FALSE(scan.found(i).repeated) << i;
}

TEST(Values, ThatAreTextsNumbersOrNullHaveAPlaceInTheBody) {
  Scanned scanned({"/a", "/b/c", "/n", "/t", ""});
  const std::string_view body = R"( {"t":"x\"y","a" : -1.5e3 ,"b":{"c":42},"n":null})";
  const auto& scan = scanned.whole(body);
  EXPECT_EQ(body.substr(scan.found(0).at, scan.found(0).size), "-1.5e3");
  EXPECT_EQ(body.substr(scan.found(1).at, scan.found(1).size), "42");
  EXPECT_EQ(body.substr(scan.found(2).at, scan.found(2).size), "null");
  EXPECT_EQ(body.substr(scan.found(3).at, scan.found(3).size), R"("x\"y")");
  Scanned root({""});
  EXPECT_EQ(root.first(" 12345").at, 1U);
  EXPECT_EQ(root.first(" 12345").size, 5U) << "the number ends with the body";
}

TEST(Values, AreAtTheRootToo) {
  Scanned root({""});
  EXPECT_EQ(root.first("5").number, 5);
  EXPECT_EQ(root.first(" \"x\" ").text, "x");
  EXPECT_EQ(root.first("[]").kind, Kind::structure);
  EXPECT_EQ(root.first("null").kind, Kind::null);
}

TEST(Values, AreNotFoundUnderOtherPointers) {
  Scanned scanned({"/a/b", "/list/01", "/list/-", "/list/2", "/a/0"});
  const auto& scan = scanned.whole(R"({"b":1,"x":{"a":{"b":2}},"a":{"c":{"b":3}},"list":[4,5],"a/b":6})");
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(scan.found(i).kind, Kind::absent) << i;
}

TEST(Values, HaveNamesWithSlashesAndDigits) {
  Scanned scanned({"/a~1b/~0", "/", "/0", "/ä"});
  const auto& scan = scanned.whole("{\"a/b\":{\"~\":1},\"\":2,\"0\":3,\"\xc3\xa4\":4}");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(scan.found(i).number, static_cast<std::int64_t>(i) + 1);
}

TEST(Values, AreTheLastOnesThatAreNotNull) {
  Scanned scanned({"/usage/total", "/*/n"});
  const auto& scan = scanned.whole(R"([{"n":1},{"n":7},{"n":null}])");
  EXPECT_EQ(scan.found(1).number, 7);
  EXPECT_FALSE(scan.found(1).repeated) << "each object has one";
}

TEST(Values, AreTextsUpToAMaximum) {
  Scanned scanned({"/a"});
  const std::string most(kMaxText, 'x');
  EXPECT_EQ(scanned.first("{\"a\":\"" + most + "\"}").text, most);
  EXPECT_FALSE(scanned.scan().found(0).cut);
  EXPECT_EQ(scanned.first("{\"a\":\"" + most + "y\"}").text, most);
  EXPECT_TRUE(scanned.scan().found(0).cut);
  const auto& found = scanned.first("{\"a\":\"" + most.substr(1) + "\xe2\x82\xac\"}");
  EXPECT_EQ(found.text, most.substr(1)) << "it does not end within a character";
  EXPECT_TRUE(found.cut);
}

TEST(Values, DoNotRemainForTheNextBody) {
  Scanned scanned({"/a"});
  EXPECT_EQ(scanned.first(R"({"a":1,"a":2})").number, 2);
  const auto& found = scanned.first("{}");
  EXPECT_EQ(found.kind, Kind::absent);
  EXPECT_FALSE(found.repeated);
  EXPECT_EQ(found.number, 0);
}

TEST(Values, HaveNothingOfTheValueBefore) {
  Scanned scanned({"/*"});
  const auto& found = scanned.first(R"([5,true,"text"])");
  EXPECT_EQ(found.kind, Kind::text);
  EXPECT_EQ(found.number, 0);
  EXPECT_FALSE(found.truth);
  scanned.first(R"(["text",5])");
  EXPECT_EQ(found.text, "");
  EXPECT_EQ(found.number, 5);
}

TEST(Values, OfNumbersAreRoundedUpExactly) {
  const std::pair<std::string_view, std::int64_t> cases[] = {
      {"0", 0},
      {"-0", 0},
      {"-0.0e-5", 0},
      {"1e3", 1000},
      {"1E+3", 1000},
      {"100.0", 100},
      {"1.5", 2},
      {"-1", -1},
      {"-1.5", -1},
      {"-0.5", 0},
      {"0.1", 1},
      {"1e-400", 1},
      {"0e400", 0},
      {"0.0000", 0},
      {"12345e-2", 124},
      {"12300e-2", 123},
      {"1.000000000000000000000000000000000001", 2},
      {"1.0000000000000000000000000000000000000", 1},
      {"0.00000000000000000000000000001e29", 1},
      {"0.000000000000000000000000000011e29", 2},
      {"100000000000000000000000000000000000e-32", 1000},
      {"100000000000000000000000000000000001e-32", 1001},
      {"999999999999999", 999'999'999'999'999},
      {"999999999999999.1", kMaxNumber},
      {"1e15", kMaxNumber},
      {"1e400", kMaxNumber},
      {"-1e400", -kMaxNumber},
      {"18446744073709551617", kMaxNumber},
      {"1e99999999999999999999", kMaxNumber},
      {"1e-99999999999999999999", 1},
      {"0e99999999999999999999", 0},
  };
  Scanned scanned({"/a", ""});
  for (const auto& [text, number] : cases) {
    const auto& found = scanned.first("{\"a\":" + std::string(text) + "}");
    EXPECT_EQ(found.kind, Kind::number) << text;
    EXPECT_EQ(found.number, number) << text;
    EXPECT_EQ(scanned.whole(text).found(1).number, number) << text;
    EXPECT_FALSE(scanned.scan().malformed()) << text;
  }
}

TEST(Values, AreCountedAsTextAndBlocks) {
  Scanned scanned({"/n"});
  const auto counts = [&](const std::string& text) {
    const auto& scan = scanned.whole("{\"not counted as text\":\"" + text + "\"}");
    EXPECT_FALSE(scan.malformed()) << text;
    return std::pair(scan.blocks(), scan.text_bytes());
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  const std::string least(kMinBlock, 'A');
  EXPECT_EQ(counts(least), Counts(1, 0));
  EXPECT_EQ(counts(least.substr(1)), Counts(0, kMinBlock - 1));
  EXPECT_EQ(counts(least + "+/-_09az=="), Counts(1, 0));
  EXPECT_EQ(counts(least + "\\/\\r\\n\\u002b\\u003D\\n"), Counts(1, 0));
  EXPECT_EQ(counts(least + "=A"), Counts(0, kMinBlock + 2));
  EXPECT_EQ(counts(least + " "), Counts(0, kMinBlock + 1));
  EXPECT_EQ(counts(least + "\xc3\xa4"), Counts(0, kMinBlock + 2));
  EXPECT_EQ(counts("data:image/png;base64," + least), Counts(1, 0));
  EXPECT_EQ(counts("data:image\\/png;base64," + least), Counts(1, 0));
  EXPECT_EQ(counts("data:write a poem, " + least).first, 0U);
  EXPECT_EQ(counts("data:" + least).first, 0U) << "a header without end";
  EXPECT_EQ(counts("date:image/png;base64," + least).first, 0U);
}

TEST(Values, CountElementsOfABatch) {
  Scanned scanned({"/n"});
  const auto elements = [&](std::string_view json) { return scanned.whole(json).elements(); };
  EXPECT_EQ(elements("[]"), 0U);
  EXPECT_EQ(elements(R"([{"id":[1,2]},[3,4,5],"x"])"), 3U);
  EXPECT_EQ(elements(R"({"a":[1,2]})"), 0U);
  EXPECT_EQ(elements("7"), 0U);
}

}  // namespace
}  // namespace headgate::scan
