// Advice on limits that never reject, because another limit of the same size or smaller counts all of their requests.
//
// Consider two counters A and B of one algorithm that see the same requests. If A drains at most as fast as B and holds
// at most as much, A is always at least as full as B. So B accepts every request that A accepts. No advice is given if
// anything could make the two counters see different requests, or see them at different times.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"

#include <algorithm>
#include <set>

namespace headgate::config {
namespace {

using limit::Limit;
using limit::Rule;
using limit::Tier;

constexpr std::size_t kMaxTiers = 256;  // largest number of pairs of tiers that are compared

bool same_days(const Rule& a, const Rule& b) {
  if (!a.calendar || !b.calendar) return a.calendar == b.calendar;
  return a.calendar->unit() == b.calendar->unit() && a.calendar->zone() == b.calendar->zone();
}

/// Returns whether permits of `a` come back at most as fast as those of `b`. Rates with different periods are compared
/// with a margin of kSure, which is far larger than the error of rounding.
bool no_faster(const Rule& a, const Rule& b) {
  if (a.rate.month != b.rate.month) return false;
  if (a.rate.month || a.rate.period == b.rate.period) return a.rate.count <= b.rate.count;
  constexpr long double kSure = 1.01L;
  return a.algorithm->even &&
         static_cast<long double>(a.rate.count) * static_cast<long double>(b.rate.period.count()) * kSure <=
             static_cast<long double>(b.rate.count) * static_cast<long double>(a.rate.period.count());
}

/// Returns whether `b` allows everything that `a` allows, provided that `a` counts all requests that `b` counts.
bool no_larger(const Rule& a, const Rule& b) {
  if (limit::is_balance(a)) return false;  // each balance is topped up by itself
  if (a.algorithm != b.algorithm || a.wait != Duration(0) || b.wait != Duration(0)) return false;
  // Permits of leases are counted before they are used, so a counter may be ahead of the requests that were allowed.
  const std::uint64_t leased = a.leases || b.leases ? 2 : 1;
  if (a.burst > b.burst / leased) return false;
  return !a.algorithm->refills || (same_days(a, b) && no_faster(a, b));
}

bool no_larger(const Tier& a, const Tier& b) {
  return std::ranges::all_of(b.rules, [&](const Rule& rule) {
    return std::ranges::any_of(a.rules, [&](const Rule& other) { return no_larger(other, rule); });
  });
}

bool is_total(const limit::Per& per) { return per.source->counts == gateway::Counts::everybody; }

/// Returns whether requests with one key of `b` always have one key of `a`.
bool is_coarser(const Limit& a, const Limit& b) {
  if (a.per == b.per) return a.if_absent.instead == b.if_absent.instead && a.if_absent.last == b.if_absent.last;
  const auto within = [&](const std::vector<limit::Per>& key) {
    return std::ranges::all_of(a.per, [&](const limit::Per& per) {
      // The upstream of a request may be chosen between the two checks, so only keys of callers are certain to be the
      // same in both.
      const bool stays = per.source->counts == gateway::Counts::callers && gateway::always_there(per);
      return is_total(per) || (stays && std::ranges::find(key, per) != key.end());
    });
  };
  return within(b.per) && std::ranges::all_of(b.if_absent.instead, within);
}

/// Returns whether a request that both limits count takes at least as many permits of `a` as of `b`.
bool costs_as_much(const gateway::Cost& a, const gateway::Cost& b) {
  if (a.from == nullptr && b.from == nullptr) return a.default_value >= b.default_value;
  // A cost from the answer is only charged up to the remaining permits. So the limit with fewer permits may be charged
  // less.
  if (gateway::is_settled(a) || gateway::is_settled(b)) return false;
  return a.from == b.from && a.default_value == b.default_value && a.methods == b.methods && a.name == b.name &&
         a.most == b.most && a.debt == b.debt;
}

bool is_whole(const PlannedUse& use) { return use.how->scale_up == use.how->scale_down; }

class BindingSearch {
 public:
  explicit BindingSearch(Adviser& given) : given_(given), config_(given.config()) {
    for (const auto& each : config_.gateway.exemptions) special_.insert(each.limit);
    for (const auto& each : config_.gateway.tier_priorities) used_otherwise_.insert(each.limit);
    const auto note = [&](const auto& keys) {
      for (const auto& key : keys)
        for (const auto& own : key.overrides) {
          special_.insert(own.limit);
          used_otherwise_.insert(own.limit);
        }
    };
    note(config_.identity.api_key.known);
    note(given.build().keys_in_file);
  }

