#include "headgate/simulate/suggest.hpp"

#include "rate_text.hpp"
#include "sizes.hpp"

#include "headgate/simulate/share_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace headgate::simulate {
namespace {

using Counts = std::pair<std::uint64_t, std::uint64_t>;  // requests, rejected

/// A character that no name in a configuration contains.
constexpr char kMark = '\x1f';
/// Maximum number of sizes that are tried in one run.
constexpr std::size_t kMaxTries = 7;
/// Approximate maximum number of counters in one run.
constexpr std::uint64_t kMaxKeys = 8'000'000;

/// A rate of a tier.
struct Searched {
  std::size_t limit = 0;  ///< index in the configuration, like the two members below
  std::size_t tier = 0;
  std::size_t rule = 0;
  SizeSearch search;
};

class Finder {
 public:
  Finder(const config::Config& config, const Figures& base, const SuggestOptions& options)
      : config_(config), base_(base), options_(options), rates_(config.limits.size()), bursts_(config.limits.size()) {
    for (const auto& limit : base.limits)
      for (const auto& tier : limit.tiers) asked_[{limit.base, tier.name}] += tier.requests;
    for (std::size_t i = 0; i < config.limits.size(); ++i) {
      rates_[i].resize(config.limits[i].tiers.size());
      bursts_[i].resize(config.limits[i].tiers.size());
    }
  }

  Suggestions run() {
    out_.share = options_.share;
    look(Dimension::rate);
    look(Dimension::burst);
    enforce();
    return std::move(out_);
  }

 private:
  bool holds(const Counts& counts) const noexcept {
    return counts.second == 0 || share_of(counts.second, counts.first) < options_.share;
  }
  bool asked(const limit::Limit& limit, const limit::Tier& tier) const {
    const auto found = asked_.find({limit.name, tier.name});
    return found != asked_.end() && found->second > 0 && !tier.rules.empty();
  }

  /// Finds the smallest sizes of all rules in this dimension.
  void look(Dimension dimension) {
    std::vector<Searched> all;
    for (std::size_t i = 0; i < config_.limits.size(); ++i) {
      const auto& tiers = config_.limits[i].tiers;
      for (std::size_t t = 0; t < tiers.size(); ++t) {
        if (!asked(config_.limits[i], tiers[t])) continue;
        // Only the single rate of a tier may have a burst of its own.
        if (dimension == Dimension::burst && tiers[t].rules.size() > 1) continue;
        for (std::size_t r = 0; r < tiers[t].rules.size(); ++r)
          if (const auto most = most_of(tiers[t].rules[r], dimension)) all.push_back({i, t, r, SizeSearch(most)});
      }
    }
    const auto tries = tries_at_a_time(all);
    while (tries > 0 && std::ranges::any_of(all, [](const auto& each) { return !each.search.done(); }))
      try_sizes(all, dimension, tries);
    for (const auto& each : all) {
      auto& found = (dimension == Dimension::rate ? rates_ : bursts_)[each.limit][each.tier];
      found.resize(std::max(found.size(), each.rule + 1), sizes());
      const auto most = most_of(config_.limits[each.limit].tiers[each.tier].rules[each.rule], dimension);
      found[each.rule] = each.search.found() < most ? each.search.found() : sizes();
    }
  }

  /// Returns one more than the index of the largest size that the algorithm allows; 0 if it allows none.
  static std::size_t most_of(const limit::Rule& rule, Dimension dimension) {
    if (dimension == Dimension::burst && !resized(rule, dimension, rule.burst + 1)) return 0;
    auto most = sizes();
    while (most > 0 && !resized(rule, dimension, size_at(most - 1))) --most;
    return most;
  }

  /// Returns how many sizes to try at a time: as many as the bound of rules per request and the memory for counters
  /// allow.
  std::size_t tries_at_a_time(const std::vector<Searched>& all) const {
    std::map<std::string, std::size_t> rates;  // largest number of rates of a tier
    for (const auto& each : all) {
      auto& most = rates[config_.limits[each.limit].name];
      most = std::max(most, each.rule + 1);
    }
    std::size_t most = 1;
    const auto& routes = config_.gateway.routes;
    for (const auto& route : routes) {
      std::size_t sum = 0;
      const auto add = [&](const auto& uses) {
        for (const auto& use : uses)
          if (const auto found = rates.find(use.limit); found != rates.end()) sum += found->second;
      };
      add(route.limits);
      add(config_.gateway.all_routes.limits);
      most = std::max(most, sum);
    }
    const auto by_memory = kMaxKeys / std::max<std::uint64_t>(base_.keys, 1);
    return std::clamp<std::size_t>(std::min<std::size_t>(limit::kMaxRulesPerRequest / most, by_memory), 1, kMaxTries);
  }

