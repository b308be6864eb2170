#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace headgate::config {
namespace {

using gateway::LimitUse;
using gateway::Needs;
using gateway::Require;
using gateway::RouteOptions;
using limit::Per;

// One use of a limit: the place where it is written, and the limit.
struct Use {
  const Node* node = nullptr;
  const Node* name = nullptr;
  const limit::Limit* limit = nullptr;  // null if no limit has that name
  const LimitUse* how = nullptr;
};

// Returns the largest number of rules in one tier; a request is in one tier only.
std::size_t most_rules(const limit::Limit& limit) {
  std::size_t most = 0;
  for (const auto& tier : limit.tiers) most = std::max(most, tier.rules.size());
  return most;
}

class PlanChecker {
 public:
  explicit PlanChecker(Build& build) : build_(build), report_(build.report) {
    for (const auto& key : build.keys_in_file)
      if (!key.overrides.empty()) keys_with_sizes_.push_back(&key);
  }

  void run() {
    const auto& options = build_.config.gateway;
    const auto common = resolve(options.all_routes.limits, find(&build_.root, "all_routes"));
    check_costs(common);
    check_twice(common, {});
    for (std::size_t i = 0; i < options.routes.size(); ++i) route(options.routes[i], *build_.route_nodes[i], common);
    check_parameters();
  }

 private:
  std::vector<Use> resolve(const std::vector<LimitUse>& uses, const Node* section) {
    std::vector<Use> out;
    const auto nodes = children(find(section, "limits"), Kind::list);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      Use use;
      use.node = nodes[i];
      use.name = nodes[i]->kind == Kind::string ? nodes[i] : text_at(nodes[i], "use");
      use.how = &uses[i];
      if (use.name == nullptr || use.name->kind != Kind::string) continue;
      if (const int index = limit_index(build_, uses[i].limit); index >= 0) {
        use.limit = &build_.config.limits[static_cast<std::size_t>(index)];
      } else if (!use.name->replaced) {
        auto help = suggestion(uses[i].limit, build_.limit_nodes, report_);
        if (help.empty())
          help = R"(define it: "limits": { )" + in_quotes(uses[i].limit) +
                 R"(: { "rate": "100/minute", "per": "client_ip" } })";
        report_.error(code::kUnresolved, *use.name, "no limit is named " + in_quotes(use.name->written), help);
      } else {
        report_.error(code::kUnresolved, *use.name,
                      "the value of " + in_quotes(use.name->written) + " is not the name of a limit");
      }
      out.push_back(use);
    }
    return out;
  }

  void route(const RouteOptions& route, const Node& node, const std::vector<Use>& common) {
    const auto skipped = skips(node, common);
    std::vector<Use> plan;
    std::copy_if(common.begin(), common.end(), std::back_inserter(plan),
                 [&](const Use& use) { return use.limit != nullptr && !skipped.contains(use.limit->name); });
    const auto own = resolve(route.limits, &node);
    check_twice(own, plan);
    check_costs(own);
    check_apis(route, own);
    for (const auto& use : plan) check_keys(route, use, Origin::all_routes);
    for (const auto& use : own) check_keys(route, use, Origin::route);
    plan.insert(plan.end(), own.begin(), own.end());
    check_asked_again(route, plan);
    const auto upstreams = upstreams_of(build_, route);
    std::size_t rules = std::any_of(upstreams.begin(), upstreams.end(), [](const auto* each) {
      return each->concurrency && each->concurrency->in_flight > 0;
    });
    for (const auto& use : plan) rules += use.limit == nullptr ? 0 : most_rules(*use.limit);
    if (rules <= limit::kMaxRulesPerRequest) return check_own_sizes(route, plan);
    const Node* limits = find(&node, "limits");
    report_.error_at_key(code::kTooManyRules, limits == nullptr ? node : *limits,
                         route_text(route) + " has " + std::to_string(rules) +
                             " rates, and one request can have at most " + std::to_string(limit::kMaxRulesPerRequest),
                         "merge limits, or skip some of all_routes with \"skip_limits\"");
  }

