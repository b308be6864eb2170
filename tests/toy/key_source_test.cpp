// A source of keys is one file. With the file in tests/toy/key_sources, every list of key sources has one more entry,
// and the tests for every source run with it as well.
#include "../../src/gateway/limits/limit_key.hpp"
#include "support/per.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

using testing::HasSubstr;

std::string counted_by(const std::string& per, const std::string& more = R"(, "if_absent": "client_ip")") {
  return R"({
    "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
    "limits": { "plan": { "rate": "10/minute", "per": ")" +
         per + '"' + more + R"( } },
    "routes": [{ "path": "/*", "to": "app", "limits": ["plan"] }] })";
}

TEST(ToyKeySource, MayBeWrittenInAFile) {
  const auto text = counted_by("raw_query");
  const auto loaded = config::load(text);
  ASSERT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "f", text);
  EXPECT_EQ(loaded.config->limits.at(0).per, std::vector{make_per("raw_query")});
  EXPECT_THAT(config::meaning(*loaded.config, "f"), HasSubstr("each query: 10 requests"));
}

TEST(ToyKeySource, IsInTheSchemaInTheReferenceAndInWhatAMistakeIsTold) {
  EXPECT_THAT(config::schema(), HasSubstr("`path:<parameter>`, `query:<name>`, `raw_query`, `route`"));
  EXPECT_THAT(config::reference(), HasSubstr("`path:<parameter>`, `query:<name>`, `raw_query`, `route`"));
  const auto loaded = config::load(counted_by("raw_qery"));
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_THAT(loaded.diagnostics[0].help, HasSubstr("did you mean \"raw_query\"?"));
  EXPECT_THAT(loaded.diagnostics[0].help, HasSubstr(", raw_query, "));
}

TEST(ToyKeySource, MustSayWhatBecomesOfACallerWithoutIt) {
  const auto loaded = config::load(counted_by("raw_query", ""));
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_THAT(loaded.diagnostics[0].message, HasSubstr("a request may lack the query, by which limit \"plan\" counts"));
}

TEST(ToyKeySource, IsThePartOfAKeyThatItsFunctionTells) {
  gateway::Exchange x;
  x.request.method = "GET";
  EXPECT_FALSE(gateway::key_of(x, {make_per("raw_query")}));
  EXPECT_EQ(gateway::first_absent(x, {make_per("method"), make_per("raw_query")})->source->missing,
            "The query that requests are counted by is missing.");
  x.request.query = "?a=1";
  EXPECT_EQ(gateway::key_of(x, {make_per("raw_query")}), "?a=1");
  EXPECT_EQ(gateway::key_of(x, {make_per("method"), make_per("raw_query")}), "GET|?a=1");
}

}  // namespace
}  // namespace headgate::test