  /// Returns the number of counters to reserve: as many as the policy may have, but no more than the run needs.
  std::size_t counters_for(std::size_t tries) const noexcept {
    constexpr std::uint64_t kSpare = 100'000;
    const auto needed = (4 * base_.keys + kSpare) * tries;
    return std::min({needed, std::uint64_t{config_.memory.max_keys} * tries, 2 * kMaxKeys});
  }

  static std::string variant(const std::string& limit, std::size_t rule, std::size_t nth) {
    return limit + kMark + std::to_string(rule) + kMark + std::to_string(nth);
  }

  /// Makes one run with several sizes of each rule. In place of each limit, the policy has a limit for each size, which
  /// only observes.
  void try_sizes(std::vector<Searched>& all, Dimension dimension, std::size_t tries) {
    auto config = config_;
    std::map<std::string, std::vector<std::string>> replaced;
    for (auto& each : all) {
      const auto& limit = config_.limits[each.limit];
      auto& names = replaced[limit.name];
      for (std::size_t nth = 0; nth < tries; ++nth) {
        const auto name = variant(limit.name, each.rule, nth);
        if (std::ranges::find(names, name) == names.end()) {
          names.push_back(name);
          config.limits.push_back(observing(limit, name));
        }
        auto& made = *std::ranges::find(config.limits, name, &limit::Limit::name);
        auto rule = resized(limit.tiers[each.tier].rules[each.rule], dimension, size_at(each.search.tried(nth, tries)));
        // Without a rule the tier is unlimited in this run; the size is reported as too small below.
        if (!rule) continue;
        rule->limit = name;
        rule->leases = false;
        limit::name_rule(*rule, false, limit::PeriodInKey::yes);
        made.tiers[each.tier].rules = {std::move(*rule)};
      }
    }
    replace(config, replaced);
    // Also the limits that are not searched in this dimension only observe.
    for (auto& limit : config.limits) limit.mode = limit::Mode::observe;
    config.memory.max_keys = counters_for(tries);
    const auto counts = counts_of(config);
    for (auto& each : all) {
      const auto& limit = config_.limits[each.limit];
      const auto& tier = limit.tiers[each.tier];
      // All results are collected first, because telling a result to the search changes what tried() returns.
      std::vector<std::pair<std::size_t, bool>> told;
      for (std::size_t nth = 0; nth < tries; ++nth) {
        const auto index = each.search.tried(nth, tries);
        const bool fits = resized(tier.rules[each.rule], dimension, size_at(index)).has_value();
        const auto found = counts.find({variant(limit.name, each.rule, nth), tier.name});
        told.emplace_back(index, fits && (found == counts.end() || holds(found->second)));
      }
      if (each.search.done()) continue;
      for (const auto& [index, does] : told) each.search.tell(index, does);
    }
  }

  /// Returns a limit that counts like `limit` but only observes. Its tiers have no rates yet.
  static limit::Limit observing(const limit::Limit& limit, const std::string& name) {
    auto out = limit;
    out.name = name;
    out.mode = limit::Mode::observe;
    out.ban.reset();
    out.appointments.reset();
    out.notify_at.clear();
    out.bill = false;
    out.shards = 1;
    for (auto& tier : out.tiers) tier.rules.clear();
    return out;
  }

  /// Replaces each limit of a route by the limits whose names `replaced` has for it.
  static void replace(config::Config& config, const std::map<std::string, std::vector<std::string>>& replaced) {
    const auto in_uses = [&](std::vector<gateway::LimitUse>& uses) {
      std::vector<gateway::LimitUse> out;
      for (const auto& use : uses) {
        const auto found = replaced.find(use.limit);
        if (found == replaced.end()) {
          out.push_back(use);
          continue;
        }
        for (const auto& name : found->second) {
          out.push_back(use);
          out.back().limit = name;
        }
      }
      uses = std::move(out);
    };
    auto& options = config.gateway;
    in_uses(options.all_routes.limits);
    for (auto& route : options.routes) {
      in_uses(route.limits);
      const auto skipped = route.skip_limits;
      for (const auto& name : skipped)
        if (const auto found = replaced.find(name); found != replaced.end())
          route.skip_limits.insert(route.skip_limits.end(), found->second.begin(), found->second.end());
    }
    const auto copied = [&](auto& list) {
      const auto before = list;
      for (const auto& each : before) {
        const auto found = replaced.find(each.limit);
        if (found == replaced.end()) continue;
        for (const auto& name : found->second) {
          list.push_back(each);
          list.back().limit = name;
        }
      }
    };
    copied(options.exemptions);
    copied(options.tier_priorities);
  }

