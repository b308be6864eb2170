#pragma once
// Shared parts of the Traefik importer.

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
  explicit TraefikWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, const TreeNode*> services;
  std::map<std::string, const TreeNode*> middlewares;  ///< null if two definitions differ
  std::map<std::string, std::string> upstreams;  ///< JSON of "to" by service; "" if the service cannot be translated
  std::set<std::string> own_hosts;               ///< services whose servers receive their own name as Host
  std::map<std::string, std::string> limits;     ///< name of the limit by middleware; "" if there is none
  std::set<std::string> said;
  std::set<std::string> tls_options;                                ///< names that routers may use
  std::map<std::string, const TreeNode*> client_auth;               ///< client certificate settings by TLS options
  std::map<std::string, std::vector<std::string>> of_entry_points;  ///< middlewares by entry point
  std::vector<DraftEntry> holes;  ///< routes for the paths that rules exclude; they come after all other routes
  bool has_public = false;        ///< whether a router belongs to an entry point that everybody can reach
  int applied = 0;                ///< number of middlewares applied to the current route
};

/// An alternative of a rule. If a part of it cannot be translated, the alternative covers more requests and is closed.
struct TraefikMatch {
  std::string host;
  std::string path = "/*";
  std::string text_prefix;   ///< path of PathPrefix: "/api" also matches "/apix"
  std::string path_matches;  ///< empty for any path
  std::vector<std::string> methods;
  std::vector<std::string> client_ip;
  std::vector<std::pair<std::string, std::string>> headers;  ///< JSON values by field
  std::vector<std::pair<std::string, std::string>> query;
  std::string closed;  ///< matcher that could not be translated, so that the match is closed; empty if there is none
  std::string why;     ///< reason for this, as a sentence
  bool hole = false;   ///< whether this is a path that a "!" excludes
};
/// Parses "Host(`a`) && (PathPrefix(`/x`) || Path(`/y`))". Parts that cannot be translated cover more requests and are
/// closed.
std::vector<TraefikMatch> matches_of(std::string_view rule);

/// Returns a member of a map without regard to case, because labels have keys in lower case.
const TreeNode& member_of(const TreeNode& map, std::string_view key) noexcept;
std::string text_in(const TreeNode& map, std::string_view key, std::string_view otherwise = {});

/// Returns the elements of a list. Labels write a list as "a,b".
std::vector<std::string> comma_list(const TreeNode& node);

/// Reads entryPoints of the static configuration: redirects, middlewares, trusted addresses.
void take_entry_points(TraefikWork& work, const TreeNode& points);
/// Reads "tls" of a document: certificates, and options that require client certificates.
void take_tls(TraefikWork& work, const TreeNode& tls);
/// Returns whether the entry points of a router have the usual names of public entry points.
bool is_for_all(const TreeNode& router);
/// Applies required client certificates to a route, and closes routes of entry points that are not public.
void guard_router(TraefikWork& work, const TreeNode& router, DraftEntry& route);
/// Returns the middlewares of the router's entry points, and then its own.
std::vector<std::string> middlewares_of(const TraefikWork& work, const TreeNode& router);
/// Applies a middleware for access control. `kind` is its name in lower case. Returns false for any other middleware.
bool apply_access(TraefikWork& work, const std::string& kind, const std::string& written, const TreeNode& node,
                  DraftEntry& route);

void take_router(TraefikWork& work, const std::string& name, const TreeNode& router, const TreeNode& http);
void apply_middleware(TraefikWork& work, const std::string& name, DraftEntry& route, int depth = 0);
/// Turns rates that no router uses into limits.
void keep_unused_middlewares(TraefikWork& work);

}  // namespace headgate::translate
