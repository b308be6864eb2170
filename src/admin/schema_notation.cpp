#include "schema_notation.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

using SchemaJson = nlohmann::ordered_json;

class Notation {
 public:
  explicit Notation(std::string_view text) : rest_(text) {}

  SchemaJson whole() {
    auto out = type();
    if (!rest_.empty()) fail();
    return out;
  }

 private:
  SchemaJson type() {
    auto first = list();
    const char* const joins = take("|") ? "oneOf" : take("&") ? "allOf" : nullptr;
    if (joins == nullptr) return first;
    const std::string_view sign = joins[0] == 'o' ? "|" : "&";
    auto all = SchemaJson::array({std::move(first)});
    do all.push_back(list());
    while (take(sign));
    if (!std::all_of(all.begin(), all.end(), [](const auto& each) { return each.contains("const"); }))
      return {{joins, std::move(all)}};
    for (auto& each : all) each = SchemaJson(each["const"]);
    return {{"enum", std::move(all)}};
  }

  SchemaJson list() {
    auto out = single();
    while (take("[]")) out = {{"type", "array"}, {"items", std::move(out)}};
    return out;
  }

  SchemaJson single() {
    if (take("(")) {
      auto out = type();
      expect(")");
      return out;
    }
    if (take("\"")) return {{"const", until('"')}};
    if (rest_.starts_with("{\"")) return as_written();
    if (take("{")) return take("[name]:") ? any_names() : object();
    const auto name = word();
    constexpr std::array<std::string_view, 6> kTypes{"string", "integer", "number", "boolean", "object", "array"};
    if (std::find(kTypes.begin(), kTypes.end(), name) != kTypes.end()) return {{"type", name}};
    if (name.starts_with("date")) return {{"type", "string"}, {"format", name}};
    return {{"$ref", "#/components/schemas/" + std::string(name)}};
  }

  SchemaJson any_names() {
    SchemaJson out = {{"type", "object"}, {"additionalProperties", type()}};
    expect("}");
    return out;
  }

  SchemaJson object() {
    SchemaJson out = {{"type", "object"}};
    SchemaJson properties;
    do {
      const std::string name(word());
      if (!take("?")) out["required"].push_back(name);
      if (take(":")) properties[name] = type();
    } while (take(","));
    expect("}");
    if (!properties.is_null()) out["properties"] = std::move(properties);
    return out;
  }

  /// Takes a schema that is written as JSON, up to its closing brace. Counting braces is enough, because no string in
  /// these schemas contains one.
  SchemaJson as_written() {
    std::size_t end = 0;
    int open = 0;
    do open += rest_.at(end) == '{' ? 1 : rest_[end] == '}' ? -1 : 0;
    while (++end, open > 0);
    auto out = SchemaJson::parse(rest_.substr(0, end));
    rest_.remove_prefix(end);
    skip_blanks();
    return out;
  }

  std::string_view word() {
    constexpr std::string_view kEnds = " \n,:?[](){}|&\"";
    const auto out = rest_.substr(0, rest_.find_first_of(kEnds));
    if (out.empty()) fail();
    rest_.remove_prefix(out.size());
    skip_blanks();
    return out;
  }
  std::string_view until(char end) {
    const auto out = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(std::min(out.size() + 1, rest_.size()));
    skip_blanks();
    return out;
  }
  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    skip_blanks();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail();
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  [[noreturn]] void fail() const { throw std::invalid_argument("not a type at: " + std::string(rest_.substr(0, 40))); }

  std::string_view rest_;
};

}  // namespace

SchemaJson schema_of(std::string_view notation) { return Notation(notation).whole(); }

}  // namespace headgate::admin