  /// Returns the counts by limit and tier, from a run over all arrivals.
  std::map<std::pair<std::string, std::string>, Counts> counts_of(const config::Config& config) {
    ++out_.runs;
    if (options_.begin_run) options_.begin_run(out_.runs);
    const auto policy = policy_of(config);
    const auto arrivals = options_.arrivals(policy);
    const auto made = simulate::run(
        policy, *arrivals, {.seed = options_.seed, .keep = RunTally::Keep::counts, .progress = options_.progress});
    std::map<std::pair<std::string, std::string>, Counts> out;
    for (const auto& ready : made.tally->compiled().limits()) {
      for (const auto& tier : ready->tiers) {
        auto& counts = out[{ready->base, tier.name}];
        counts.first += made.tally->requests(tier);
        counts.second += made.tally->rejected(tier);
      }
    }
    return out;
  }

  /// Puts the sizes that were found into the policy. If the rates of a tier together still reject too many requests,
  /// makes them larger.
  void enforce() {
    constexpr unsigned kMax = 8;
    std::map<std::pair<std::string, std::string>, Counts> counts;
    bool any = false;
    for (const auto& limit : rates_)
      for (const auto& tier : limit) any = any || std::ranges::any_of(tier, [](auto at) { return at < sizes(); });
    for (unsigned i = 0; any && i < kMax; ++i) {
      counts = counts_of(with_found());
      bool again = false;
      for (std::size_t l = 0; l < rates_.size(); ++l)
        for (std::size_t t = 0; t < rates_[l].size(); ++t)
          if (!holds(counts[{config_.limits[l].name, config_.limits[l].tiers[t].name}])) again = grow(l, t) || again;
      if (!again) break;
    }
    for (std::size_t l = 0; l < rates_.size(); ++l)
      for (std::size_t t = 0; t < rates_[l].size(); ++t) tell(l, t, counts);
  }

  bool grow(std::size_t limit, std::size_t tier) {
    bool grown = false;
    for (std::size_t r = 0; r < rates_[limit][tier].size(); ++r) {
      auto& at = rates_[limit][tier][r];
      if (at + 1 >= sizes()) continue;
      if (!resized(config_.limits[limit].tiers[tier].rules[r], Dimension::rate, size_at(at + 1))) continue;
      ++at;
      grown = true;
    }
    return grown;
  }

  config::Config with_found() const {
    auto out = config_;
    for (std::size_t l = 0; l < rates_.size(); ++l) {
      for (std::size_t t = 0; t < rates_[l].size(); ++t) {
        for (std::size_t r = 0; r < rates_[l][t].size(); ++r) {
          auto& rule = out.limits[l].tiers[t].rules[r];
          if (rates_[l][t][r] >= sizes()) continue;
          if (auto sized = resized(rule, Dimension::rate, size_at(rates_[l][t][r]))) rule = std::move(*sized);
        }
      }
    }
    return out;
  }

  void tell(std::size_t l, std::size_t t, std::map<std::pair<std::string, std::string>, Counts>& counts) {
    const auto& limit = config_.limits[l];
    const auto& tier = limit.tiers[t];
    if (!asked(limit, tier)) return;
    auto& out = out_.of_tiers.emplace_back();
    out.limit = limit.name;
    out.tier = tier.name;
    for (const auto& rule : tier.rules) out.now.push_back(rate_text(rule));
    const auto& found = rates_[l][t];
    if (!found.empty() && std::ranges::none_of(found, [](auto at) { return at >= sizes(); }))
      for (std::size_t r = 0; r < found.size(); ++r)
        if (const auto rule = resized(tier.rules[r], Dimension::rate, size_at(found[r])))
          out.rates.push_back(rate_text(*rule));
    std::tie(out.requests, out.rejected) = counts[{limit.name, tier.name}];
    if (!bursts_[l][t].empty() && bursts_[l][t][0] < sizes()) out.burst = size_at(bursts_[l][t][0]);
  }

  const config::Config& config_;
  const Figures& base_;
  const SuggestOptions& options_;
  Suggestions out_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> asked_;  ///< by limit and tier
  /// The index for size_at(), by limit, tier and rule; sizes() if no size was found.
  std::vector<std::vector<std::vector<std::size_t>>> rates_;
  std::vector<std::vector<std::vector<std::size_t>>> bursts_;
};

}  // namespace

Suggestions suggest(const config::Config& config, const Figures& base, const SuggestOptions& options) {
  return Finder(config, base, options).run();
}

}  // namespace headgate::simulate