  /// Reports limits whose rejection makes the gateway check all limits of the request again: a limit that counts
  /// rejected requests would then count one request several times.
  void check_asked_again(const RouteOptions& route, const std::vector<Use>& plan) {
    const auto counts = std::find_if(plan.begin(), plan.end(),
                                     [](const Use& use) { return use.limit != nullptr && use.limit->count_rejected; });
    if (counts == plan.end()) return;
    for (const auto& use : plan) {
      if (use.limit == nullptr) continue;
      const bool queues = std::any_of(use.limit->tiers.begin(), use.limit->tiers.end(), [](const limit::Tier& tier) {
        return std::any_of(tier.rules.begin(), tier.rules.end(),
                           [](const limit::Rule& rule) { return !rule.algorithm->refills && rule.wait > Duration(0); });
      });
      const bool clamps = use.how != nullptr && use.how->cost.hold.clamp;
      const bool extends = use.how != nullptr && use.how->cost.hold.extends;
      const char* const why = queues                    ? "lets a request wait for a permit"
                              : use.limit->shards > 1   ? "asks several shards"
                              : use.limit->appointments ? "hands out appointments"
                              : clamps                  ? "is asked again with a smaller hold (\"clamp\")"
                              : extends                 ? "is asked again for the rest of a stream (\"extend\")"
                                                        : nullptr;
      if (why == nullptr || (use.limit->count_rejected && !clamps && !extends)) continue;
      report_.error(code::kConflict, *counts->name,
                    "limit " + in_quotes(counts->limit->name) + " counts rejected requests, and limit " +
                        in_quotes(use.limit->name) + " of " + route_text(route) + ' ' + why +
                        ": one request would count several times",
                    "use one of the two on this route, or leave \"count_rejected\" out");
      return;
    }
  }

  /// A known key with overrides has its own rates instead of the limit's. Reports only the first key with too many
  /// rates. Checks the keys once for all routes with the same limits, because there may be many keys and many routes.
  void check_own_sizes(const RouteOptions& route, const std::vector<Use>& plan) {
    if (keys_with_sizes_.empty()) return;
    std::vector<const limit::Limit*> limits;
    limits.reserve(plan.size());
    for (const auto& use : plan) limits.push_back(use.limit);
    if (!sized_.insert(std::move(limits)).second) return;
    for (const auto* each : keys_with_sizes_) {
      const auto& key = *each;
      std::size_t rules = 0;
      for (const auto& use : plan) rules += use.limit == nullptr ? 0 : rules_for(key, *use.limit);
      if (rules <= limit::kMaxRulesPerRequest) continue;
      const Node* file = find(find(find(&build_.root, "identity"), "api_key"), "file");
      report_.error(code::kTooManyRules, *file,
                    "a key of " + in_quotes(key.owner) + " in this file gives " + route_text(route) + " a total of " +
                        std::to_string(rules) + " rates, and one request can have at most " +
                        std::to_string(limit::kMaxRulesPerRequest),
                    "give the key fewer rates of its own");
      return;
    }
  }

  static std::size_t rules_for(const identity::ApiKeyRecord& key, const limit::Limit& limit) {
    const auto own = std::find_if(key.overrides.begin(), key.overrides.end(),
                                  [&](const auto& each) { return each.limit == limit.name; });
    return own == key.overrides.end() ? most_rules(limit) : own->rates.size();
  }

  std::set<std::string> skips(const Node& node, const std::vector<Use>& common) {
    std::set<std::string> out;
    for (const Node* each : texts(find(&node, "skip_limits"))) {
      const auto same = [&](const Use& use) { return use.name->text == each->text; };
      if (std::any_of(common.begin(), common.end(), same)) {
        out.insert(each->text);
        continue;
      }
      std::vector<std::string> names;
      names.reserve(common.size());
      for (const auto& use : common) names.push_back(use.name->text);
      const auto near = nearest(each->text, names);
      report_.error(code::kUnresolved, *each, in_quotes(each->written) + " is not among the limits of \"all_routes\"",
                    near.empty() ? "only those can be skipped" : "did you mean " + in_quotes(near) + "?");
    }
    return out;
  }

  void check_twice(const std::vector<Use>& own, const std::vector<Use>& common) {
    std::map<const limit::Limit*, const Use*> seen;
    for (const auto& use : common) seen.emplace(use.limit, &use);
    for (const auto& use : own) {
      if (use.limit == nullptr) continue;
      const auto [first, fresh] = seen.emplace(use.limit, &use);
      if (fresh) continue;
      const bool everywhere =
          std::any_of(common.begin(), common.end(), [&](const Use& each) { return each.limit == use.limit; });
      report_.error(code::kDuplicate, *use.name,
                    "limit " + in_quotes(use.limit->name) + " applies here already, from " +
                        report_.place(first->second->node->span.begin),
                    everywhere ? "leave it out, or skip that one with \"skip_limits\" to use another cost"
                               : "remove one of the two");
    }
  }

