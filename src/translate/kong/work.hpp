#pragma once
// What the parts of the translation of Kong share.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// What plugins do to a route: its own, its service's, and those for everything. Of one name, the nearest counts.
using KongPlugins = std::map<std::string, const TreeNode*, std::less<>>;

/// A consumer, whose name here is that of an owner of API keys.
struct KongConsumer {
  std::string owner;
  const TreeNode* node = nullptr;
  std::set<std::string> groups;      ///< of the plugin acl
  std::vector<std::string> issuers;  ///< of its tokens: the keys of its jwt_secrets
  bool has_key = false;
  std::string refused;  ///< the plugin that keeps it out, or that is not known; empty if there is none
};

struct KongWork {
  explicit KongWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, std::string> targets;     ///< by the name of a Kong upstream: that of ours
  std::map<const TreeNode*, std::string> limits;  ///< by plugin: the limit's name, or "" if it is off
  std::map<const TreeNode*, std::string> owners;  ///< by plugin: the name of its service or route
  std::vector<std::string> limited_owners;        ///< consumers with a limit of their own
  const TreeNode* key_auth = nullptr;             ///< the first plugin of this name
  const TreeNode* jwt = nullptr;                  ///< the same
  std::string keys;                               ///< of consumers, as JSON; empty: there are none
  std::string issuers;                            ///< of the tokens of consumers, as JSON; empty: there are none
  std::vector<KongConsumer> consumers;
  std::map<std::string, std::size_t> consumers_by_name;            ///< by names and ids
  std::map<const TreeNode*, std::vector<std::size_t>> admitted{};  ///< consumers by acl

  /// Null if there is none of this name or id.
  const KongConsumer* consumer(const std::string& name_or_id) const noexcept;
};

/// How a plugin of a name is treated. A name that is not known may be one that refuses requests.
enum class KongKind : std::uint8_t {
  translated,  ///< apply_plugins() knows it
  harmless,    ///< no request is let in that it refuses: logs, metrics, caches
  guard,       ///< headgate cannot have it, or nobody knows it
};
KongKind kong_kind(std::string_view plugin) noexcept;

/// Whether it is not off.
bool is_enabled(const TreeNode& plugin);
/// "consumer: acme" or "consumer: { name: acme }".
std::string reference(const TreeNode& node, std::string_view key);
/// Whether a key may have this group as a tag.
bool is_tag(std::string_view group) noexcept;
/// A secret that stands elsewhere: a reference to a vault, or a variable of decK.
bool is_elsewhere(std::string_view secret) noexcept;

/// Where the routes of a service lead.
struct KongService {
  std::string upstream;  ///< ours; empty if it was not translated, or a route has none
  std::string path;      ///< before the path of each request
  std::string timeout;
  bool enabled = true;
};
/// All routes of ours that stand for one of Kong's.
void take_kong_route(KongWork& work, const TreeNode& node, const KongService& service, const KongPlugins& plugins);

/// What nothing of a plugin of this name translates is said, and of others the options that are not read.
void say_of_plugin(Draft& draft, const TreeNode& plugin);

/// Consumers with their keys and limits: "identity" and one limit with a tier for each.
void take_consumers(KongWork& work, const TreeNode& document);

/// Puts what the plugins do into a route.
void apply_plugins(KongWork& work, const KongPlugins& plugins, DraftEntry& route);
/// Those of them that say who may use the route: credentials, groups, addresses.
void apply_access(KongWork& work, const KongPlugins& plugins, DraftEntry& route);
/// request-transformer and response-transformer.
void transform_requests(const TreeNode& plugin, DraftEntry& route);
void transform_responses(const TreeNode& plugin, DraftEntry& route);

/// The rates of a rate-limiting plugin's config, as JSON; empty: none.
std::string kong_rates(const TreeNode& config, DraftEntry& limit);

/// Services and routes by their names and ids.
struct KongNodes {
  explicit KongNodes(const TreeNode& document);
  /// Null if there is none.
  const TreeNode* service(const std::string& name_or_id) const noexcept;
  const TreeNode* route(const std::string& name_or_id) const noexcept;

 private:
  std::map<std::string, const TreeNode*> services_;
  std::map<std::string, const TreeNode*> routes_;
};

/// The plugins of a document, by what they are for.
class KongScopes {
 public:
  KongScopes(KongWork& work, const TreeNode& document, const KongNodes& nodes);

  /// Those of a route of a service, which may be one that is not there.
  KongPlugins of(const TreeNode& service, const TreeNode& route) const;
  const KongPlugins& everywhere() const noexcept { return everywhere_; }

 private:
  void add(const TreeNode& plugin);

  KongWork& work_;
  const KongNodes& nodes_;
  KongPlugins everywhere_;
  std::map<const TreeNode*, KongPlugins> of_services_;
  std::map<const TreeNode*, KongPlugins> of_routes_;
  std::map<std::pair<const TreeNode*, const TreeNode*>, KongPlugins> of_both_;
};

}  // namespace headgate::translate
