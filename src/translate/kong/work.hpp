#pragma once
// Shared parts of the Kong importer.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::translate {

/// Plugins of a route, its service, and the whole configuration, by name. The most specific plugin of a name applies.
using KongPlugins = std::map<std::string, const TreeNode*, std::less<>>;

/// A consumer. Its name becomes the owner of its API keys.
struct KongConsumer {
  std::string owner;
  const TreeNode* node = nullptr;
  std::set<std::string> groups;      ///< groups for the acl plugin
  std::vector<std::string> issuers;  ///< issuers of its tokens: the keys of its jwt_secrets
  bool has_key = false;
  std::string refused;  ///< a plugin that refuses the consumer, or an unknown one; empty if there is none
};

struct KongWork {
  explicit KongWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, std::string> targets;     ///< name of our upstream by Kong's upstream
  std::map<const TreeNode*, std::string> limits;  ///< name of the limit by plugin; "" if the limit is off
  std::map<const TreeNode*, std::string> owners;  ///< name of the service or route by plugin
  std::vector<std::string> limited_owners;        ///< consumers that have their own limit
  const TreeNode* key_auth = nullptr;             ///< first key-auth plugin
  const TreeNode* jwt = nullptr;                  ///< first jwt plugin
  std::string keys;                               ///< keys of consumers as JSON; empty if there are none
  std::string issuers;                            ///< issuers of the consumers' tokens as JSON; empty if there are none
  std::vector<KongConsumer> consumers;
  std::map<std::string, std::size_t> consumers_by_name;            ///< index by name and by id
  std::map<const TreeNode*, std::vector<std::size_t>> admitted{};  ///< indices of consumers by acl

  /// Returns null if there is no consumer with this name or id.
  const KongConsumer* consumer(const std::string& name_or_id) const noexcept;
};

/// How a plugin is translated. An unknown plugin counts as one that may refuse requests.
enum class KongKind : std::uint8_t {
  translated,  ///< apply_plugins() or apply_access() translates it
  harmless,    ///< never refuses a request: logs, metrics, caches
  guard,       ///< may refuse requests and cannot be translated, or is unknown
};
KongKind kong_kind(std::string_view plugin) noexcept;

/// Returns whether the plugin is enabled.
bool is_enabled(const TreeNode& plugin);
/// Returns the name in "consumer: acme" or "consumer: { name: acme }".
std::string reference(const TreeNode& node, std::string_view key);
/// Returns whether a key may have this group as a tag.
bool is_tag(std::string_view group) noexcept;
/// Returns whether a secret is stored elsewhere: in a vault, or in a variable of decK.
bool is_elsewhere(std::string_view secret) noexcept;

/// The destination of a service's routes.
struct KongService {
  std::string upstream;  ///< name of our upstream; empty if it was not translated or does not exist
  std::string path;      ///< prefix of the path of each request
  std::string timeout;
  bool enabled = true;
};
/// Adds all routes that one route of Kong becomes.
void take_kong_route(KongWork& work, const TreeNode& node, const KongService& service, const KongPlugins& plugins);

/// Adds remarks on a plugin that is not translated, or on the options that are not read.
void say_of_plugin(Draft& draft, const TreeNode& plugin);

/// Translates consumers with their keys and limits into "identity" and one limit with a tier for each consumer.
void take_consumers(KongWork& work, const TreeNode& document);

/// Applies plugins to a route.
void apply_plugins(KongWork& work, const KongPlugins& plugins, DraftEntry& route);
/// Applies the plugins for access control: credentials, groups, addresses.
void apply_access(KongWork& work, const KongPlugins& plugins, DraftEntry& route);
/// Apply request-transformer and response-transformer.
void transform_requests(const TreeNode& plugin, DraftEntry& route);
void transform_responses(const TreeNode& plugin, DraftEntry& route);

/// Returns the rates of a rate-limiting plugin as JSON, or an empty text if it has none.
std::string kong_rates(const TreeNode& config, DraftEntry& limit);

/// Finds services and routes by their names and ids.
struct KongNodes {
  explicit KongNodes(const TreeNode& document);
  /// Both functions return null if there is none.
  const TreeNode* service(const std::string& name_or_id) const noexcept;
  const TreeNode* route(const std::string& name_or_id) const noexcept;

 private:
  std::map<std::string, const TreeNode*> services_;
  std::map<std::string, const TreeNode*> routes_;
};

/// The plugins of a document by their scope.
class KongScopes {
 public:
  KongScopes(KongWork& work, const TreeNode& document, const KongNodes& nodes);

  /// Returns the plugins of a route and its service. The service may be absent.
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
