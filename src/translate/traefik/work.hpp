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
  explicit TraefikWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, const TreeNode*> services;
  std::map<std::string, const TreeNode*> middlewares;  ///< null where two say something else
  std::map<std::string, std::string> upstreams;        ///< by service: JSON of "to", or "" if it cannot be translated
  std::set<std::string> own_hosts;                     ///< services whose servers get their own name as Host
  std::map<std::string, std::string> limits;           ///< by middleware: the limit's name, or ""
  std::set<std::string> said;
  std::set<std::string> tls_options;                                ///< that routers may name
  std::map<std::string, const TreeNode*> client_auth;               ///< by TLS options: how clients show certificates
  std::map<std::string, std::vector<std::string>> of_entry_points;  ///< middlewares by entry point
  std::vector<DraftEntry> holes;                                    ///< what rules leave out, behind all routes
  bool has_public = false;  ///< a router is at an entry point where all may come
  int applied = 0;          ///< middlewares of the route that is made
};

/// One alternative of a rule, or more than it if that cannot be said.
struct TraefikMatch {
  std::string host;
  std::string path = "/*";
  std::string text_prefix;   ///< of PathPrefix: "/api" is for "/apix", too
  std::string path_matches;  ///< empty: any
  std::vector<std::string> methods;
  std::vector<std::string> client_ip;
  std::vector<std::pair<std::string, std::string>> headers;  ///< JSON by field
  std::vector<std::pair<std::string, std::string>> query;
  std::string closed;  ///< the matcher because of which this is for more requests; empty if there is none
  std::string why;     ///< the same as a sentence
  bool hole = false;   ///< what a "!" leaves out
};
/// "Host(`a`) && (PathPrefix(`/x`) || Path(`/y`))". What cannot be said is there as more requests, which are closed.
std::vector<TraefikMatch> matches_of(std::string_view rule);

/// The keys of a map without regard to case, as labels have them in small letters.
const TreeNode& member_of(const TreeNode& map, std::string_view key) noexcept;
std::string text_in(const TreeNode& map, std::string_view key, std::string_view otherwise = {});

/// Labels have "a,b" where files have lists.
std::vector<std::string> comma_list(const TreeNode& node);

/// entryPoints of the static configuration: redirects, middlewares, whom to trust.
void take_entry_points(TraefikWork& work, const TreeNode& points);
/// "tls" of a document: certificates, and options that ask for those of clients.
void take_tls(TraefikWork& work, const TreeNode& tls);
/// Whether a router is at an entry point where all may come, by its usual name.
bool is_for_all(const TreeNode& router);
/// Certificates that a router asks of clients, and entry points that are not for all.
void guard_router(TraefikWork& work, const TreeNode& router, DraftEntry& route);
/// The middlewares of its entry points, and its own.
std::vector<std::string> middlewares_of(const TraefikWork& work, const TreeNode& router);
/// Whether the middleware, in small letters, is one that says who may use a route. It is applied then.
bool apply_access(TraefikWork& work, const std::string& kind, const std::string& written, const TreeNode& node,
                  DraftEntry& route);

void take_router(TraefikWork& work, const std::string& name, const TreeNode& router, const TreeNode& http);
void apply_middleware(TraefikWork& work, const std::string& name, DraftEntry& route, int depth = 0);
/// Rates that no router uses become limits.
void keep_unused_middlewares(TraefikWork& work);

}  // namespace headgate::translate
