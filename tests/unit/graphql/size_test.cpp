// The sizes of GraphQL documents and requests.

#include "headgate/graphql/size.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::graphql {
namespace {

struct SizedDocument {
  std::string name;
  std::string document;
  Size size;
};

class GraphqlSize : public testing::TestWithParam<SizedDocument> {};

TEST_P(GraphqlSize, IsThatOfWhatAServerRuns) { EXPECT_EQ(size_of(GetParam().document), GetParam().size); }

INSTANTIATE_TEST_SUITE_P(
    All, GraphqlSize,
    testing::Values(
        SizedDocument{"one_field", "{ a }", {1, 1, 0}},
        SizedDocument{"nested", "query Q { a { b c { d } } e }", {5, 3, 0}},
        SizedDocument{"aliases", "{ x: a y: a { z : b } }", {3, 2, 3}},
        SizedDocument{"arguments",
                      R"x(query Q($v: [Int!]! = [1, 2], $o: In = {k: "}"}) { a(x: {y: [{z: $v}]}, s: ")") b })x",
                      {2, 1, 0}},
        SizedDocument{"directives", "query @d(a: 1) { a @skip(if: true) { b } ... @include(if: $x) { c } }", {3, 2, 0}},
        SizedDocument{"inline_fragments_add_no_depth", "{ a { ... on T { b } ... { c { d } } } }", {4, 3, 0}},
        SizedDocument{"fragment_at_each_use", "{ a { ...F } b { ...F } } fragment F on T { c d: e }", {6, 2, 2}},
        SizedDocument{"fragment_depth", "{ a { b { ...F } } } fragment F on T { c { d } }", {4, 4, 0}},
        SizedDocument{"largest_operation", "query A { a } query B { b c { d } } mutation { x: e }", {3, 2, 1}},
        SizedDocument{
            "strings_and_comments", "# { {\n{ a(x: \"\"\" } \\\"\"\" { \"\"\", y: \"\\\"}\") # }\n b }", {2, 1, 0}},
        SizedDocument{"commas_and_a_byte_order_mark", "\xEF\xBB\xBF{,a,,b,}", {2, 1, 0}},
        SizedDocument{"keywords_as_names", "{ query fragment: mutation on { on: type } }", {4, 2, 2}},
        SizedDocument{"described", R"("what it is for" query Q { a })", {1, 1, 0}},
        SizedDocument{"unused_fragment", "{ a } fragment F on T { ...F }", {1, 1, 0}}),
    [](const auto& given) { return given.param.name; });

TEST(GraphqlDocument, IsMalformedIfAServerWouldRefuseToReadIt) {
  for (const std::string document : {"",
                                     "a",
                                     "{",
                                     "{}",
                                     "{ a { } }",
                                     "{ a",
                                     "{ a } }",
                                     "{ a(x: 1 }",
                                     "{ a(x: [1) }",
                                     "{ : a }",
                                     "{ a: }",
                                     "{ ...F }",
                                     "{ ...F } fragment F on T { ...G } fragment G on T { ...F }",
                                     "{ ...F } fragment F on T { a } fragment F on T { b }",
                                     "fragment F on T { a }",
                                     "subscribe { a }",
                                     "{ a \"b }",
                                     "{ a \"\"\"b }",
                                     "{ a ? }",
                                     "query Q Q { a }",
                                     "1 { a }",
                                     "{ ... on }",
                                     "{ a @ }",
                                     "fragment on T { a }"})
    EXPECT_EQ(size_of(document), std::nullopt) << document;
}

TEST(GraphqlDocument, EndsABlockStringWhereServersDo) {
  EXPECT_EQ(size_of(R"({a(x:"""\"""" """){h1 h2 h3 h4{h5{h6{h7}}}}}# """){b}})"), (Size{8, 5, 0}));
}

