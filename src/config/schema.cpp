// Writes the JSON Schema (draft 2020-12) from the table, so that an editor and `headgate check` agree.

#include "schema.hpp"

#include "headgate/config/load.hpp"

#include <nlohmann/json.hpp>

namespace headgate::config {
namespace {

using Json = nlohmann::ordered_json;
using Form = Shape::Form;

// The pattern of a text with a placeholder, which an editor must accept, because only `headgate check` knows the value.
constexpr const char* kPlaceholder = R"(\$\{)";

class SchemaWriter {
 public:
  explicit SchemaWriter(Placeholders placeholders) : placeholders_(placeholders) {}

  Json run(const Section& root, std::string_view title, std::string_view description) {
    Json schema{
        {"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"description", description}};
    schema.update(object(root));
    schema["$defs"] = std::move(definitions_);
    return schema;
  }

 private:
  std::string or_placeholder(const std::string& pattern) const {
    const auto whole = "^(" + pattern + ")$";
    return placeholders_ == Placeholders::none ? whole : whole + '|' + kPlaceholder;
  }

  Json object(const Section& section) {
    Json properties = Json::object();
    Json required = Json::array();
    for (const Key& key : section.keys) {
      Json property = shape(*key.shape);
      property["description"] = doc_of(key);
      if (!key.fallback.empty()) property["default"] = fallback(key);
      properties[std::string(key.name)] = std::move(property);
      if (key.presence == Presence::required) required.push_back(key.name);
    }
    Json out{{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
    // Keys that are required at the top level may be in another file, which includes this one or is included by it.
    if (!required.empty() && &section != &root_section()) out["required"] = std::move(required);
    for (const auto each : section.one_of) out["oneOf"].push_back({{"required", Json::array({each})}});
    return out;
  }

  static Json fallback(const Key& key) {
    const bool text = key.shape->form == Form::text || key.shape->form == Form::choice ||
                      key.shape->form == Form::duration || key.shape->form == Form::size ||
                      key.shape->form == Form::rate;
    return text ? Json(fallback_of(key)) : Json::parse(fallback_of(key));
  }

  Json reference(const Section& section) {
    const std::string name(section.name);
    if (!definitions_.contains(name)) {
      definitions_[name] = nullptr;  // reserved first, so that this definition comes before those that it refers to
      definitions_[name] = object(section);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  Json shape(const Shape& shape) {
    switch (shape.form) {
      case Form::text:
        return {{"type", "string"}};
      case Form::boolean:
        return {{"type", "boolean"}};
      case Form::duration:
        return {{"type", "string"}, {"pattern", or_placeholder("[0-9]+(us|ms|s|m|h|d)")}};
      case Form::size:
        return {{"type", "string"}, {"pattern", or_placeholder("[0-9]+(B|kB|KiB|MB|MiB|GB|GiB|TB|TiB)?")}};
      case Form::rate:
        return {
            {"type", "string"},
            {"pattern",
             or_placeholder(
                 "[0-9]+/"
                 "([0-9]*(ms|us|s|m|h|d)|[0-9]*(second|minute|hour|day|month)|[0-9]+(seconds|minutes|hours|days))")}};
      case Form::integer:
        return {{"type", "integer"}, {"minimum", shape.least}, {"maximum", shape.most}};
      case Form::choice:
        return choice(shape);
      case Form::section:
        return reference(*shape.section);
      case Form::list:
        return list(shape);
      case Form::map:
        return {{"type", "object"}, {"additionalProperties", this->shape(*shape.of)}};
      case Form::json:
        return {{"type", "object"}};
      case Form::either:
        break;
    }
    Json forms = Json::array();
    for (const Shape* each : shape.forms) forms.push_back(this->shape(*each));
    return {{"anyOf", std::move(forms)}};
  }

  Json choice(const Shape& shape) const {
    Json words = Json::array();
    for (const auto word : words_of(shape)) words.push_back(word);
    if (placeholders_ == Placeholders::none) return {{"enum", std::move(words)}};
    Json any = Json::array();
    any.push_back({{"enum", std::move(words)}});
    any.push_back({{"type", "string"}, {"pattern", kPlaceholder}});
    return {{"anyOf", std::move(any)}};
  }

  Json list(const Shape& shape) {
    Json out{{"type", "array"}, {"items", this->shape(*shape.of)}};
    if (shape.least > 0) out["minItems"] = shape.least;
    if (shape.most < 1'000'000) out["maxItems"] = shape.most;
    return out;
  }

  Placeholders placeholders_;
  Json definitions_ = Json::object();
};

}  // namespace

std::string schema_of(const Section& root, std::string_view title, std::string_view description,
                      Placeholders placeholders) {
  return SchemaWriter(placeholders).run(root, title, description).dump(2) + '\n';
}

std::string schema() {
  return schema_of(root_section(), "headgate",
                   "Configuration of headgate. Generated from the table `headgate check` walks; do not edit.",
                   Placeholders::anywhere);
}

}  // namespace headgate::config
