#pragma once
// Reads those values of a checked tree that no row (rows.hpp) writes to options. A value that is absent or already
// reported leaves the default unchanged.

#include "config/text/document.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

inline const Node* text_at(const Node* section, std::string_view key) {
  const Node* node = find(section, key);
  return node != nullptr && node->kind == Kind::string ? node : nullptr;
}

inline void read(const Node* section, std::string_view key, std::string& out) {
  if (const Node* node = text_at(section, key)) out = node->text;
}

inline void read(const Node* section, std::string_view key, Duration& out) {
  const Node* node = text_at(section, key);
  if (node == nullptr) return;
  if (const auto value = parse_duration(node->text); value.has_value()) out = *value;
}

inline void read(const Node* section, std::string_view key, bool& out) {
  if (const Node* node = find(section, key); node != nullptr && node->kind == Kind::boolean) out = node->text == "true";
}

template <class Number>
void read_number(const Node* section, std::string_view key, Number& out) {
  const Node* node = find(section, key);
  if (node == nullptr || node->kind != Kind::number) return;
  Number value{};
  const char* end = node->text.data() + node->text.size();
  const auto [last, error] = std::from_chars(node->text.data(), end, value);
  if (error == std::errc() && last == end) out = value;
}

/// Returns the statuses of a list, sorted, each once.
inline std::vector<unsigned> read_statuses(const Node* list) {
  std::vector<unsigned> out;
  if (list == nullptr || list->kind != Kind::list) return out;
  for (const Node* each : list->children) {
    unsigned status = 0;
    const char* const end = each->text.data() + each->text.size();
    if (std::from_chars(each->text.data(), end, status).ptr == end) out.push_back(status);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

template <class Enum, std::size_t size>
void read_choice(const Node* section, std::string_view key, const PerEnum<Enum, std::string_view, size>& words,
                 Enum& out) {
  const Node* node = text_at(section, key);
  if (node == nullptr) return;
  const auto found = std::find(words.begin(), words.end(), node->text);
  if (found != words.end()) out = static_cast<Enum>(found - words.begin());
}

/// Returns the texts of a list, or the one text in place of a list.
inline std::vector<const Node*> texts(const Node* node) {
  if (node == nullptr) return {};
  if (node->kind == Kind::string) return {node};
  std::vector<const Node*> out;
  if (node->kind != Kind::list) return out;
  std::copy_if(node->children.begin(), node->children.end(), std::back_inserter(out),
               [](const Node* child) { return child->kind == Kind::string; });
  return out;
}

/// Returns the members of an object or the elements of a list; empty if the node is not of `kind`.
inline std::vector<const Node*> children(const Node* node, Kind kind) {
  if (node == nullptr || node->kind != kind) return {};
  return {node->children.begin(), node->children.end()};
}

}  // namespace headgate::config
