// Rows that say where their values go: one walk fills options of every kind, and what is not written stays.

#include "../../../src/config/rows.hpp"

#include "../../../src/config/table_shapes.hpp"
#include "../../../src/config/text/document.hpp"
#include "../../../src/config/text/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace headgate::config {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

enum class Colour { red, green };
struct Inner {
  std::uint32_t count = 3;
  Duration every = seconds(5);
};
struct Outer {
  bool on = true;
  std::string name = "none";
  std::uint64_t bytes = 500;
  Colour colour = Colour::green;
  std::vector<std::string> words{"a", "b"};
  std::optional<Duration> limit;
  std::uint32_t share = 0;
  Inner inner;
  std::optional<Inner> maybe;
};
struct Another {
  std::string name = "its own";
};

constexpr std::string_view kColours[] = {"red", "green"};
constexpr Shape kColour = choice(kColours);
constexpr Shape kBytes = size(0, 1UL << 30);
constexpr Shape kCount = integer(0, 100);
constexpr Shape kWords = list("words", kText, 0);
constexpr const Shape* kWordForms[] = {&kText, &kWords};
constexpr Shape kWordOrWords = either("a word or words", kWordForms);
constexpr Key kInnerKeys[] = {
    {"count", &kCount, kOfOptions, "1", "", into<&Inner::count>},
    {"every", &kDuration, kOfOptions, "", "", into<&Inner::every>},
};
constexpr Section kInner{"inner", "inner", "", kInnerKeys};
constexpr Shape kInnerShape = section(kInner);
constexpr Key kOuterKeys[] = {
    {"on", &kBoolean, kOfOptions, "", "", into<&Outer::on>},
    {"name", &kText, kOfOptions, "", "", into<&Outer::name>},
    {"bytes", &kBytes, kOfOptions, "", "", into<&Outer::bytes>},
    {"colour", &kColour, kOfOptions, "", "", into<&Outer::colour>},
    {"words", &kWordOrWords, kOfOptions, "", "", into<&Outer::words>},
    {"limit", &kDuration, "", "", "", into<&Outer::limit>},
    {"share", &kText, "", "", "", read_into<&parse_share, &Outer::share>},
    {"inner", &kInnerShape, "", "", "", into<&Outer::inner>},
    {"far", &kCount, kOfOptions, "", "", into<&Outer::inner, &Inner::count>},
    {"maybe", &kInnerShape, "", "", "", into<&Outer::maybe>},
    {"other", &kText, kOfOptions, "", "", into<&Another::name>, required},
    {"by_hand", &kText, "usual", "", ""},
};
constexpr Section kOuter{"outer", "outer", "", kOuterKeys};

template <class Options>
Options filled(const std::string& source) {
  Report report(source, {});
  const auto parsed = parse(source, report);
  Options out;
  fill(parsed.document.root, kOuter, out);
  return out;
}

TEST(Rows, FillOptionsOfEveryKind) {
  const auto out = filled<Outer>(R"({ "on": false, "name": "x", "bytes": "2KiB", "colour": "red", "words": ["c", "d"],
    "limit": "2s", "share": "20%", "inner": { "count": 7 }, "maybe": { "every": "1s" } })");
  EXPECT_FALSE(out.on);
  EXPECT_EQ(out.name, "x");
  EXPECT_EQ(out.bytes, 2048U);
  EXPECT_EQ(out.colour, Colour::red);
  EXPECT_THAT(out.words, ElementsAre("c", "d"));
  EXPECT_EQ(out.limit, seconds(2));
  EXPECT_EQ(out.share, 200'000U);
  EXPECT_EQ(out.inner.count, 7U);
  EXPECT_EQ(out.inner.every, seconds(5));
  ASSERT_TRUE(out.maybe);
  EXPECT_EQ(out.maybe->count, 3U) << "the rest of it is as usual";
  EXPECT_EQ(out.maybe->every, seconds(1));
}

TEST(Rows, ReachAMemberOfAMemberAndAListOfOne) {
  const auto out = filled<Outer>(R"({ "far": 9, "words": "c" })");
  EXPECT_EQ(out.inner.count, 9U);
  EXPECT_THAT(out.words, ElementsAre("c"));
}

TEST(Rows, LeaveWhatIsNotWrittenOrIsOfAnotherType) {
  for (const std::string source :
       {"{}", "[]", R"("text")",
        R"({ "on": 1, "name": 2, "bytes": "many", "colour": "blue", "words": 7, "limit": "long",
          "share": "all", "inner": "off", "far": -1, "maybe": [] })"}) {
    const auto out = filled<Outer>(source);
    EXPECT_TRUE(out.on) << source;
    EXPECT_EQ(out.name, "none");
    EXPECT_EQ(out.bytes, 500U);
    EXPECT_EQ(out.colour, Colour::green);
    EXPECT_THAT(out.words, ElementsAre("a", "b"));
    EXPECT_FALSE(out.limit);
    EXPECT_EQ(out.share, 0U);
    EXPECT_EQ(out.inner.count, 3U);
    EXPECT_FALSE(out.maybe);
  }
}

TEST(Rows, OfOneSectionMayFillSeveralOptions) {
  const std::string source = R"({ "name": "x", "other": "y" })";
  EXPECT_EQ(filled<Outer>(source).name, "x");
  EXPECT_EQ(filled<Another>(source).name, "y");
}

TEST(Rows, SayWhatTheOptionsHoldByDefault) {
  std::vector<std::string> fallbacks;
  for (const Key& key : kOuterKeys) fallbacks.push_back(fallback_of(key));
  EXPECT_THAT(fallbacks,
              ElementsAre("true", "none", "500B", "green", R"(["a", "b"])", "", "", "", "3", "", "its own", "usual"));
  EXPECT_EQ(fallback_of(kInnerKeys[1]), "5s");
}

}  // namespace
}  // namespace headgate::config
