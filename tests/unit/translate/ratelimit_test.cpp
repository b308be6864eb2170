// Details of the importer of Envoy's reference rate limit service: what it does not understand rejects.

#include "imported_text.hpp"

#include <string>

namespace headgate::translate {
namespace {

class RatelimitText : public ImportedText {
 protected:
  /// The descriptors of a domain, as YAML in one line each.
  Translated with(const std::string& descriptors) const {
    return of("edge.yaml", "domain: edge\ndescriptors:\n" + descriptors);
  }
};

TEST_F(RatelimitText, RejectsAtAndBelowARateThatItDoesNotUnderstand) {
  const auto got = with(
      "- { key: odd, rate_limit: { unit: fortnight, requests_per_unit: 5 }, descriptors: [{ key: path, rate_limit: "
      "{ unit: day, requests_per_unit: 9 } }] }\n");
  EXPECT_TRUE(has(got, R"("match": { "odd": "*" }, "limits": [], "reject": true)")) << got.text;
  EXPECT_TRUE(has(got, R"("match": { "odd": "*", "path": "*" }, "limits": [], "reject": true)")) << got.text;
  EXPECT_FALSE(got.complete());
}

TEST_F(RatelimitText, RejectsBelowAWordThatItDoesNotKnow) {
  const auto got = with("- { key: a, window: sliding, descriptors: [{ key: b }] }\n");
  EXPECT_TRUE(has(got, R"("match": { "a": "*", "b": "*" }, "limits": [], "reject": true)")) << got.text;
  EXPECT_FALSE(got.complete());
}

TEST_F(RatelimitText, RejectsANumberThatTheServiceReadsOtherwise) {
  const auto got = with("- { key: a, rate_limit: { unit: day, requests_per_unit: 010 } }\n");
  EXPECT_TRUE(has(got, R"("reject": true)")) << got.text;
  EXPECT_FALSE(got.complete());
}

TEST_F(RatelimitText, ReplacesNothingWithoutAName) {
  const auto got = with(
      "- { key: a, rate_limit: { unit: day, requests_per_unit: 5 } }\n"
      "- { key: b, rate_limit: { unit: day, requests_per_unit: 5, replaces: [foo] } }\n");
  EXPECT_FALSE(has(got, R"("replaces":)")) << got.text;
  EXPECT_FALSE(got.complete());
}

}  // namespace
}  // namespace headgate::translate
