// Translates the configuration of Envoy's reference rate limit service (github.com/envoyproxy/ratelimit).

#include "translate/draft/json.hpp"
#include "translate/products.hpp"
#include "translate/ratelimit/work.hpp"
#include "translate/words.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace headgate::translate {
namespace {

using JsonMembers = std::vector<std::pair<std::string, std::string>>;
using RuleKeys = std::vector<std::string>;

constexpr std::size_t kMaxKeysOfALimit = 8;
constexpr std::string_view kUnorderedKeys =
    "headgate compares keys of descriptors without their order, and another entry has the same keys";

RuleKeys keys_of_rule(const RateRule& rule) {
  RuleKeys out;
  for (const auto* each : rule.path) out.push_back(each->key);
  return out;
}

bool is_repeated(const RuleKeys& keys, const std::string& key) { return std::ranges::count(keys, key) > 1; }

/// Returns the rule in the words of its file: "path=/api, user".
std::string text_of_rule(const RateRule& rule) {
  std::string out;
  for (const auto* each : rule.path)
    out.append(out.empty() ? "" : ", ").append(each->key).append(each->value.empty() ? "" : "=").append(each->value);
  return out;
}

/// Collects the rules of the nodes. All descriptors at and below a closed node are rejected, so each node there is one.
void collect_rules(const std::vector<RateNode>& nodes, bool closed_above, RateRule& above, std::vector<RateRule>& out) {
  for (const auto& node : nodes) {
    above.path.push_back(&node);
    const bool closed = closed_above || !node.closed.empty();
    if (node.does != RateDoes::nothing || closed) out.push_back(above);
    collect_rules(node.nodes, closed, above, out);
    above.path.pop_back();
  }
}

/// Writes the entries and limits of one domain.
class DomainEntries {
 public:
  DomainEntries(const RateDomain& domain, Draft& draft) : domain_(domain), draft_(draft) {
    RateRule above;
    collect_rules(domain.nodes, false, above, rules_);
    std::map<RuleKeys, std::vector<const RateRule*>> by_keys;
    std::vector<RuleKeys> order;
    for (const auto& rule : rules_) {
      if (!is_matched(rule)) continue;
      auto& same = by_keys[keys_of_rule(rule)];
      if (same.empty()) order.push_back(keys_of_rule(rule));
      same.push_back(&rule);
      if (shares_limit(rule)) ++alike_[name_of_alike(rule)];
    }
    std::map<RuleKeys, std::vector<RateCell>> cells;
    for (const auto& keys : order) cells[keys] = cells_of(domain, by_keys[keys]);
    for (const auto& rule : rules_) put_rate_limit(rule);
    for (const auto& keys : order)
      for (const auto& cell : cells[keys]) put_entry(keys, cell);
    for (const auto& rule : rules_) say_of_replaced(rule);
    for (const auto& rule : rules_)
      if (!applied_.contains(&rule) && !lost_.contains(&rule))
        draft_.say(Matter::aside, rule.last().spot, text_of_rule(rule),
                   "the service never applies it, because another entry has the same values");
  }

 private:
  /// Returns whether `match` can have the keys of the rule. Reports it if not.
  bool is_matched(const RateRule& rule) {
    const auto keys = keys_of_rule(rule);
    for (const auto* each : rule.path)
      if (is_repeated(keys, each->key) && (each->value.empty() || each->is_beginning()))
        return lose(rule, "headgate matches only whole values of a key that a descriptor has several times");
    auto sorted = keys;
    std::ranges::sort(sorted);
    if (orders_.emplace(std::move(sorted), keys).first->second != keys) return lose(rule, std::string(kUnorderedKeys));
    return true;
  }

  bool lose(const RateRule& rule, std::string why) {
    lost_.insert(&rule);
    draft_.say(Matter::lost, rule.last().spot, text_of_rule(rule), std::move(why));
    return false;
  }

  /// Returns whether rules that differ only in their last value may be counted by one limit.
  static bool shares_limit(const RateRule& rule) {
    const auto& last = rule.last();
    return last.does == RateDoes::counts && last.name.empty() && !last.value.empty() && !last.is_beginning() &&
           !is_repeated(keys_of_rule(rule), last.key);
  }

