#include "paths.hpp"

#include <algorithm>
#include <filesystem>

namespace headgate::config {
namespace {

using Named = std::vector<std::string>*;

void resolve_value(Node& node, const Shape& shape, const std::string& directory, Named named) {
  if (shape.path != nullptr && node.kind == Kind::string && shape.path(node.text)) {
    node.text = resolved(node.text, directory);
    if (named != nullptr) named->push_back(node.text);
  } else if (shape.section != nullptr && node.kind == Kind::object) {
    for (Node* member : node.children) resolve_path(*member, *shape.section, directory, named);
  } else if (shape.of != nullptr) {
    for (Node* child : node.children) resolve_value(*child, *shape.of, directory, named);
  }
  // Each form resolves only values of its own type, and no two forms of a value have the same type.
  for (const Shape* form : shape.forms) resolve_value(node, *form, directory, named);
}

}  // namespace

std::string resolved(const std::string& path, const std::string& directory) {
  if (path.empty() || directory.empty()) return path;
  return (std::filesystem::path(directory) / path)
      // The path is not normalised, because ".." after a symbolic link can only be resolved by the file system.
      .string();
}

void resolve_path(Node& member, const Section& section, const std::string& directory, Named named) {
  const auto key =
      std::find_if(section.keys.begin(), section.keys.end(), [&](const Key& each) { return each.name == member.key; });
  if (key != section.keys.end()) resolve_value(member, *key->shape, directory, named);
}

}  // namespace headgate::config
