// Consumers: their keys, and limits of their own.

#include "translate/draft/json.hpp"
#include "translate/kong/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/identity/key_record.hpp"
#include "headgate/identity/sha256.hpp"

#include <set>

namespace headgate::translate {
namespace {

/// The plugin of a consumer that limits it, or null.
const TreeNode* limit_of(const TreeNode& consumer, const std::map<std::string, const TreeNode*>& elsewhere) {
  for (const auto* plugin : consumer["plugins"].each())
    if (plugin->get("name") == "rate-limiting") return plugin;
  const auto found = elsewhere.find(consumer.get("username"));
  return found == elsewhere.end() ? nullptr : found->second;
}

std::map<std::string, const TreeNode*> limits_by_consumer(const TreeNode& document) {
  std::map<std::string, const TreeNode*> out;
  for (const auto* plugin : document["plugins"].each())
    if (plugin->get("name") == "rate-limiting" && plugin->has("consumer"))
      out.emplace(plugin->get("consumer", (*plugin)["consumer"].get("username")), plugin);
  return out;
}

/// Keys that stand beside the consumers.
std::multimap<std::string, const TreeNode*> keys_beside(const TreeNode& document) {
  std::multimap<std::string, const TreeNode*> out;
  for (const auto* key : document["keyauth_credentials"].each())
    out.emplace(key->get("consumer", (*key)["consumer"].get("username")), key);
  return out;
}

std::string key_json(const std::string& key, const std::string& tier) {
  std::vector<std::pair<std::string, std::string>> members{
      {"sha256", json_text(identity::hexadecimal(identity::sha256(key)))}};
  if (!tier.empty()) members.emplace_back("tier", json_text(tier));
  return object_of(members);
}

}  // namespace

void take_consumers(KongWork& work, const TreeNode& document) {
  const auto elsewhere = limits_by_consumer(document);
  const auto beside = keys_beside(document);
  std::vector<std::pair<std::string, std::string>> keys;
  std::vector<std::pair<std::string, std::string>> tiers;
  TakenNames names;
  DraftEntry limit;
  for (const auto* consumer : document["consumers"].each()) {
    const auto written = consumer->get("username", consumer->get("custom_id"));
    const auto owner = free_name(written, names);
    if (owner != written)
      say(work.draft.identity, Matter::differs, consumer->spot, written, "its name here is " + owner);
    std::string tier;
    if (const auto* const plugin = limit_of(*consumer, elsewhere)) {
      const auto rates = kong_rates((*plugin)["config"], limit);
      if (!rates.empty()) {
        tier = owner;
        if (tiers.empty()) limit.spot = plugin->spot;
        tiers.emplace_back(owner, object_of({{"rate", rates}}));
        work.limited_owners.push_back(owner);
        constexpr std::size_t kMaxTiers = 1000;  // each limit of a route names them
        if (work.limited_owners.size() > kMaxTiers)
          throw Unreadable(plugin->spot,
                           "more than " + std::to_string(kMaxTiers) + " consumers have limits of their own");
      }
    }
    for (const auto* plugin : (*consumer)["plugins"].each())
      if (plugin->get("name") != "rate-limiting")
        work.draft.say(Matter::lost, plugin->spot, "plugin " + plugin->get("name"), "headgate has none for a consumer");
    std::vector<const TreeNode*> credentials;
    for (const auto* key : (*consumer)["keyauth_credentials"].each()) credentials.push_back(key);
    for (auto [at, end] = beside.equal_range(written); at != end; ++at) credentials.push_back(at->second);
    for (std::size_t i = 0; i < credentials.size(); ++i) {
      const auto key = credentials[i]->get("key");
      if (i > 0) {
        say(work.draft.identity, Matter::lost, credentials[i]->spot, "another key of " + owner,
            "here an owner has one key; a key file (headgate keys new) has several");
        break;
      }
      if (key.empty()) {
        say(work.draft.identity, Matter::lost, credentials[i]->spot, "a key of " + owner,
            "Kong makes it by itself: nobody knows it");
        continue;
      }
      keys.emplace_back(owner, key_json(key, tier));
    }
    for (const auto* other :
         {"jwt_secrets", "basicauth_credentials", "hmacauth_credentials", "oauth2_credentials", "acls"})
      if (consumer->has(other))
        work.draft.say(Matter::lost, (*consumer)[other].spot, other,
                       "headgate knows API keys by name, tokens by their issuer");
  }
  if (!keys.empty()) {
    work.knows_keys = true;
    work.draft.identity.comments.emplace_back("Of each key only its SHA-256 is here.");
    work.keys = object_of(keys);
    work.draft.identity.set("api_key", object_of({{"keys", work.keys}}));
  }
  if (tiers.empty()) return;
  limit.name = free_name("consumers", work.draft.limit_names);
  limit.from = "rate-limiting of consumers";
  limit.comments.emplace_back("Each consumer with a rate of its own; all others have the limits of their routes.");
  tiers.emplace_back("others", json_text("unlimited"));
  limit.set("per", json_text("api_key"));
  limit.set("tier_from", json_text("api_key"));
  limit.set("tiers", object_of(tiers));
  limit.set("default_tier", json_text("others"));
  limit.set("algorithm", json_text("fixed_window"));
  limit.set("if_absent", json_text("skip"));
  work.draft.all_routes.use(limit.name);
  put_limit(work.draft, std::move(limit));
}

}  // namespace headgate::translate