TEST(GraphqlDocument, IsMalformedIfServersEndACommentInDifferentPlaces) {
  EXPECT_EQ(size_of("{a #\u2028 h1 h2 {h3}\n}"), std::nullopt);
  EXPECT_EQ(size_of("{a #\u2029 h1 h2 {h3}\n}"), std::nullopt);
}

TEST(GraphqlDocument, NamesTheOperationThatIsRun) {
  const std::string document = "query A { a } query B { b c }";
  EXPECT_EQ(size_of(document, "A"), (Size{1, 1, 0}));
  EXPECT_EQ(size_of(document, "B"), (Size{2, 1, 0}));
  EXPECT_EQ(size_of(document, "C"), std::nullopt);
  EXPECT_EQ(size_of("query A { a } query A { b c }", "A"), (Size{2, 1, 0}));
}

TEST(GraphqlDocument, CountsFragmentsOfFragmentsWithoutExpandingThem) {
  std::string document = "{ ...F0 }";
  for (int i = 0; i < 60; ++i) {
    const auto next = "...F" + std::to_string(i + 1) + " ";
    document += " fragment F" + std::to_string(i) + " on T { " + next + next + "}";
  }
  document += " fragment F60 on T { a }";
  EXPECT_EQ(size_of(document), (Size{kMaxCount, 1, 0}));
}

TEST(GraphqlDocument, MayChainThousandsOfFragments) {
  std::string document = "{ ...F0 }";
  for (int i = 0; i < 5'000; ++i)
    document += " fragment F" + std::to_string(i) + " on T { a { ...F" + std::to_string(i + 1) + " } }";
  document += " fragment F5000 on T { a }";
  EXPECT_EQ(size_of(document), (Size{5'001, 5'001, 0}));
}

TEST(GraphqlDocument, IsMalformedIfItIsNestedTooDeeply) {
  const auto nested = [](const std::string& open, int times) {
    std::string out = "{ a ";
    for (int i = 0; i < times; ++i) out += open;
    out += "{ b }";
    for (int i = 0; i < times; ++i) out += "}";
    return out + "}";
  };
  EXPECT_TRUE(size_of(nested("{ a ", 200)).has_value());
  EXPECT_FALSE(size_of(nested("{ a ", 300)).has_value());
  EXPECT_FALSE(size_of(nested("{ a ... ", 100'000)).has_value());
}

TEST(GraphqlRequest, IsReadFromJson) {
  EXPECT_EQ(size_of_json(R"({"query":"{ a b }","variables":{"query":"x"}})"), (Size{2, 1, 0}));
  EXPECT_EQ(size_of_json(R"({"query":"query A { a } query B { b c }","operationName":"A"})"), (Size{1, 1, 0}));
  EXPECT_EQ(size_of_json(R"({"query":"{ a }","operationName":null})"), (Size{1, 1, 0}));
  EXPECT_EQ(size_of_json("{\"qu\\u0065ry\":\"{ a }\"}"), (Size{1, 1, 0}));
}

TEST(GraphqlRequest, CountsEachMemberOfABatch) {
  EXPECT_EQ(size_of_json(R"([{"query":"{ a }"},{"query":"{ x: b { c } }"}])"), (Size{3, 3, 1}));
}

TEST(GraphqlRequest, HasNoSizeIfServersCouldReadDifferentOnes) {
  for (const std::string body :
       {R"({"query":"{ a }","query":"{ a b c }"})", R"({"query":"{ a }","Query":"{ b c }"})",
        R"({"query":"{ a }","operationName":"A","OPERATIONNAME":"B"})", R"({"query":"{ a }"} {})",
        R"({"id":"persisted"})", R"({"query":null})", R"({"query":1})", "[]", "1", "", R"([{"query":"{ a }"},1])",
        R"({"query":"{ a }")", R"({"query":"{ a }","query\u0000":"{ b c }"})"})
    EXPECT_EQ(size_of_json(body), std::nullopt) << body;
}

}  // namespace
}  // namespace headgate::graphql
