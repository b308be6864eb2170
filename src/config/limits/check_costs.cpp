// Checks whether a request of a route can ever pay its cost.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/scale.hpp"
#include "headgate/limit/shards.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

using gateway::CostTakes;
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
    check_spent_status();
    check_extend();
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
  void check_spent_status() {
    if (limit_.spent_status == gateway::kRejectedStatus || limit_.unit != limit::Unit::request || is_settled(use_.cost))
      return;
    report_.error(code::kConflict, node_,
                  "limit " + in_quotes(limit_.name) + " answers " + std::to_string(limit_.spent_status) +
                      " if its budget is spent, but here it counts requests, which are no budget",
                  R"(remove "spent_status" from the limit, or give it "unit": "token" or "money")");
  }

  /// The permits of one stream come from one shard, to which settling returns what it did not use.
  void check_extend() {
    if (!use_.cost.hold.extends || limit_.shards < 2) return;
    report_.error_at_key(code::kConflict, *find(find(find(&node_, "cost"), "hold"), "extend"),
                         "limit " + in_quotes(limit_.name) +
                             " has shards, and a stream can take more permits only from one of them, even if others "
                             "have permits left",
                         "remove \"extend\" here, or \"shards\" there");
  }

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
      return !tier.rules.empty() && tier.rules.front().algorithm == &limit::in_flight;
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
      if (limit::is_balance(rule)) {
        report_.error(code::kCost, *place, "limit " + in_quotes(limit_.name) + " is a balance, which has no parts",
                      "remove \"scale\"");
        return false;
      }
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
    const bool learns = use_.cost.hold.otherwise_most;
    out.push_back({use_.cost.default_value, default_value == nullptr ? place : default_value,
                   learns ? "the first request of a key that sets no maximum" : "this request"});
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