  void check_costs(const std::vector<Use>& uses) {
    for (const auto& use : uses) {
      if (use.limit != nullptr) check_cost(build_, *use.node, *use.how, *use.limit);
    }
  }

  /// The answers of a route have the shape of one API.
  void check_apis(const RouteOptions& route, const std::vector<Use>& uses) {
    const Use* first = nullptr;
    for (const auto& use : uses) {
      const auto& cost = use.how->cost;
      if (cost.from == nullptr) continue;
      check_price(use, cost);
      if (!cost.from->of_api) continue;
      if (first == nullptr) first = &use;
      const auto& known = first->how->cost.name;
      if (known == cost.name) continue;
      report_.error(code::kConflict, *find(find(use.node, "cost"), cost.from->word),
                    "the answers of " + route_text(route) + " are read as " + in_quotes(known) + " already",
                    "write the same API, or use a route for each");
    }
  }

  void check_price(const Use& use, const gateway::Cost& cost) {
    if (use.limit == nullptr) return;
    const Node& written = *find(use.node, "cost");
    const bool money = use.limit->unit == limit::Unit::money && cost.from->of_api;
    if (money && build_.config.identity.price_file.empty())
      report_.error_at_key(code::kUnresolved, written,
                           "limit " + in_quotes(use.limit->name) + " counts money, but no file has the prices",
                           R"(add "prices": "prices.json" to the file)");
    const Node* unpriced = find(&written, "unpriced");
    if (unpriced != nullptr && !money)
      report_.error_at_key(code::kConflict, *unpriced,
                           "\"unpriced\" has no meaning here, because limit " + in_quotes(use.limit->name) +
                               " does not count the money of calls",
                           R"(remove it, or write "unit": "money" in the limit and "usage" in the cost)");
  }

  enum class Origin { all_routes, route };