  /// Returns a text that is equal for rules with the same rate that differ only in their last value.
  static std::string name_of_alike(const RateRule& rule) {
    auto general = rule;
    RateNode last;
    last.key = rule.last().key;
    general.path.back() = &last;
    std::string out;
    for (const auto* each : general.path)
      out += std::to_string(each->key.size()) + ':' + each->key + std::to_string(each->value.size()) + ':' +
             each->value + (each->shares ? "s" : "");
    return out + std::to_string(rule.last().count) + '/' + rule.last().period + (rule.last().observes ? "o" : "");
  }

  std::vector<std::string> counted_by(const RateRule& rule, bool by_last_value) const {
    std::vector<std::string> out;
    for (const auto* each : rule.path)
      if (each->value.empty() || (each->is_beginning() && !each->shares) || (by_last_value && each == rule.path.back()))
        out.push_back("descriptor:" + each->key);
    return out;
  }

  static bool is_closed(const RateRule& rule) {
    return std::ranges::any_of(rule.path, [](const RateNode* each) { return !each->closed.empty(); });
  }

  void put_rate_limit(const RateRule& rule) {
    const auto& last = rule.last();
    if (last.does != RateDoes::counts || lost_.contains(&rule) || is_closed(rule)) return;
    const bool several = shares_limit(rule) && alike_[name_of_alike(rule)] > 1;
    auto& known = several ? shared_[name_of_alike(rule)] : limits_[&rule];
    if (!known.empty()) {
      limits_[&rule] = known;
      return;
    }
    const auto by = counted_by(rule, several);
    if (by.size() > kMaxKeysOfALimit) {
      draft_.say(Matter::closed, last.spot, text_of_rule(rule),
                 "a limit counts by at most 8 keys: its descriptors are rejected until you write one with fewer");
      return;
    }
    DraftEntry limit;
    std::string wanted = domain_.name;
    for (const auto* each : rule.path)
      wanted += '-' + each->key + (each->value.empty() || (several && each == &last) ? "" : '-' + each->value);
    limit.name = free_name(last.name.empty() ? wanted : last.name, draft_.limit_names);
    limit.spot = last.spot;
    limit.from = text_of_rule(rule);
    if (last.period == "30d" || last.period == "365d")
      limit.comments.push_back("The service's months have 30 days, and its years 365.");
    limit.set("rate", rate_of(last.count, last.period));
    limit.set("per", by.empty() ? json_text("total") : text_or_list(by));
    limit.set("algorithm", json_text("fixed_window"));
    if (last.observes) limit.set("mode", json_text("observe"));
    known = limit.name;
    limits_[&rule] = limit.name;
    put_limit(draft_, std::move(limit));
  }

  void put_entry(const RuleKeys& keys, const RateCell& cell) {
    std::map<std::string, std::vector<std::string>> values;
    for (std::size_t i = 0; i < keys.size(); ++i) values[keys[i]].push_back(cell.patterns[i]);
    JsonMembers match;
    for (const auto& key : keys)
      if (auto found = values.extract(key)) {
        std::ranges::sort(found.mapped());
        match.emplace_back(key, text_or_list(found.mapped()));
      }
    if (!written_.insert(object_of(match)).second) {
      if (cell.rule != nullptr) lose(*cell.rule, std::string(kUnorderedKeys));
      return;
    }
    DraftEntry entry;
    entry.spot = cell.rule == nullptr ? domain_.spot : cell.rule->last().spot;
    entry.from = cell.rule == nullptr ? "domain " + domain_.name : text_of_rule(*cell.rule);
    entry.set("domain", json_text(domain_.name));
    entry.set("match", object_of(match));
    set_decision(cell.rule, entry);
    if (cell.rule != nullptr) applied_.insert(cell.rule);
    put_decision(draft_, std::move(entry));
  }

  void set_decision(const RateRule* rule, DraftEntry& entry) {
    const auto limit = limits_.find(rule);
    const bool counts = rule != nullptr && limit != limits_.end() && !limit->second.empty();
    const bool rejects = rule != nullptr && (is_closed(*rule) || rule->last().does == RateDoes::rejects ||
                                             (rule->last().does == RateDoes::counts && !counts));
    entry.set("limits", counts && !rejects ? list_of({json_text(limit->second)}) : "[]");
    if (rejects) entry.set("reject", "true");
    if (rule == nullptr)
      entry.comments.emplace_back("Free, because the service does not look for a more general entry here.");
    if (rule == nullptr || rule->last().replaces.empty()) return;
    std::vector<std::string> replaced;
    for (const auto& name : rule->last().replaces)
      for (auto& limit_name : limits_named(name, *rule)) replaced.push_back(std::move(limit_name));
    if (!replaced.empty()) entry.set("replaces", texts_of(replaced));
  }

