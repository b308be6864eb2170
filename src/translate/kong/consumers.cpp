// Translates consumers: their keys and secrets, and their own limits.

#include "translate/draft/json.hpp"
#include "translate/kong/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"
#include "headgate/identity/key_record.hpp"
#include "headgate/identity/sha256.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;
/// Credentials, groups and plugins outside of the consumer, by the consumer that they name.
using ByConsumer = std::multimap<std::string, const TreeNode*>;

bool keeps_out(std::string_view plugin) {
  constexpr std::string_view kAccess[] = {"acl", "basic-auth", "ip-restriction",
                                          "jwt", "key-auth",   "request-termination"};
  return kong_kind(plugin) == KongKind::guard || std::ranges::find(kAccess, plugin) != std::end(kAccess);
}

ByConsumer beside(const TreeNode& document, std::string_view list, std::string_view key = "consumer") {
  ByConsumer out;
  for (const auto* each : document[list].each()) out.emplace(reference(*each, key), each);
  return out;
}

/// Returns all plugins for a consumer or a group that are listed elsewhere in the document.
ByConsumer plugins_for(const TreeNode& document, std::string_view key) {
  ByConsumer out;
  const auto add = [&](const TreeNode& node) {
    for (const auto* plugin : node["plugins"].each())
      if (plugin->has(key)) out.emplace(reference(*plugin, key), plugin);
  };
  add(document);
  for (const auto* routes : {&document["routes"], &document["services"]})
    for (const auto* node : routes->each()) {
      add(*node);
      for (const auto* route : (*node)["routes"].each()) add(*route);
    }
  return out;
}

/// Returns the nodes in `list` of the consumer, and those elsewhere that name the consumer.
std::vector<const TreeNode*> of_consumer(const TreeNode& consumer, std::string_view list, const ByConsumer& others) {
  auto out = consumer[list].each();
  for (const auto* key : {"username", "id", "custom_id"})
    if (const auto name = consumer.get(key); !name.empty())
      for (auto [at, end] = others.equal_range(name); at != end; ++at) out.push_back(at->second);
  return out;
}

/// The parts of a document that refer to consumers from outside of them.
struct Beside {
  explicit Beside(const TreeNode& document)
      : keys(beside(document, "keyauth_credentials")),
        secrets(beside(document, "jwt_secrets")),
        groups(beside(document, "acls")),
        plugins(plugins_for(document, "consumer")),
        plugins_of_groups(plugins_for(document, "consumer_group")) {
    for (const auto* group : document["consumer_groups"].each())
      for (const auto* plugin : (*group)["plugins"].each()) plugins_of_groups.emplace(group->get("name"), plugin);
  }
  ByConsumer keys;
  ByConsumer secrets;
  ByConsumer groups;
  ByConsumer plugins;
  ByConsumer plugins_of_groups;
};

/// The limits of consumers, as tiers of one limit.
struct Tiers {
  DraftEntry limit;
  Members tiers;
};

/// Adds the tier of a consumer that has a key.
void add_tier(KongWork& work, const KongConsumer& consumer, const TreeNode& plugin, const std::string& rates,
              Tiers& out) {
  if (!consumer.has_key)
    return work.draft.say(Matter::lost, plugin.spot, "rate-limiting of " + consumer.owner,
                          "limits of consumers count by API key, and this consumer has no key");
  if (out.tiers.empty()) out.limit.spot = plugin.spot;
  out.tiers.emplace_back(consumer.owner, object_of({{"rate", rates}}));
  work.limited_owners.push_back(consumer.owner);
  constexpr std::size_t kMaxTiers = 1000;  // maximum number, because each limit of a route lists all of these consumers
  if (work.limited_owners.size() > kMaxTiers)
    throw Unreadable(plugin.spot, "more than " + std::to_string(kMaxTiers) + " consumers have limits of their own");
}

