// Translates plugins for access control: credentials, groups, addresses. Closes the route if one of them cannot be
// translated.

#include "translate/draft/addresses.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/kong/work.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/words.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// The treatment of callers without a valid credential.
enum class Anonymous : std::uint8_t { refused, let_in, unknown };

constexpr const char* kBoth = "a route of headgate requires an API key or a token, but this one requires both";

/// The access control of one route.
struct KongAccess {
  KongWork& work;
  const KongPlugins& plugins;
  DraftEntry& route;

  const TreeNode* plugin(std::string_view name) const {
    const auto found = plugins.find(name);
    return found == plugins.end() ? nullptr : found->second;
  }
  void close(const TreeNode& plugin, const std::string& why) const {
    const auto name = plugin.get("name");
    close_route(route, name, plugin.spot, "plugin " + name, why);
  }
};

bool in_any(const std::set<std::string>& groups, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const auto& name) { return groups.contains(name); });
}

std::vector<std::string> allowed_groups(const TreeNode& acl) {
  auto out = acl["config"]["allow"].texts();
  return out.empty() ? acl["config"]["whitelist"].texts() : out;
}

bool admits(const TreeNode& acl, const KongConsumer& consumer) {
  const auto allow = allowed_groups(acl);
  auto deny = acl["config"]["deny"].texts();
  if (deny.empty()) deny = acl["config"]["blacklist"].texts();
  if (allow.empty() && deny.empty()) return false;
  return (allow.empty() || in_any(consumer.groups, allow)) && !in_any(consumer.groups, deny);
}

/// Returns the consumers that the acl admits. The result for an acl is computed only once.
const std::vector<std::size_t>& admitted_by(KongWork& work, const TreeNode& acl) {
  const auto [known, is_new] = work.admitted.try_emplace(&acl);
  for (std::size_t i = 0; is_new && i < work.consumers.size(); ++i)
    if (admits(acl, work.consumers[i])) known->second.push_back(i);
  return known->second;
}

// Maximum number of consumers that an acl admits by groups, because each route lists them.
constexpr std::size_t kMaxNamed = 1000;
constexpr const char* kTooMany = "more than 1000 consumers are in its groups: write \"tags\" in \"require\"";

Anonymous anonymous_of(const KongAccess& access, const TreeNode& plugin) {
  const auto name = plugin["config"].get("anonymous");
  if (name.empty()) return Anonymous::refused;
  const auto* consumer = access.work.consumer(name);
  if (consumer == nullptr) return Anonymous::unknown;
  if (consumer->refused == "request-termination") return Anonymous::refused;
  if (!consumer->refused.empty()) return Anonymous::unknown;
  const auto* acl = access.plugin("acl");
  return acl == nullptr || admits(*acl, *consumer) ? Anonymous::let_in : Anonymous::refused;
}

/// Sets "identity": { "api_key" } from the first key-auth plugin. Later ones only add their fields.
void take_key_places(KongAccess& access, const TreeNode& plugin) {
  auto& work = access.work;
  auto& identity = work.draft.identity;
  const auto names_of = [](const TreeNode& each) {
    auto names = each["config"]["key_names"].texts();
    return names.empty() ? std::vector<std::string>{"apikey"} : names;
  };
  const auto names = names_of(plugin);
  if (work.key_auth != nullptr) {
    if (names_of(*work.key_auth) != names)
      say(access.route, Matter::lost, plugin.spot, "key_names",
          "headgate looks for keys in the same places on all routes, those of the first key-auth: add the others to "
          "\"header\"");
    return;
  }
  work.key_auth = &plugin;
  const auto& config = plugin["config"];
  Members members;
  if (is_true(config.get("key_in_header", "true"))) members.emplace_back("header", text_or_list(names));
  if (is_true(config.get("key_in_query", "true"))) members.emplace_back("query", json_text(names.front()));
  if (!is_true(config.get("hide_credentials"))) members.emplace_back("pass_on", "true");
  members.emplace_back("caller_headers", object_of({{"X-Consumer-Username", json_text("owner")}}));
  say(identity, Matter::differs, plugin.spot, "X-Consumer-ID",
      "servers get the consumer's name in X-Consumer-Username, and neither X-Consumer-ID nor X-Consumer-Custom-ID nor "
      "X-Credential-Identifier");
  members.emplace_back("keys", work.keys);
  if (names.size() > 1)
    say(identity, Matter::lost, plugin.spot, "key_names",
        "all names work as fields, but only the first works as a query parameter");
  if (is_true(config.get("key_in_body")))
    say(identity, Matter::lost, plugin.spot, "key_in_body", "headgate does not look for keys in bodies");
  identity.set("api_key", object_of(members));
}

