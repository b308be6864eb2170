#include "rows.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headgate::config {

const Shape* form_for(const Shape& shape, const Node& node) {
  if (shape.form != Shape::Form::either) return json_kind(shape.form) == node.kind ? &shape : nullptr;
  for (const Shape* each : shape.forms)
    if (const Shape* form = form_for(*each, node)) return form;
  return nullptr;
}

void fill_rows(const Node* node, const Section& section, const void* type, void* out) {
  if (node == nullptr || node->kind != Kind::object) return;
  for (const Key& key : section.keys) {
    if (key.into.type != type) continue;
    if (const Node* value = find(node, key.name)) key.into.put(*value, *key.shape, out);
  }
}

std::string fallback_of(const Key& key) {
  return key.fallback == kOfOptions ? key.into.show(*key.shape, nullptr) : std::string(key.fallback);
}

namespace rows {

bool set(const Node& node, const Shape&, bool& out) {
  if (node.kind != Kind::boolean) return false;
  out = node.text == "true";
  return true;
}

bool set(const Node& node, const Shape&, std::string& out) {
  if (node.kind != Kind::string) return false;
  out = node.text;
  return true;
}

bool set(const Node& node, const Shape&, Duration& out) {
  if (node.kind != Kind::string) return false;
  const auto value = parse_duration(node.text);
  if (value.has_value()) out = *value;
  return value.has_value();
}

bool set(const Node& node, const Shape&, std::vector<std::string>& out) {
  if (node.kind != Kind::list && node.kind != Kind::string) return false;
  out.clear();
  if (node.kind == Kind::string) out.push_back(node.text);
  for (const Node* each : node.children)
    if (each->kind == Kind::string) out.push_back(each->text);
  return true;
}

std::optional<std::size_t> chosen(const Node& node, const Shape& shape) {
  if (node.kind != Kind::string) return std::nullopt;
  const auto at = std::find(shape.words.begin(), shape.words.end(), node.text);
  if (at == shape.words.end()) return std::nullopt;
  return static_cast<std::size_t>(at - shape.words.begin());
}

std::optional<std::uint64_t> bytes_of(const Node& node) {
  if (node.kind != Kind::string) return std::nullopt;
  const auto value = parse_size(node.text);
  return value.has_value() ? std::optional<std::uint64_t>(*value) : std::nullopt;
}

std::string text(const Shape&, bool value) { return value ? "true" : "false"; }
std::string text(const Shape&, const std::string& value) { return value; }
std::string text(const Shape&, Duration value) { return to_text(value); }
std::string text(const Shape&, const std::vector<std::string>& value) {
  std::string out;
  for (const auto& each : value) out += (out.empty() ? "" : ", ") + nlohmann::json(each).dump();
  return '[' + out + ']';
}

std::string text_of_size(std::uint64_t bytes) {
  auto out = size_text(bytes);
  if (out.find_first_not_of("0123456789") == std::string::npos) out += 'B';
  return out;
}

std::string word_at(const Shape& shape, std::size_t at) {
  return at < shape.words.size() ? std::string(shape.words[at]) : std::string();
}

}  // namespace rows

}  // namespace headgate::config
