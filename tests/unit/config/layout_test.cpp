// headgate fmt: what it does to a text, and that it loses nothing of any.

#include "headgate/config/layout.hpp"

#include "config/layout/tree.hpp"
#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>

namespace headgate::config {
namespace {

std::string laid_out(std::string_view source) {
  const auto out = lay_out(source);
  return out.text.value_or("mistakes");
}

/// Laid out once more it must stay.
std::string stable(std::string_view source) {
  auto out = laid_out(source);
  EXPECT_EQ(laid_out(out), out);
  return out;
}

TEST(Layout, SpacesWhatIsOnOneLine) {
  EXPECT_EQ(stable(R"({"a":1,"b":[1,2],"c":{},"d":[ ],"e":[{"f":true}]})"),
            "{ \"a\": 1, \"b\": [1, 2], \"c\": {}, \"d\": [], \"e\": [{ \"f\": true }] }\n");
}

TEST(Layout, KeepsTheLinesThatAnAuthorHasChosen) {
  const std::string_view source = R"({
  "one": { "a": 1, "b": 2 },
  "many": {
    "a": 1,
    "b": 2
  },

  "hanging": { "name": "x", "list": [1, 2],
               "more": true },
  "mixed": [{ "deep": [
    1,
    2
  ] }]
}
)";
  EXPECT_EQ(stable(source), source);
}

TEST(Layout, IndentsByTwoAndKeepsOneBlankLine) {
  EXPECT_EQ(stable("{\n\n      \"a\":\t1,\r\n\n\n\n\"b\" : [\n1,\n   2]\n\n}"),
            "{\n  \"a\": 1,\n\n  \"b\": [\n    1,\n    2\n  ]\n}\n");
}

TEST(Layout, KeepsEveryCommentAndTrailingCommas) {
  const std::string_view source = R"(// first
/* second
   of two lines */
{
  // own
  "a": 1,  // behind
  /* beside */ "b": [1 /* one */, 2, /* three */ 3],
  "c": {  // open
    "d": null,
    // last
  },
  "e": { /* nothing */ }

  // end
}
// after
)";
  EXPECT_EQ(stable(source), R"(// first
/* second
   of two lines */
{
  // own
  "a": 1,  // behind
  /* beside */ "b": [1 /* one */, 2, /* three */ 3],
  "c": {  // open
    "d": null,
    // last
  },
  "e": {
    /* nothing */
  }

  // end
}
// after
)");
}

TEST(Layout, MovesACommentBetweenAKeyAndItsValueInFrontOfBoth) {
  EXPECT_EQ(stable("{ \"a\": // why\n 1 // how\n , // too\n \"b\": 2 }"),
            "{\n  // why\n  \"a\": 1,  // how\n  // too\n  \"b\": 2\n}\n");
}

TEST(Layout, AlignsValuesWhereTheAuthorHasBegunTo) {
  EXPECT_EQ(stable("{\n\"url\":  1,\n// why\n\"timeout\": 2,\n\n\"x\": 3,\n\"long\": 4\n}"),
            "{\n  \"url\":     1,\n  // why\n  \"timeout\": 2,\n\n  \"x\": 3,\n  \"long\": 4\n}\n");
}

TEST(Layout, AlignsTheColumnsOfRowsWhereTheAuthorHasBegunTo) {
  EXPECT_EQ(stable(R"([
  { "path": "/checkout/*", "to": "app", "priority": "critical" },
  { "path": "/*",  "to": "app" },
  { "other": 1 }
])"),
            R"([
  { "path": "/checkout/*", "to": "app", "priority": "critical" },
  { "path": "/*",          "to": "app" },
  { "other": 1 }
]
)");
}

TEST(Layout, AlignsCommentsBehindLinesWhereTheAuthorHasBegunTo) {
  EXPECT_EQ(stable("{\n\"a\": 1,    // one\n\"bcd\": 2, // two\n\n\"e\": 3 // three\n}"),
            "{\n  \"a\": 1,    // one\n  \"bcd\": 2,  // two\n\n  \"e\": 3  // three\n}\n");
}

TEST(Layout, BreaksLinesThatAreTooLong) {
  const std::string url(40, 'u');
  EXPECT_EQ(stable(R"({ "listen": ":1", "servers": [")" + url + R"(", ")" + url + R"(", ")" + url + R"("] })"),
            "{\n  \"listen\": \":1\",\n  \"servers\": [\"" + url + "\", \"" + url + "\",\n              \"" + url +
                "\"]\n}\n");
  const auto minified = stable(R"({"limits":{"a":{"rate":"5/s"},"b":{"rate":"6/s"}},"routes":[{"path":"/a","to":"app",)"
                               R"("limits":["a","b"],"methods":["GET","POST","PUT","DELETE"],"name":"everything"}]})");
  EXPECT_EQ(minified, R"({
  "limits": { "a": { "rate": "5/s" }, "b": { "rate": "6/s" } },
  "routes": [
    { "path": "/a", "to": "app", "limits": ["a", "b"], "methods": ["GET", "POST", "PUT", "DELETE"],
      "name": "everything" }
  ]
}
)");
}