void require_key(KongAccess& access, const TreeNode& plugin) {
  const auto& config = plugin["config"];
  if (access.work.keys.empty())
    return access.close(plugin,
                        "no consumer has a key that is known: write them in \"keys\" or \"file\" of \"api_key\"");
  if (!is_true(config.get("key_in_header", "true")) && !is_true(config.get("key_in_query", "true")))
    return access.close(plugin, "headgate does not look for keys in bodies");
  if (!access.route.get("require").empty()) return access.close(plugin, kBoth);
  take_key_places(access, plugin);
  const auto* acl = access.plugin("acl");
  if (acl == nullptr) return access.route.set("require", json_text("api_key"));
  const auto allow = allowed_groups(*acl);
  const bool tags = !allow.empty() && std::ranges::all_of(allow, is_tag) && (*acl)["config"]["deny"].texts().empty() &&
                    (*acl)["config"]["blacklist"].texts().empty();
  std::vector<std::string> owners;
  for (const auto i : admitted_by(access.work, *acl))
    if (access.work.consumers[i].has_key) owners.push_back(access.work.consumers[i].owner);
  if (!tags && owners.empty()) return access.close(*acl, "no consumer with a key is in a group that it lets in");
  if (!tags && owners.size() > kMaxNamed) return access.close(*acl, kTooMany);
  access.route.set("require", object_of({{"api_key", object_of({tags ? std::pair("tags", text_or_list(allow))
                                                                     : std::pair("owners", text_or_list(owners))})}}));
}

/// Sets "identity": { "jwt" } from the first jwt plugin.
void take_token_places(KongAccess& access, const TreeNode& plugin) {
  auto& work = access.work;
  const auto& config = plugin["config"];
  if (work.jwt != nullptr) {
    for (const auto* key : {"header_names", "uri_param_names", "cookie_names"})
      if (config[key].texts() != (*work.jwt)["config"][key].texts())
        say(access.route, Matter::lost, plugin.spot, key,
            "headgate looks for tokens in the same places on all routes, those of the first jwt");
    return;
  }
  work.jwt = &plugin;
  Members members{{"issuers", work.issuers}};
  const auto place = [&](const char* from, const char* to, const char* otherwise) {
    auto names = config[from].texts();
    if (names.empty() && !config.has(from) && *otherwise != '\0') names.emplace_back(otherwise);
    if (names.size() > 1)
      say(work.draft.identity, Matter::lost, plugin.spot, from,
          std::string("only the first is used, as \"") + to + '"');
    if (!names.empty() && names.front() != "authorization") members.emplace_back(to, json_text(names.front()));
  };
  place("header_names", "header", "");
  place("uri_param_names", "query", "jwt");
  place("cookie_names", "cookie", "");
  work.draft.identity.set("jwt", object_of(members));
  const auto said = [&](const char* what, const char* why) {
    say(work.draft.identity, Matter::differs, plugin.spot, what, why);
  };
  if (!std::ranges::count(config["claims_to_verify"].texts(), std::string("exp")))
    said("claims_to_verify", "headgate always refuses expired tokens (\"exp\")");
  else
    say(work.draft.identity, Matter::lost, plugin.spot, "claims_to_verify",
        "Kong refuses a token without \"exp\", which never expires here: write \"max_age\"");
  if (number_in(config.get("maximum_expiration", "0")) != 0)
    say(work.draft.identity, Matter::lost, plugin.spot, "maximum_expiration", "write \"max_age\" in \"jwt\"");
  if (is_true(config.get("secret_is_base64")))
    said("secret_is_base64", "the variables must contain the decoded secrets, not base64");
}

void require_token(KongAccess& access, const TreeNode& plugin) {
  if (access.work.issuers.empty())
    return access.close(plugin,
                        "no consumer has a secret that was taken over: write \"issuers\" in \"jwt\" of \"identity\"");
  if (plugin["config"].get("key_claim_name", "iss") != "iss")
    return access.close(plugin, "key_claim_name: headgate identifies the owner of a token by its \"iss\"");
  if (!access.route.get("require").empty()) return access.close(plugin, kBoth);
  take_token_places(access, plugin);
  const auto* acl = access.plugin("acl");
  if (acl == nullptr) return access.route.set("require", json_text("jwt"));
  std::vector<std::string> issuers;
  for (const auto i : admitted_by(access.work, *acl)) {
    const auto& own = access.work.consumers[i].issuers;
    issuers.insert(issuers.end(), own.begin(), own.end());
  }
  if (issuers.size() > kMaxNamed) return access.close(*acl, kTooMany);
  if (issuers.empty()) return access.close(*acl, "no consumer with a secret is in a group that it lets in");
  access.route.set("require", object_of({{"jwt", object_of({{"issuer", text_or_list(issuers)}})}}));
}

void require_password(KongAccess& access, const TreeNode& plugin) {
  const auto* acl = access.plugin("acl");
  constexpr std::size_t kMaxNames = 5;
  std::vector<std::string> who;
  for (const auto& consumer : access.work.consumers)
    if (who.size() <= kMaxNames && consumer.node->has("basicauth_credentials") &&
        (acl == nullptr || admits(*acl, consumer)))
      who.push_back(who.size() < kMaxNames ? consumer.owner : "...");
  access.close(plugin,
               "write its users into a file (htpasswd -B -C 10 -c FILE NAME), and \"basic\": FILE in the route" +
                   (who.empty() ? std::string() : ", for " + joined(who, ", ")));
}

