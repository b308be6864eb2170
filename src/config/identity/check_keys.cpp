// Checks that the tiers and limits that known API keys name exist.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <set>

namespace headgate::config {
namespace {

class KeyChecker {
 public:
  explicit KeyChecker(Build& build) : build_(build), report_(build.report), tiers_(tiers_by_key(build)) {
    for (const Node* route : children(find(&build.root, "routes"), Kind::list))
      for (const Node* tier : texts(find(find(find(route, "require"), "api_key"), "tiers")))
        demanded_.insert(tier->text);
  }

  void run() {
    const Node* api_key = find(find(&build_.root, "identity"), "api_key");
    for (const Node* each : children(find(api_key, "keys"), Kind::object)) {
      if (const Node* tier = text_at(each, "tier")) check_tier(*tier);
    }
    // The key file may change at any time, so a wrong name in it is only a warning and does not prevent a start.
    for (const auto& key : build_.keys_in_file) check_record(*find(api_key, "file"), key);
  }

 private:
  static constexpr std::size_t kShown = 8;  // mistakes of one kind in the key file

  /// The nodes of all tiers that a known key can name.
  static std::vector<const Node*> tiers_by_key(const Build& build) {
    std::vector<const Node*> out;
    for (std::size_t i = 0; i < build.config.limits.size(); ++i) {
      const auto& from = build.config.limits[i].tier_from;
      if (!from || from->source->needs != gateway::Needs::api_key) continue;
      if (const Node* tiers = find(build.limit_nodes[i], "tiers"))
        out.insert(out.end(), tiers->children.begin(), tiers->children.end());
    }
    return out;
  }

  bool is_tier(const std::string& name) const {
    return demanded_.contains(name) ||
           std::any_of(tiers_.begin(), tiers_.end(), [&](const Node* known) { return known->key == name; });
  }

  void check_tier(const Node& tier) {
    if (is_tier(tier.text)) return;
    if (tiers_.empty()) {
      report_.warning_at_key(code::kNoEffect, tier, "\"tier\" has no effect: no limit takes its tier from the API key",
                             R"(write "tier_from": "api_key" at a limit with tiers, or remove it)");
    } else {
      report_.error(code::kUnresolved, tier, "no tier is named " + in_quotes(tier.written),
                    tier.replaced ? "" : suggestion(tier.text, tiers_, report_));
    }
  }

  void check_record(const Node& file, const identity::ApiKeyRecord& key) {
    if (!key.tier.empty() && !is_tier(key.tier) && is_news(told_tiers_, tiers_.empty() ? "" : key.tier)) {
      const std::string has = "a key of " + in_quotes(key.owner) + " in this file has the tier " + in_quotes(key.tier);
      tiers_.empty() ? report_.warning(code::kNoEffect, file, has + ", but no limit takes its tier from the API key",
                                       R"(write "tier_from": "api_key" at a limit with tiers)")
                     : report_.warning(code::kNoEffect, file, has + ", but there is no such tier: it gets the default",
                                       suggestion(key.tier, tiers_, report_));
    }
    for (const auto& own : key.overrides) {
      if (limit_index(build_, own.limit) >= 0 || !is_news(told_limits_, own.limit)) continue;
      report_.warning(code::kNoEffect, file,
                      "a key of " + in_quotes(key.owner) + " in this file overrides limit " + in_quotes(own.limit) +
                          ", which does not exist",
                      suggestion(own.limit, build_.limit_nodes, report_));
    }
  }

  static bool is_news(std::set<std::string>& told, const std::string& name) {
    return told.size() < kShown && told.insert(name).second;
  }

  Build& build_;
  Report& report_;
  std::vector<const Node*> tiers_;
  std::set<std::string> demanded_;  // tiers that routes demand of a key
  std::set<std::string> told_tiers_;
  std::set<std::string> told_limits_;
};

}  // namespace

void check_keys(Build& build) { KeyChecker(build).run(); }

}  // namespace headgate::config
