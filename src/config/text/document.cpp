#include "document.hpp"

#include "headgate/core/json_spelling.hpp"

#include <algorithm>

namespace headgate::config {

const Node* find(const Node* object, std::string_view key) {
  if (object == nullptr || object->kind != Kind::object) return nullptr;
  const auto& members = object->children;
  const auto found = std::find_if(members.begin(), members.end(), [&](const Node* each) { return each->key == key; });
  return found == members.end() ? nullptr : *found;
}

std::string pointer(const Node& node) {
  std::vector<const Node*> way;
  for (const Node* at = &node; at->parent != nullptr; at = at->parent) way.push_back(at);
  std::string out;
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    const bool member = (*at)->parent->kind == Kind::object;
    out += '/' + (member ? pointer_part((*at)->key) : std::to_string((*at)->index));
  }
  return out;
}

}  // namespace headgate::config
