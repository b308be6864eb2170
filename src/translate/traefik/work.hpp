#pragma once
// What the parts of the translation of Traefik share.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

struct TraefikWork {
  Draft& draft;
  const std::vector<TreeNode>& documents;
  std::map<std::string, const TreeNode*> services;
  std::map<std::string, const TreeNode*> middlewares;
  std::map<std::string, std::string> upstreams;  ///< by service: JSON of "to", or "" if it cannot be translated
  std::set<std::string> own_hosts;               ///< services whose servers get their own name as Host
  std::map<std::string, std::string> limits;     ///< by middleware: the limit's name, or ""
  std::set<std::string> said;
  int applied = 0;  ///< middlewares of the route that is made
};

/// One alternative of a rule.
struct TraefikMatch {
  std::string host;
  std::string path = "/*";
  std::vector<std::string> methods;
  std::vector<std::pair<std::string, std::string>> headers;  ///< JSON by field
  std::vector<std::pair<std::string, std::string>> query;
};
/// "Host(`a`) && (PathPrefix(`/x`) || Path(`/y`))". Nothing: a route cannot say that, and `why` tells.
std::optional<std::vector<TraefikMatch>> matches_of(std::string_view rule, std::string& why);

/// The keys of a map without regard to case, as labels have them in small letters.
const TreeNode& member_of(const TreeNode& map, std::string_view key) noexcept;
std::string text_in(const TreeNode& map, std::string_view key, std::string_view otherwise = {});

void take_router(TraefikWork& work, const std::string& name, const TreeNode& router, const TreeNode& http);
void apply_middleware(TraefikWork& work, const std::string& name, DraftEntry& route, int depth = 0);
/// Rates that no router uses become limits.
void keep_unused_middlewares(TraefikWork& work);

}  // namespace headgate::translate