  void check_keys(const RouteOptions& route, const Use& use, Origin origin) {
    if (use.limit == nullptr) return;
    note_parameters(route, *use.limit);
    const bool by_token = std::any_of(use.limit->per.begin(), use.limit->per.end(),
                                      [](const Per& per) { return per.source->needs == Needs::token; });
    if (by_token && has_no_place_for_tokens(build_, route))
      report_.warning(code::kNoEffect, *use.name,
                      "no request of " + route_text(route) + " has a token, by which limit " +
                          in_quotes(use.limit->name) + R"( counts: its "Authorization" has a password)",
                      R"(give tokens another place: "identity": { "jwt": { "cookie": "session" } })");
    if (find(limit_node(*use.limit), "if_absent") != nullptr) return;
    const auto unsure = std::find_if(use.limit->per.begin(), use.limit->per.end(),
                                     [&](const Per& per) { return may_lack(route, per); });
    if (unsure == use.limit->per.end()) return;
    const std::string counts = (origin == Origin::route ? "its limit " : "limit ") + in_quotes(use.limit->name) +
                               (origin == Origin::route ? "" : " of all_routes") + " counts per " +
                               gateway::to_text(*unsure);
    const std::string absent = R"("if_absent": "client_ip" to the limit)";
    const auto needs = unsure->source->needs;
    if (needs == Needs::path_parameter) {
      report_.error(code::kKeyAbsent, *use.name,
                    "the path of " + route_text(route) + " has no {" + unsure->name + "}, by which limit " +
                        in_quotes(use.limit->name) + " counts",
                    "name it in the path, or add " + absent);
      return;
    }
    if (needs == Needs::field || needs == Needs::cookie || needs == Needs::part || needs == Needs::body ||
        needs == Needs::descriptor) {
      report_.error(
          code::kKeyAbsent, *use.name,
          "a request may lack the " + part_text(*unsure) + ", by which limit " + in_quotes(use.limit->name) + " counts",
          needs == Needs::descriptor ? "name it in the \"match\" of the descriptors" : "add " + absent);
      return;
    }
    if (needs == Needs::certificate && route.require == Require::mtls) {
      report_.error(code::kKeyAbsent, *use.name,
                    "a client certificate that a PROXY header reports has no " + unsure->name + ", by which limit " +
                        in_quotes(use.limit->name) + " counts",
                    "add " + absent);
      return;
    }
    if (needs == Needs::service && route.auth) {
      report_.error(code::kKeyAbsent, *use.name,
                    "while its auth service is down, requests have no " + gateway::to_text(*unsure) +
                        ", by which limit " + in_quotes(use.limit->name) + " counts",
                    "add " + absent + R"(, or write "if_down": "reject")");
      return;
    }
    // A limit of all_routes is reported once, even if many routes show the mistake.
    if (origin == Origin::all_routes && !told_.insert(use.limit).second) return;
    if (needs == Needs::user) {
      report_.error(code::kKeyAbsent, *use.name, route_text(route) + " asks for no password, but " + counts,
                    R"(add "basic": "users.htpasswd" to the route, or )" + absent);
      return;
    }
    if (needs == Needs::service) {
      report_.error(code::kKeyAbsent, *use.name, route_text(route) + " asks no auth service, but " + counts,
                    R"(add "auth": { "url": "http://auth/check" } to the route, or )" + absent);
      return;
    }
    report_.error(code::kKeyAbsent, *use.name,
                  route_text(route) + " does not require " + credential(needs) + ", but " + counts,
                  "add \"require\": " + in_quotes(word(needs)) + " to the route, or " + absent);
  }

  static std::string credential(Needs needs) {
    if (needs == Needs::certificate) return "a client certificate";
    return needs == Needs::token ? "a JWT" : "an API key";
  }
  static std::string_view word(Needs needs) {
    if (needs == Needs::certificate) return "mtls";
    return needs == Needs::token ? "jwt" : "api_key";
  }

  /// Returns, for example, "field x-tenant".
  static std::string part_text(const Per& per) {
    const auto& name = per.source->name;
    return name.read == nullptr ? per.source->noun({}) : std::string(name.what) + ' ' + per.name;
  }

  const Node* limit_node(const limit::Limit& limit) const {
    return build_.limit_nodes[static_cast<std::size_t>(&limit - build_.config.limits.data())];
  }

  static bool has_parameter(const RouteOptions& route, const std::string& name) {
    return route.path.find('{' + name + '}') != std::string::npos;
  }

  void note_parameters(const RouteOptions& route, const limit::Limit& limit) {
    for (const auto& per : limit.per) {
      if (per.source->needs != Needs::path_parameter) continue;
      auto& met = parameters_[{&limit, per.name}];
      met = met || has_parameter(route, per.name);
    }
  }

  /// Warns about a path parameter that no route has. The limit then counts only by its "if_absent"; most likely the
  /// name is misspelt.
  void check_parameters() {
    for (const auto& [what, met] : parameters_) {
      const auto& [limit, name] = what;
      const Node* node = limit_node(*limit);
      if (met || find(node, "if_absent") == nullptr) continue;
      report_.warning(code::kNoEffect, *find(node, "per"), "no route with this limit has {" + name + "}",
                      "name it in a path, as in \"/accounts/{" + name + "}\"");
    }
  }

  /// Returns whether a listener may learn only that there is a certificate: a PROXY header says no more than that,
  /// while a listener with "client_ca" knows the whole certificate.
  bool told_only_that_there_is_one() const {
    const auto& listen = build_.config.listen;
    return !build_.config.identity.trusted_proxies.empty() &&
           std::any_of(listen.begin(), listen.end(), [](const auto& each) {
             return each.proxy_protocol && (!each.tls || each.tls->client_ca.empty());
           });
  }

  bool may_lack(const RouteOptions& route, const Per& per) const {
    switch (per.source->needs) {
      case Needs::nothing:
        return false;
      case Needs::api_key:
        return route.require != Require::api_key;
      case Needs::token:
        return route.require != Require::jwt;
      case Needs::certificate:
        return route.require != Require::mtls || told_only_that_there_is_one();
      case Needs::user:
        return !route.basic;
      case Needs::service:
        return !route.auth || route.auth->if_down == gateway::AuthIfDown::allow;
      case Needs::field:
      case Needs::cookie:
      case Needs::part:
      case Needs::body:
        return true;
      case Needs::path_parameter:
        return !has_parameter(route, per.name);
      case Needs::descriptor:
        return !route.descriptor || !route.descriptor->has(per.name);
    }
    return false;
  }

  Build& build_;
  Report& report_;
  std::set<const limit::Limit*> told_;
  std::vector<const identity::ApiKeyRecord*> keys_with_sizes_;
  std::set<std::vector<const limit::Limit*>> sized_;  // sets of limits for which the keys were checked
  std::map<std::pair<const limit::Limit*, std::string>, bool> parameters_;  // whether any route has the parameter
};

}  // namespace

void check_plans(Build& build) { PlanChecker(build).run(); }

}  // namespace headgate::config