void restrict_addresses(KongAccess& access, const TreeNode& plugin) {
  const auto& config = plugin["config"];
  const auto both = [&config](const char* key, const char* older) {
    const auto texts = config[key].texts();
    return texts.empty() ? config[older].texts() : texts;
  };
  const auto allow = both("allow", "whitelist");
  const auto deny = both("deny", "blacklist");
  if (allow.empty() && deny.empty()) return access.close(plugin, "it names no addresses");
  set_addresses(address_rules(allow, deny, plugin.spot), access.route);
  if (config.has("status") && config.get("status") != "403")
    say(access.route, Matter::differs, plugin.spot, "status: " + config.get("status"),
        "headgate refuses addresses with 403");
}

/// Sets the fixed answer of request-termination. Kong gives it after the plugins that refuse requests.
void terminate(KongAccess& access, const TreeNode& plugin) {
  const auto& config = plugin["config"];
  if (config.has("trigger"))
    return access.close(plugin, "trigger: write a route with \"headers\" or \"query\" that answers");
  if (is_true(config.get("echo"))) return access.close(plugin, "echo: headgate answers with fixed texts");
  const auto status = whole_count(config.get("status_code", "503"));
  Members members{{"status", std::to_string(status && *status >= 200 && *status <= 599 ? *status : 503)}};
  if (config.has("body")) {
    members.emplace_back("body", json_text(config.get("body")));
    if (config.has("content_type")) members.emplace_back("content_type", json_text(config.get("content_type")));
  } else {
    members.emplace_back("body",
                         json_text("{\"message\":" + json_text(config.get("message", "Service unavailable")) + "}"));
    members.emplace_back("content_type", json_text("application/json; charset=utf-8"));
  }
  for (const auto* key : {"to", "rewrite", "host_header", "timeout"}) access.route.set(key, {});
  access.route.set("respond", object_of(members));
}

bool is_credential(std::string_view plugin) {
  return plugin == "key-auth" || plugin == "jwt" || plugin == "basic-auth";
}

void apply_credentials(KongAccess& access) {
  std::size_t alternatives = 0;
  bool let_in = false;
  for (const auto& [name, plugin] : access.plugins)
    if (is_credential(name) && !(*plugin)["config"].get("anonymous").empty()) ++alternatives;
  for (const auto& [name, plugin] : access.plugins) {
    if (!is_credential(name)) continue;
    switch (anonymous_of(access, *plugin)) {
      case Anonymous::unknown:
        access.close(*plugin, "anonymous: it is unclear what this consumer may do");
        break;
      case Anonymous::let_in:
        let_in = true;
        say(access.route, Matter::differs, plugin->spot, "anonymous",
            "callers without a credential may use the route, too; servers receive no X-Anonymous-Consumer");
        if (name == "key-auth" && !access.work.keys.empty()) take_key_places(access, *plugin);
        break;
      case Anonymous::refused:
        if (alternatives > 1)
          access.close(*plugin, "anonymous: one of several credentials is enough, and a route requires one kind");
        else if (name == "key-auth")
          require_key(access, *plugin);
        else if (name == "jwt")
          require_token(access, *plugin);
        else
          require_password(access, *plugin);
        break;
    }
  }
  const auto* acl = access.plugin("acl");
  if (acl != nullptr && access.route.get("require").empty() && !let_in)
    access.close(*acl, "nothing on this route says who the caller is");
}

}  // namespace

void apply_access(KongWork& work, const KongPlugins& plugins, DraftEntry& route) {
  KongAccess access{work, plugins, route};
  apply_credentials(access);
  if (const auto* addresses = access.plugin("ip-restriction")) restrict_addresses(access, *addresses);
  if (const auto* termination = access.plugin("request-termination")) terminate(access, *termination);
  const auto* acl = access.plugin("acl");
  for (const auto* option : {"include_consumer_groups", "always_use_authenticated_groups"})
    if (acl != nullptr && is_true((*acl)["config"].get(option)))
      access.close(*acl, std::string(option) + ": headgate knows the groups of \"acls\" alone");
  for (const auto& [name, plugin] : plugins) {
    if (kong_kind(name) == KongKind::guard) {
      const auto* const known = find_word(kong_words(), name);
      close_route(route, known != nullptr ? name : "a plugin", plugin->spot, "plugin " + name,
                  known != nullptr ? std::string(known->why)
                                   : "headgate import does not know this plugin, which may refuse requests");
    } else if (plugin->has("_config") && kong_kind(name) == KongKind::translated) {
      access.close(*plugin, "_config: its options are defined elsewhere; write them in the plugin");
    }
  }
}

}  // namespace headgate::translate