/// Returns the plugin that limits the consumer, or null.
const TreeNode* take_plugins(KongWork& work, const Beside& others, KongConsumer& consumer) {
  auto plugins = of_consumer(*consumer.node, "plugins", others.plugins);
  for (const auto* group : (*consumer.node)["groups"].each()) {
    const auto name = group->is_text() ? group->text : group->get("name");
    for (auto [at, end] = others.plugins_of_groups.equal_range(name); at != end; ++at) plugins.push_back(at->second);
  }
  const TreeNode* limit = nullptr;
  for (const auto* plugin : plugins) {
    const auto name = plugin->get("name");
    if (!is_enabled(*plugin)) continue;
    if (name == "rate-limiting" && limit == nullptr) {
      limit = plugin;
    } else if (keeps_out(name)) {
      consumer.refused = (*plugin)["config"].has("trigger") ? name + " with a trigger" : name;
      work.draft.say(
          name == "request-termination" ? Matter::differs : Matter::lost, plugin->spot, "plugin " + name,
          "headgate does not apply it to a single consumer, so no credential of " + consumer.owner + " is known here");
    } else {
      work.draft.say(kong_kind(name) == KongKind::harmless ? Matter::aside : Matter::lost, plugin->spot,
                     "plugin " + name, "headgate does not apply it to a single consumer");
    }
  }
  return limit;
}

/// Returns the groups of a consumer that can be tags of its keys. A group that cannot be a tag admits nobody, even if
/// an acl allows it.
std::vector<std::string> tags_of(const KongConsumer& consumer) {
  constexpr std::size_t kMaxTags = 16;
  std::vector<std::string> out;
  for (const auto& group : consumer.groups)
    if (is_tag(group) && out.size() < kMaxTags) out.push_back(group);
  return out;
}

void take_keys(KongWork& work, const Beside& others, KongConsumer& consumer, bool tiered, Members& keys) {
  for (const auto* credential : of_consumer(*consumer.node, "keyauth_credentials", others.keys)) {
    const auto key = credential->get("key");
    const auto lost = [&](const std::string& what, const std::string& why) {
      say(work.draft.identity, Matter::lost, credential->spot, what + consumer.owner, why);
    };
    if (consumer.has_key)
      return lost("another key of ", "an owner has one key here; a key file (headgate keys new) allows several");
    if (key.empty()) {
      lost("a key of ", "Kong generates this key, so it is not in the file");
    } else if (is_elsewhere(key)) {
      lost("a key of ", "it is stored elsewhere: write \"key\": \"${NAME}\" with a variable that contains it");
    } else if (credential->has("ttl")) {
      lost("a key of ", "it expires (ttl): a key file (headgate keys new) has \"expires\"");
    } else {
      Members members{{"sha256", json_text(hex(identity::sha256(key)))}};
      if (tiered) members.emplace_back("tier", json_text(consumer.owner));
      if (const auto tags = tags_of(consumer); !tags.empty()) members.emplace_back("tags", texts_of(tags));
      keys.emplace_back(consumer.owner, object_of(members));
      consumer.has_key = true;
    }
  }
}

/// Returns the name of the variable for a secret, such as "KONG_JWT_ACME".
std::string variable_for(KongWork& work, const std::string& owner) {
  std::string name = "KONG_JWT_";
  for (const char c : owner) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += letter ? static_cast<char>(c - ('a' - 'A')) : plain ? c : '_';
  }
  std::string out = name;
  for (int i = 2; !work.draft.variables.insert(out).second; ++i) out = name + '_' + std::to_string(i);
  return out;
}

void take_secrets(KongWork& work, const Beside& others, KongConsumer& consumer, std::vector<std::string>& issuers) {
  for (const auto* secret : of_consumer(*consumer.node, "jwt_secrets", others.secrets)) {
    const auto key = secret->get("key");
    const auto algorithm = secret->get("algorithm", "HS256");
    if (key.empty() || is_elsewhere(key)) {
      say(work.draft.identity, Matter::lost, secret->spot, "a jwt secret of " + consumer.owner,
          "it has no \"key\", which is the \"iss\" of its tokens: write it in \"issuers\"");
    } else if (!algorithm.starts_with("HS")) {
      say(work.draft.identity, Matter::lost, secret->spot, "rsa_public_key of " + consumer.owner,
          "write it into a file, and { \"issuer\": \"" + key + "\", \"algorithms\": [\"" + algorithm +
              "\"], \"public_key\": FILE } in \"issuers\" of \"jwt\"");
    } else {
      const auto variable = variable_for(work, consumer.owner);
      issuers.push_back(object_of({{"issuer", json_text(key)},
                                   {"algorithms", texts_of({algorithm})},
                                   {"secret", json_with_variables("${" + variable + "}")}}));
      consumer.issuers.push_back(key);
      say(work.draft.identity, Matter::differs, secret->spot, "secret of " + consumer.owner,
          "secrets are not copied: set the variable " + variable + " to it, of at least " +
              (algorithm == "HS512"   ? "64"
               : algorithm == "HS384" ? "48"
                                      : "32") +
              " bytes");
    }
  }
}

