#include "files.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace headgate::config {
namespace {

TEST(Rendering, OfNothingIsNothing) {
  EXPECT_EQ(render_text({}, "f", "{}"), "");
  EXPECT_EQ(render_json({}, "f"), "[]\n");
}

TEST(Rendering, AsJsonHasEveryFieldAnEditorAsksFor) {
  const auto loaded =
      load("{ \"listen\": \":80\", \"lmits\": {}, \"routes\": [{ \"path\": \"/*\", \"respond\": {} }] }");
  const auto json = nlohmann::json::parse(render_json(loaded.diagnostics, "conf/x.json"));
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["file"], "conf/x.json");
  EXPECT_EQ(json[0]["line"], 1);
  EXPECT_EQ(json[0]["column"], 20);
  EXPECT_EQ(json[0]["end_column"], 27);
  EXPECT_EQ(json[0]["pointer"], "/lmits");
  EXPECT_EQ(json[0]["code"], "HG201");
  EXPECT_EQ(json[0]["severity"], "error");
  EXPECT_EQ(json[0]["message"], "unknown key \"lmits\"");
  EXPECT_TRUE(std::string(json[0]["help"]).starts_with("did you mean \"limits\"?"));
}

TEST(Rendering, AsJsonStandsBytesThatAreNotUtf8) {
  const auto loaded = load("{ \"a\xFF\": 1 }");
  EXPECT_GE(nlohmann::json::parse(render_json(loaded.diagnostics, "f")).size(), 2U);
}

TEST(Rendering, EscapesThePointerAsRfc6901Asks) {
  const auto loaded = load(R"({ "a/b~c": 1 })");
  ASSERT_FALSE(loaded.diagnostics.empty());
  EXPECT_EQ(loaded.diagnostics.back().pointer, "/a~1b~0c");
}

TEST(Rendering, StandsPlacesTheSourceDoesNotHave) {
  Diagnostic diagnostic;
  diagnostic.line = 99;
  diagnostic.column = 1'000;
  diagnostic.end_column = 2'000;
  diagnostic.message = "m";
  EXPECT_EQ(render_text({diagnostic}, "f", "{}"), "f:99:1000: error: m\n  99 | \n     | ^\n\n1 error\n");
}

TEST(Rendering, WidensTheGutterForLongFiles) {
  const auto source = std::string(12'344, '\n') + "x";
  const auto text = render_text(load(source).diagnostics, "f", source);
  EXPECT_NE(text.find("\n12345 | x\n      | ^\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace headgate::config
