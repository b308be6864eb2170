#include "admin/schema_notation.hpp"

#include "admin/openapi_schemas.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace headgate::admin {
namespace {

using SchemaText = nlohmann::ordered_json;

TEST(SchemaNotation, IsJsonSchemaInShort) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"string", R"({"type": "string"})"},
      {"date-time", R"({"type": "string", "format": "date-time"})"},
      {"Mistake", R"({"$ref": "#/components/schemas/Mistake"})"},
      {"integer[][]", R"({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}})"},
      {R"("a b" | "c")", R"({"enum": ["a b", "c"]})"},
      {R"(("a" | "b")[])", R"({"type": "array", "items": {"enum": ["a", "b"]}})"},
      {R"("a")", R"({"const": "a"})"},
      {"A | B", R"({"oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]})"},
      {"A & {b}", R"({"allOf": [{"$ref": "#/components/schemas/A"}, {"type": "object", "required": ["b"]}]})"},
      {"{a: string, b?: number,\n c, d?: {[name]: boolean}}",
       R"({"type": "object", "required": ["a", "c"], "properties": {"a": {"type": "string"}, "b": {"type": "number"},
           "d": {"type": "object", "additionalProperties": {"type": "boolean"}}}})"},
      {R"({a: {"type": "integer", "not": {"const": 2}}, b})",
       R"({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "integer", "not": {"const": 2}}}})"},
  };
  for (const auto& [notation, schema] : cases) EXPECT_EQ(schema_of(notation), SchemaText::parse(schema)) << notation;
}

TEST(SchemaNotation, IsRefusedIfItIsNotAType) {
  for (const std::string_view notation : {"", "{", "{a", "{a:}", "{a b}", "a |", "(a", "[]", "string string", "{\"a\""})
    EXPECT_ANY_THROW((void)schema_of(notation)) << notation;
}

TEST(SchemaNotation, WritesEverySchemaOfTheInterface) {
  for (const auto& each : kSchemas) EXPECT_TRUE(schema_of(each.type).is_object()) << each.name;
}

}  // namespace
}  // namespace headgate::admin
