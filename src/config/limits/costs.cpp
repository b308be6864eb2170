// How a route uses a limit: its cost and its scale.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/scale.hpp"
#include "headgate/limit/shards.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

constexpr Shape kMethodCost = integer(0, kMaxRequests);
constexpr Shape kMethodCosts = map("an object of costs by method", kMethodCost, 1, check_method);
constexpr Shape kPositive = integer(1, kMaxRequests);

const Shape& shape_of(const gateway::CostSource& source) {
  switch (source.takes) {
    case gateway::CostTakes::methods:
      return kMethodCosts;
    case gateway::CostTakes::field:
      return kHeaderName;
    case gateway::CostTakes::text:
      break;
  }
  return kText;
}

/// Returns, for example, "With `header` and `response_header`": the sources that match.
std::string with_those(bool (*are)(const gateway::CostSource& source)) {
  std::vector<std::string> words;
  for (const auto* const source : gateway::cost_sources())
    if (are(*source)) words.push_back('`' + std::string(source->word) + '`');
  const auto last = words.back();
  words.pop_back();
  return "With " + joined(words, ", ") + (words.empty() ? "" : " and ") + last;
}

/// The keys of `cost`: one for each source, and the keys that complete them.
struct CostKeys {
  std::vector<std::string_view> forms;
  std::string otherwise = with_those([](const auto& source) { return source.known == gateway::CostKnown::before; }) +
                          ": the cost if none is given";
  std::string settled = with_those([](const auto& source) { return source.known == gateway::CostKnown::after; });
  std::string hold = settled +
                     ": permits that are reserved before the request, and charged if the answer does not give a cost, "
                     "unless the server failed";
  std::string most = with_those([](const auto& source) { return source.takes != gateway::CostTakes::methods; }) +
                     ": the largest cost (required); larger values count as this";
  std::string debt = settled +
                     ": whether a cost above the remaining permits becomes a debt, so that requests are rejected until "
                     "it is paid off. `false`: the excess is not charged";
  std::vector<Key> keys;

  CostKeys() {
    for (const auto* const source : gateway::cost_sources()) {
      forms.push_back(source->word);
      keys.push_back({source->word, &shape_of(*source), "", source->example, source->doc});
    }
    keys.push_back({"otherwise", &kPositive, kOfOptions, "1", otherwise, into<&gateway::Cost::default_value>});
    keys.push_back({"hold", &kPositive, "", "500", hold});
    keys.push_back({"most", &kPositive, "", "100000", most, into<&gateway::Cost::most>});
    keys.push_back({"debt", &kBoolean, kOfOptions, "true", debt, into<&gateway::Cost::debt>});
  }
};

const CostKeys& cost_keys() {
  static const CostKeys keys;
  return keys;
}

const Section kCost{.name = "cost",
                    .path = "routes[].limits[].cost",
                    .doc = "A cost that depends on the request or its answer.",
                    .keys = cost_keys().keys,
                    .one_of = cost_keys().forms};
constexpr Shape kCostObject = section(kCost);
constexpr const Shape* kAllCostForms[] = {&kPositive, &kCostObject};
constexpr Shape kCostShape = either("a whole number or an object", kAllCostForms);
constexpr Shape kScale = text("a fraction", check_scale);
constexpr Shape kUsedLimit = text("a limit's name");
constexpr Key kUseKeys[] = {
    {"use", &kUsedLimit, "", R"("per-ip")", "Name of the limit", into<&gateway::LimitUse::limit>, required},
    {"cost", &kCostShape, "1", "10", "Permits that one request takes: a number, or an object",
     into<&gateway::LimitUse::cost, &gateway::Cost::default_value>},
    {"scale", &kScale, "", R"("1/10")",
     "Gives the route its own counters, with this fraction or multiple of the limit"},
};
constexpr Section kUse{"limit_use", "routes[].limits[]", "A limit with a cost or size of its own.", kUseKeys};
constexpr Shape kUseObject = section(kUse);
constexpr const Shape* kUseForms[] = {&kUsedLimit, &kUseObject};
constexpr Shape kUseShape = either("a limit's name or an object", kUseForms);

}  // namespace

constexpr Shape kLimitUses = list("a list of limits", kUseShape, 0);

namespace {

using gateway::Cost;

using gateway::CostSource;
using gateway::CostTakes;

/// Returns the key of the cost that applies if the source says none.
const char* key_of_default(const Cost& cost) { return is_settled(cost) ? "hold" : "otherwise"; }

class CostBuilder {
 public:
  CostBuilder(Build& build, const Node& node, Cost& out)
      : build_(build), report_(build.report), node_(node), out_(out) {}

