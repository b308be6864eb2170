#pragma once
// What the parts of the translation of Kong share.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// What plugins do to a route: its own, its service's, and those for everything. Of one name, the nearest counts.
using KongPlugins = std::map<std::string, const TreeNode*, std::less<>>;

struct KongWork {
  explicit KongWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, std::string> targets;     ///< by the name of a Kong upstream: that of ours
  std::map<const TreeNode*, std::string> limits;  ///< by plugin: the limit's name, or "" if it is off
  std::map<const TreeNode*, std::string> owners;  ///< by plugin: the name of its service or route
  std::vector<std::string> limited_owners;        ///< consumers with a limit of their own
  const TreeNode* key_auth = nullptr;             ///< the first plugin of this name
  std::string keys;                               ///< of consumers, as JSON; empty: there are none
  bool knows_keys = false;                        ///< some consumer has a key
};

/// What nothing of a plugin of this name translates is said.
void say_of_plugin(Draft& draft, const TreeNode& plugin);

/// Consumers with their keys and limits: "identity" and one limit with a tier for each.
void take_consumers(KongWork& work, const TreeNode& document);

/// Puts what the plugins do into a route. `consumers` is a limit of consumers, or empty.
void apply_plugins(KongWork& work, const KongPlugins& plugins, DraftEntry& route);

/// The rates of a rate-limiting plugin's config, as JSON; empty: none.
std::string kong_rates(const TreeNode& config, DraftEntry& limit);

}  // namespace headgate::translate