void say_of_others(Draft& draft, const TreeNode& node) {
  for (const auto* other :
       {"basicauth_credentials", "hmacauth_credentials", "oauth2_credentials", "mtls_auth_credentials"})
    if (node.has(other))
      draft.say(Matter::lost, node[other].spot, other,
                "headgate has API keys and token issuers for consumers, and files of users for passwords");
}

void put_limits(KongWork& work, Tiers found) {
  if (found.tiers.empty()) return;
  auto& limit = found.limit;
  limit.name = free_name("consumers", work.draft.limit_names);
  limit.from = "rate-limiting of consumers";
  limit.comments.emplace_back("Consumers with their own rates; all others have the limits of their routes.");
  found.tiers.emplace_back("others", json_text("unlimited"));
  limit.set("per", json_text("api_key"));
  limit.set("tier_from", json_text("api_key"));
  limit.set("tiers", object_of(found.tiers));
  limit.set("default_tier", json_text("others"));
  limit.set("algorithm", json_text("fixed_window"));
  limit.set("if_absent", json_text("skip"));
  work.draft.all_routes.use(limit.name);
  put_limit(work.draft, std::move(limit));
}

}  // namespace

bool is_tag(std::string_view group) noexcept {
  constexpr std::size_t kLongest = 64;
  return !group.empty() && group.size() <= kLongest && all_alnum(group, "-_.");
}

bool is_elsewhere(std::string_view secret) noexcept {
  return secret.starts_with("{vault://") || secret.find("${") != std::string_view::npos;
}

const KongConsumer* KongWork::consumer(const std::string& name_or_id) const noexcept {
  const auto found = consumers_by_name.find(name_or_id);
  return found == consumers_by_name.end() ? nullptr : &consumers[found->second];
}

void take_consumers(KongWork& work, const TreeNode& document) {
  const Beside others(document);
  Members keys;
  std::vector<std::string> issuers;
  TakenNames names;
  Tiers tiers;
  for (const auto* node : document["consumers"].each()) {
    KongConsumer consumer;
    consumer.node = node;
    const auto written = node->get("username", node->get("custom_id"));
    consumer.owner = free_name(written, names);
    if (consumer.owner != written)
      say(work.draft.identity, Matter::differs, node->spot, written, "its name here is " + consumer.owner);
    for (const auto* group : of_consumer(*node, "acls", others.groups)) consumer.groups.insert(group->get("group"));
    const auto* plugin = take_plugins(work, others, consumer);
    const auto rates = plugin == nullptr ? std::string() : kong_rates((*plugin)["config"], tiers.limit);
    if (consumer.refused.empty()) {
      take_keys(work, others, consumer, !rates.empty(), keys);
      take_secrets(work, others, consumer, issuers);
      if (!rates.empty()) add_tier(work, consumer, *plugin, rates, tiers);
    }
    say_of_others(work.draft, *node);
    for (const auto* key : {"username", "id", "custom_id"})
      if (auto name = node->get(key); !name.empty())
        work.consumers_by_name.emplace(std::move(name), work.consumers.size());
    work.consumers.push_back(std::move(consumer));
  }
  say_of_others(work.draft, document);
  if (!issuers.empty()) work.issuers = list_of(issuers);
  if (!keys.empty()) {
    work.draft.identity.comments.emplace_back("Keys are stored only as SHA-256.");
    work.keys = object_of(keys);
    work.draft.identity.set("api_key", object_of({{"keys", work.keys}}));
  }
  put_limits(work, std::move(tiers));
}

}  // namespace headgate::translate
