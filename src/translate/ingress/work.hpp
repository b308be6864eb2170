#pragma once
// Shared parts of the Ingress importer.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

struct IngressWork {
  Draft& draft;
  std::map<std::string, std::string> ports;      ///< number of a named port, by "namespace/service/name"
  std::map<std::string, std::string> upstreams;  ///< by URL
  std::set<std::string> said;
};

/// An Ingress and its annotations by name, without the prefix.
struct IngressObject {
  const TreeNode& node;
  std::map<std::string, const TreeNode*, std::less<>> annotations;
  std::string name;
  std::string space;
  std::vector<Remark> closing{};  ///< reasons for closing its routes

  std::string get(std::string_view key, std::string_view otherwise = {}) const {
    const auto found = annotations.find(key);
    return found == annotations.end() ? std::string(otherwise) : found->second->text;
  }
  const Spot& spot(std::string_view key) const {
    const auto found = annotations.find(key);
    return found == annotations.end() ? node.spot : found->second->spot;
  }
};

/// Adds remarks on annotations that nothing else reads. Annotations that may keep callers out go into `closing`.
void say_annotations(IngressWork& work, IngressObject& object);

}  // namespace headgate::translate