  /// Returns the limits of the rules with this name.
  std::vector<std::string> limits_named(const std::string& name, const RateRule& replaces) const {
    std::vector<std::string> out;
    if (name.empty()) return out;
    for (const auto& [rule, limit] : limits_)
      if (rule != &replaces && rule->last().name == name && !limit.empty()) out.push_back(limit);
    return out;
  }

  void say_of_replaced(const RateRule& rule) {
    for (const auto& name : rule.last().replaces)
      if (limits_named(name, rule).empty())
        draft_.say(Matter::differs, rule.last().spot, "replaces: " + name,
                   "no entry of the domain with this name has a limit, so nothing is replaced");
  }

  const RateDomain& domain_;
  Draft& draft_;
  std::vector<RateRule> rules_;
  std::map<RuleKeys, RuleKeys> orders_;            ///< by the sorted keys: the order that is matched
  std::map<std::string, std::size_t> alike_;       ///< number of rules that may share a limit
  std::map<std::string, std::string> shared_;      ///< limits of several rules, by name_of_alike()
  std::map<const RateRule*, std::string> limits_;  ///< names of the limits
  std::set<std::string> written_;                  ///< all "match" of the domain
  std::set<const RateRule*> applied_;
  std::set<const RateRule*> lost_;
};

void take_rate_document(const TreeNode& document, std::vector<RateDomain>& domains, Draft& draft) {
  if (!document.is_map()) return;
  for (const auto& [key, value] : document.members)
    if (find_word(ratelimit_words(), key) == nullptr)
      draft.say(Matter::lost, value.spot, key, "headgate import does not know it");
  const auto& name = document["domain"];
  if (!name.is_text() || name.text.empty())
    return draft.say(Matter::lost, document.spot, "descriptors", "the service refuses a file without a domain");
  auto same = std::ranges::find(domains, name.text, &RateDomain::name);
  if (same == domains.end()) {
    domains.push_back({.name = name.text, .spot = name.spot, .nodes = {}});
    same = domains.end() - 1;
  }
  for (auto& node : read_rate_nodes(document["descriptors"], draft)) same->nodes.push_back(std::move(node));
}

void put_rate_service(Draft& draft, const Spot& spot) {
  auto& listener = draft.listeners.emplace_back();
  listener.comments.emplace_back("The service's default port for gRPC; its GRPC_PORT may set another.");
  listener.set("address", json_text(":8081"));
  listener.set("protocol", json_text("rate_limit_service"));
  draft.identity.spot = spot;
  draft.identity.set("trusted_proxies",
                     texts_of({"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}));
  say(draft.identity, Matter::differs, spot, "domain",
      "the service answers everybody, and headgate only answers these networks: write those of your proxies");
  draft.redis.spot = spot;
  draft.redis.set("url", json_text("redis://localhost:6379"));
  draft.redis.set("if_down", json_text("reject"));
  say(draft.redis, Matter::differs, spot, "domain",
      "the service takes the address of Redis from REDIS_URL: write it here");
  draft.say(Matter::differs, spot, "descriptors",
            "all descriptors of a call are decided together, and a call that is rejected takes nothing from their "
            "limits; the service counts it");
  draft.say(
      Matter::differs, spot, "descriptors",
      "a rate that the proxy sends with a descriptor (\"limit\") counts where an entry of \"decide\" has a limit that "
      "enforces; entries without limits, or whose limit observes, ignore it");
  auto& route = draft.routes.emplace_back();
  route.set("path", json_text("/*"));
  route.set("respond", R"({ "status": 404 })");
}

}  // namespace

void take_ratelimit(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<RateDomain> domains;
  for (const auto& input : inputs) {
    const auto documents = read_yaml(input.text, input.name, count);
    for (const auto& document : documents) {
      if (&document == &documents.front())
        take_rate_document(document, domains, draft);
      else
        draft.say(Matter::aside, document.spot, "---", "the service reads only the first document of a file");
    }
  }
  if (!domains.empty()) put_rate_service(draft, domains.front().spot);
  for (const auto& domain : domains) DomainEntries(domain, draft);
}

}  // namespace headgate::translate