  void run() {
    const auto sources = gateway::cost_sources();
    const auto found =
        std::ranges::find_if(sources, [&](const CostSource* each) { return find(&node_, each->word) != nullptr; });
    if (found == sources.end()) return;
    out_.from = *found;
    const auto& source = **found;
    const bool settles = is_settled(out_);
    fill(&node_, kCost, out_);
    if (settles) {  // "hold" replaces "otherwise", which does not apply to a cost from the answer
      out_.default_value = Cost().default_value;
      read_number(&node_, "hold", out_.default_value);
    }
    if (!settles && out_.debt)
      refuse_beside(source, "debt", "remove it: only a cost from the answer can be more than what was held");
    refuse_beside(source, settles ? "otherwise" : "hold", settles ? "write \"hold\"" : "write \"otherwise\"");
    if (source.takes == CostTakes::methods) {
      refuse_beside(source, "most", "remove it");
      methods(source);
    } else {
      demand("most", std::to_string(std::max<std::int64_t>(kUsualMost, out_.default_value)));
      if (settles) demand("hold", "1");
      name(source);
    }
  }

 private:
  void refuse_beside(const CostSource& source, const char* key, const std::string& help) {
    const Node* written = find(&node_, key);
    if (written == nullptr) return;
    report_.error_at_key(code::kConflict, *written,
                         in_quotes(key) + " and " + in_quotes(source.word) + " cannot be used together", help);
  }

  static constexpr std::int64_t kUsualMost = 100;

  void demand(const char* key, const std::string& example) {
    if (find(&node_, key) != nullptr) return;
    report_.error(code::kMissing, {node_.span.begin, node_.span.begin + 1}, pointer(node_),
                  in_quotes(key) + " is missing here", "add " + in_quotes(key) + ": " + example);
  }

  void methods(const CostSource& source) {
    const Node* written = find(&node_, source.word);
    for (const Node* each : children(written, Kind::object)) {
      std::int64_t cost = 1;
      read_number(written, each->key, cost);
      out_.methods.emplace_back(each->key, cost);
    }
  }

  void name(const CostSource& source) {
    const Node* written = text_at(&node_, source.word);
    if (written == nullptr) return;
    out_.name = source.takes == CostTakes::field ? lower(written->text) : written->text;
    if (out_.default_value > out_.most && out_.most > 0) {
      const char* default_value = key_of_default(out_);
      if (const Node* place = find(&node_, default_value)) {
        report_.error(code::kConflict, *place,
                      in_quotes(default_value) + " is larger than \"most\", " + std::to_string(out_.most),
                      "lower it, or raise \"most\"");
      }
    }
    if (source.callers_write && build_.config.identity.trusted_proxies.empty()) {
      report_.warning(
          code::kBelieved, *written,
          "any caller can write the field " + out_.name + ", and so choose what its request costs",
          "let a proxy in front of headgate write it, and name that proxy in \"trusted_proxies\"; or take the cost "
          "from the answer with \"response_header\"");
    }
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  Cost& out_;
};

}  // namespace

void build_use(Build& build, const Node& node, gateway::LimitUse& out) {
  fill(&node, kUse, out);
  if (const Node* cost = find(&node, "cost"); cost != nullptr && cost->kind == Kind::object)
    CostBuilder(build, *cost, out.cost).run();
  const Node* scale = text_at(&node, "scale");
  if (scale == nullptr) return;
  if (const auto read = parse_scale(scale->text); read.has_value()) {
    out.scale_up = read->up;
    out.scale_down = read->down;
  }
}

namespace {

using limit::Rule;

/// A possible cost of a request, and where it was written.
struct Charge {
  std::int64_t cost = 1;
  const Node* place = nullptr;
  std::string what;  // the kind of request: "this request", "a POST request"
};

std::string tier_text(const limit::Limit& limit, const limit::Tier& tier) {
  return (tier.name.empty() ? std::string() : "tier " + in_quotes(tier.name) + " of ") + "limit " +
         in_quotes(limit.name);
}

class CostChecker {
 public:
  CostChecker(Build& build, const Node& node, const gateway::LimitUse& use, const limit::Limit& limit)
      : report_(build.report), node_(node), use_(use), limit_(limit) {}

  void run() {
    if (in_flight() || others()) return;
    check_appointments();
    auto tiers = limit_.tiers;
    if (use_.scale_up != use_.scale_down) {
      for (auto& tier : tiers) {
        if (!scale(tier)) return;
      }
    }
    // One shard must hold the whole cost.
    for (auto& tier : tiers) tier.rules = limit::one_shard(tier.rules, limit::shards_of(tier.rules, limit_.shards));
    for (const auto& charge : charges()) {
      // Only the first tier that is too small is reported.
      for (const auto& tier : tiers) {
        if (!fits(charge, tier)) break;
      }
    }
    const auto* const from = use_.cost.from;
    if (from != nullptr && !is_settled(use_.cost) && from->takes != CostTakes::methods) check_most(tiers);
  }

 private:
  void check_appointments() {
    if (!limit_.appointments || !is_settled(use_.cost)) return;
    report_.error_at_key(code::kConflict, *find(&node_, "cost"),
                         "limit " + in_quotes(limit_.name) +
                             " hands out appointments, and an appointment is for a cost that is known before",
                         "remove " + in_quotes(use_.cost.from->word) + " here, or \"appointments\" there");
  }