TEST(Layout, RefusesWhatIsNoJsonWithItsPlace) {
  const auto out = lay_out("{\n  \"a\": 1\n  \"b\": 2\n}");
  EXPECT_FALSE(out.text);
  ASSERT_EQ(out.mistakes.size(), 1U);
  EXPECT_EQ(out.mistakes.front().line, 3U);
  EXPECT_FALSE(lay_out("{ \"a\": 1, \"a\": 2 }").text) << "one of the two would be lost by whoever reads it";
  EXPECT_FALSE(lay_out("").text);
  EXPECT_FALSE(lay_out("{ \"a\": \"\xFF\" }").text);
}

/// What is shipped, and what is wrong in every other way.
std::vector<std::filesystem::path> all_files() {
  auto out = shipped_configurations();
  for (const char* folder : {"conf/examples/teams", "tests/unit/config/faults", "tests/unit/config/silent"})
    for (const auto& each : files_in(folder, ".json")) out.push_back(each);
  return out;
}

TEST(Layout, IsThatOfTheFilesThatAreShipped) {
  for (const auto& each : shipped_configurations()) EXPECT_EQ(laid_out(content(each)), content(each)) << each;
  for (const auto& each : files_in("conf/examples/teams", ".json")) EXPECT_EQ(laid_out(content(each)), content(each));
}

TEST(Layout, ChangesNothingThatIsLoaded) {
  std::size_t seen = 0;
  for (const auto& each : all_files()) {
    const auto source = content(each);
    const auto out = lay_out(source);
    if (!out.text) continue;
    ++seen;
    EXPECT_EQ(laid_out(*out.text), *out.text) << each;
    const auto before = load(source, each.parent_path().string());
    const auto after = load(*out.text, each.parent_path().string());
    EXPECT_EQ(before.config.has_value(), after.config.has_value()) << each;
    if (before.config && after.config) {
      EXPECT_EQ(before.config->fingerprints, after.config->fingerprints) << each;
    }
    EXPECT_EQ(before.diagnostics.size(), after.diagnostics.size()) << each;
  }
  EXPECT_GT(seen, 150U);
}

/// The tokens of a text, with blanks, line ends and comments in all places between them.
std::string scattered(const LayoutContent& content, std::minstd_rand& random) {
  static constexpr std::string_view kBetween[] = {"",
                                                  " ",
                                                  "   ",
                                                  "\n",
                                                  "\n\n\n",
                                                  "\t",
                                                  "\r\n",
                                                  "/*c*/",
                                                  " /* c */  ",
                                                  "// c\n",
                                                  " // c\n\n",
                                                  "\n//c\n",
                                                  "\n/* a\n  b */\n",
                                                  " /* a\n b */ ",
                                                  "/*c*/\n",
                                                  "    // c\n",
                                                  " /*c*/ /*d*/ ",
                                                  "\n\n/*c*/ "};
  const auto density = random() % 5;
  std::string out;
  for (const auto& token : content.tokens) {
    out += token;
    const bool word = out.back() != '{' && out.back() != '[' && out.back() != ',' && out.back() != ':';
    if (random() % 10 < density)
      out += kBetween[random() % std::size(kBetween)];
    else if (word)
      out += ' ';
  }
  return out;
}

TEST(Layout, LosesNothingHoweverATextIsScattered) {
  std::minstd_rand random(24);
  const auto files = shipped_configurations();
  for (std::size_t i = 0; i < 60; ++i) {
    const auto source = scattered(content_of(content(files[i % files.size()])), random);
    const auto out = lay_out(source);
    ASSERT_TRUE(out.text) << render_text(out.mistakes, "f", source) << source;
    ASSERT_EQ(laid_out(*out.text), *out.text) << source;
    ASSERT_EQ(content_of(*out.text), content_of(source)) << source;
  }
}

TEST(Layout, BearsWhatIsDeepOrLong) {
  std::string deep(64, '[');
  deep += std::string(64, ']');
  EXPECT_EQ(content_of(stable(deep)), content_of(deep));
  EXPECT_EQ(laid_out('[' + deep + ']'), "mistakes");
  std::string wide = "[0";
  for (int i = 0; i < 2'000; ++i) wide += ",{\"a\":1}";
  EXPECT_EQ(std::ranges::count(stable(wide + ']'), '\n'), 2'003);
}

}  // namespace
}  // namespace headgate::config