  void run() {
    const auto count = config_.limits.size();
    stricter_.resize(count);
    met_.resize(count);
    std::vector<const PlannedUse*> here(count);
    for (std::size_t route = 0; route < config_.gateway.routes.size(); ++route) {
      const auto plan = given_.plan(route);
      for (const auto& use : plan) here[use.limit] = &use;
      for (const auto& use : plan) look(use, plan, here);
      for (const auto& use : plan) here[use.limit] = nullptr;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (met_[i] && !stricter_[i].empty()) tell(i, stricter_[i].front());
      if (met_[i]) rates_of(i);
    }
  }

 private:
  /// Removes from `stricter_` the limits that are not stricter on this route, too.
  void look(const PlannedUse& use, std::span<const PlannedUse> plan, const std::vector<const PlannedUse*>& here) {
    auto& found = stricter_[use.limit];
    if (!met_[use.limit]) {
      met_[use.limit] = true;
      for (const auto& other : plan)
        if (is_stricter(other.limit, use.limit)) found.push_back(other.limit);
    }
    std::erase_if(found, [&](std::size_t other) {
      const auto* const with = here[other];
      return with == nullptr || !is_whole(*with) || !is_whole(use) || !costs_as_much(with->how->cost, use.how->cost);
    });
  }

  bool is_stricter(std::size_t number, std::size_t than) const {
    const auto& a = config_.limits[number];
    const auto& b = config_.limits[than];
    return number != than && enforces(a, b) && counts_the_same(a, b) && is_coarser(a, b) && sizes(a, b) &&
           // If two limits are alike, only the second one is superfluous.
           (number < than || !(is_coarser(b, a) && sizes(b, a)));
  }

  bool enforces(const Limit& a, const Limit& b) const {
    if (a.glitches || a.mode != limit::Mode::enforce || b.mode != limit::Mode::enforce || a.store != b.store)
      return false;
    const bool down_alike = a.if_redis_down == b.if_redis_down || a.if_redis_down == limit::IfRedisDown::reject;
    return down_alike && !special_.contains(a.name) && !has_another_use(b);
  }

  /// Returns whether the limit has an effect even if it never rejects.
  bool has_another_use(const Limit& limit) const {
    return limit.glitches || limit.bill || !limit.notify_at.empty() || limit.ban ||
           used_otherwise_.contains(limit.name);
  }

  static bool counts_the_same(const Limit& a, const Limit& b) {
    if (b.messages && !a.messages) return false;
    return (a.counted_statuses.empty() || a.counted_statuses == b.counted_statuses) && a.shards == 1 && b.shards == 1 &&
           !a.appointments && !b.appointments;
  }

  static bool sizes(const Limit& a, const Limit& b) {
    if (a.size_from || b.size_from) return false;
    if (a.tiers.size() * b.tiers.size() > kMaxTiers) return false;
    return std::ranges::all_of(a.tiers, [&](const Tier& small) {
      return std::ranges::all_of(b.tiers, [&](const Tier& large) { return no_larger(small, large); });
    });
  }

  void tell(std::size_t number, std::size_t other) {
    const auto& node = given_.limit_node(number);
    const auto& by = given_.limit_node(other);
    given_.say_at_key(node,
                      "limit " + in_quotes(node.key) + " never rejects: limit " + in_quotes(by.key) + " at " +
                          given_.build().report.place(by.key_span.begin) +
                          " allows no more, and counts every request that this one counts",
                      "remove it, or make it smaller than " + in_quotes(by.key));
  }

  /// Gives advice on each rate of a limit that another rate of the same tier makes superfluous.
  void rates_of(std::size_t number) {
    const auto& limit = config_.limits[number];
    if (limit.appointments || has_another_use(limit)) return;
    const auto& node = given_.limit_node(number);
    for (std::size_t i = 0; i < limit.tiers.size(); ++i) {
      const auto written = texts(find(tier_section(node, i), "rate"));
      if (written.size() == limit.tiers[i].rules.size()) rates_of(limit.tiers[i], written);
    }
  }

  void rates_of(const Tier& tier, const std::vector<const Node*>& written) {
    const auto& rules = tier.rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      for (std::size_t by = 0; by < rules.size(); ++by) {
        const bool alike = no_larger(rules[i], rules[by]);
        if (by == i || !no_larger(rules[by], rules[i]) || (alike && by > i)) continue;
        given_.say(*written[i],
                   to_text(rules[i].rate) + " never rejects: " + to_text(rules[by].rate) + " beside it allows no more",
                   "remove it, or make it smaller");
        break;
      }
    }
  }

  Adviser& given_;
  const Config& config_;
  std::set<std::string> special_;         // names of limits that have another size, or none, for some callers
  std::set<std::string> used_otherwise_;  // names of the limits that are used for more than rejecting
  std::vector<bool> met_;                 // for each limit, whether a route uses it
  // for each limit, the limits that are stricter on every route so far
  std::vector<std::vector<std::size_t>> stricter_;
};

}  // namespace

void advise_never_binds(Adviser& given) { BindingSearch(given).run(); }

}  // namespace headgate::config