  // A request holds one permit of a limit in flight, whatever it costs elsewhere.
  bool in_flight() {
    const auto& tiers = limit_.tiers;
    const Node* cost = find(&node_, "cost");
    const bool any = std::any_of(tiers.begin(), tiers.end(), [](const limit::Tier& tier) {
      return !tier.rules.empty() && !tier.rules.front().algorithm->refills;
    });
    if (any && cost != nullptr)
      report_.error_at_key(code::kCost, *cost,
                           "limit " + in_quotes(limit_.name) + " counts requests in flight: a cost has no meaning",
                           "remove it");
    return any && cost != nullptr;
  }

  /// The limit counts something other than requests, so no request costs more than another.
  bool others() {
    const Node* cost = find(&node_, "cost");
    if (cost == nullptr || (!limit_.glitches && !limit_.messages)) return false;
    report_.error_at_key(code::kCost, *cost,
                         "limit " + in_quotes(limit_.name) + " counts " + (limit_.glitches ? "glitches" : "messages") +
                             ", each as one: a cost has no meaning",
                         "remove it");
    return true;
  }

  bool scale(limit::Tier& tier) {
    const Node* place = text_at(&node_, "scale");
    if (place == nullptr) return false;
    for (auto& rule : tier.rules) {
      // limit::scaled keeps at least one request. A rate stays exact nevertheless, because its period becomes longer.
      const bool flies = !rule.algorithm->refills;
      const auto size = flies ? rule.burst : rule.rate.count;
      if ((flies || rule.calendar != nullptr) && size * use_.scale_up < use_.scale_down)
        report_.warning(code::kCost, *place,
                        place->written + " of " + tier_text(limit_, tier) +
                            " is less than one request, so this route " +
                            (flies ? "lets 1 through at a time" : "allows 1 " + period_text(rule.rate)),
                        "raise the limit or the scale, if that is too much");
      rule = limit::scaled(rule, use_.scale_up, use_.scale_down);
      if (const auto fault = rule.algorithm->check(rule)) {
        report_.error(code::kAlgorithm, *place,
                      place->written + " of " + tier_text(limit_, tier) + " cannot be counted: " + fault->message,
                      "write another scale");
        return false;
      }
    }
    return true;
  }

  std::vector<Charge> charges() const {
    const Node* cost = find(&node_, "cost");
    const Node* place = cost == nullptr ? &node_ : cost;
    std::vector<Charge> out;
    if (!use_.cost.methods.empty()) {
      const Node* methods = find(cost, use_.cost.from->word);
      for (const auto& [method, each] : use_.cost.methods)
        out.push_back({each, find(methods, method), "a " + method + " request"});
    }
    const Node* default_value = find(cost, key_of_default(use_.cost));
    out.push_back({use_.cost.default_value, default_value == nullptr ? place : default_value, "this request"});
    return out;
  }

  static const Rule* smallest(const limit::Tier& tier) {
    const auto small = std::min_element(tier.rules.begin(), tier.rules.end(),
                                        [](const Rule& a, const Rule& b) { return a.burst < b.burst; });
    return small == tier.rules.end() ? nullptr : &*small;
  }

  bool fits(const Charge& charge, const limit::Tier& tier) {
    const Rule* small = smallest(tier);
    if (charge.cost < 1 || small == nullptr || static_cast<std::uint64_t>(charge.cost) <= small->burst) return true;
    const std::string size = tier.rules.size() > 1 ? "smallest rate" : "\"burst\"";
    report_.error(code::kCost, *charge.place,
                  charge.what + " costs " + std::to_string(charge.cost) + ", but " + tier_text(limit_, tier) +
                      " never allows more than " + std::to_string(small->burst) + at_once(),
                  "it would always be rejected; raise the " + std::string(tier.name.empty() ? "limit's " : "tier's ") +
                      size + " or lower the cost");
    return false;
  }

  std::string at_once() const { return limit_.shards > 1 ? " at once in one of its shards" : " at once"; }

  void check_most(const std::vector<limit::Tier>& tiers) {
    const Node* place = find(find(&node_, "cost"), "most");
    if (place == nullptr) return;
    for (const auto& tier : tiers) {
      const Rule* small = smallest(tier);
      if (small == nullptr || static_cast<std::uint64_t>(use_.cost.most) <= small->burst) continue;
      report_.warning(
          code::kCost, *place,
          "a request that costs more than " + std::to_string(small->burst) +
              " is always rejected: " + tier_text(limit_, tier) + " never allows more" + at_once(),
          "lower \"most\" to " + std::to_string(small->burst) + " to charge such a request that much instead");
      return;
    }
  }

  Report& report_;
  const Node& node_;
  const gateway::LimitUse& use_;
  const limit::Limit& limit_;
};

}  // namespace

void check_cost(Build& build, const Node& node, const gateway::LimitUse& use, const limit::Limit& limit) {
  CostChecker(build, node, use, limit).run();
}

}  // namespace headgate::config
