#pragma once
// What the parts of the translation of Ingress objects share.

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
  std::map<std::string, std::string> ports;      ///< by "namespace/service/name": the number of a named port
  std::map<std::string, std::string> upstreams;  ///< by URL
  std::set<std::string> said;
};

/// An Ingress and its annotations, by their names without the prefix.
struct IngressObject {
  const TreeNode& node;
  std::map<std::string, const TreeNode*, std::less<>> annotations;
  std::string name;
  std::string space;
  std::vector<Remark> closing{};  ///< why its routes are closed

  std::string get(std::string_view key, std::string_view otherwise = {}) const {
    const auto found = annotations.find(key);
    return found == annotations.end() ? std::string(otherwise) : found->second->text;
  }
  const Spot& spot(std::string_view key) const {
    const auto found = annotations.find(key);
    return found == annotations.end() ? node.spot : found->second->spot;
  }
};

/// Says what becomes of annotations that nothing else reads; those that may keep callers out come into `closing`.
void say_annotations(IngressWork& work, IngressObject& object);

}  // namespace headgate::translate
