#include "paths.hpp"

#include <algorithm>
#include <filesystem>

namespace headgate::config {
namespace {

void resolve_value(Node& node, const Shape& shape, const std::string& directory) {
  if (shape.path != nullptr && node.kind == Kind::string && shape.path(node.text)) {
    node.text = resolved(node.text, directory);
  } else if (shape.section != nullptr && node.kind == Kind::object) {
    resolve_paths(node, *shape.section, directory);
  } else if (shape.of != nullptr) {
    for (Node* child : node.children) resolve_value(*child, *shape.of, directory);
  }
  // At most one of the forms can be an object, a list or a text.
  for (const Shape* form : shape.forms) resolve_value(node, *form, directory);
}

}  // namespace

std::string resolved(const std::string& path, const std::string& directory) {
  if (path.empty() || directory.empty()) return path;
  return (std::filesystem::path(directory) / path)
      .string();  // not normalised: ".." after a symbolic link cannot be resolved in the text
}

void resolve_paths(Node& node, const Section& section, const std::string& directory) {
  for (Node* member : node.children) {
    const auto key = std::find_if(section.keys.begin(), section.keys.end(),
                                  [&](const Key& each) { return each.name == member->key; });
    if (key != section.keys.end()) resolve_value(*member, *key->shape, directory);
  }
}

}  // namespace headgate::config
