#include "headgate/services/limit_shape.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/calendar.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace headgate::services {
namespace {

using limit::Limit;

std::string pers_text(const std::vector<limit::Per>& pers) {
  std::string out;
  for (const auto& per : pers) out += (out.empty() ? "" : ",") + gateway::to_text(per);
  return out;
}

/// Returns a text of everything that decides which key a caller has; equal for limits that give each caller the same
/// key.
std::string keys_text(const Limit& limit) {
  std::string out = pers_text(limit.per);
  for (const auto& instead : limit.if_absent.instead) out += '|' + pers_text(instead);
  return out;
}

std::string shape_text(const limit::Rule& rule) {
  std::string out(rule.algorithm->name);
  for (const std::uint64_t number :
       {rule.rate.count, static_cast<std::uint64_t>(rule.rate.period.count()), rule.burst,
        static_cast<std::uint64_t>(rule.wait.count()), std::uint64_t{rule.queue}, std::uint64_t{rule.rate.month}})
    out += ' ' + std::to_string(number);
  if (rule.start > 0) out += " start " + std::to_string(rule.start);
  if (rule.calendar) out += ' ' + rule.calendar->zone();
  if (rule.from_first_use) out += " from_first_use";
  if (rule.count_rejected) out += " count_rejected";
  return out;
}

std::set<std::string> counters_of(std::span<const limit::Tier> tiers) {
  std::set<std::string> out;
  for (const auto& tier : tiers)
    for (const auto& rule : tier.rules) out.insert(rule.suffix);
  return out;
}

std::set<std::string> algorithms_of(const Limit& limit) {
  std::set<std::string> out;
  for (const auto& tier : limit.tiers)
    for (const auto& rule : tier.rules) out.emplace(rule.algorithm->name);
  return out;
}

/// Returns whether `before` has counters that `after` lacks, and `after` has counters that `before` lacks.
bool renamed(std::span<const limit::Tier> before, std::span<const limit::Tier> after) {
  const auto lacks = [](const auto& all, const auto& some) {
    return std::any_of(some.begin(), some.end(), [&](const auto& one) { return !all.contains(one); });
  };
  const auto old = counters_of(before);
  const auto now = counters_of(after);
  return lacks(now, old) && lacks(old, now);
}

/// Returns the same for all tiers of a limit, and also true if the counters of only one tier are gone. A tier that is
/// added or removed does not affect the other tiers.
bool renamed(const Limit& before, const Limit& after) {
  const auto of_tier = [&](const limit::Tier& tier) {
    const auto old = std::ranges::find(before.tiers, tier.name, &limit::Tier::name);
    return old != before.tiers.end() && renamed({&*old, 1}, {&tier, 1});
  };
  return renamed(before.tiers, after.tiers) || std::ranges::any_of(after.tiers, of_tier);
}

std::string why_anew(const Limit& before, const Limit& after, const config::Config& then, const config::Config& now) {
  if (before.store != after.store) return "\"store\" has changed";
  if (after.store == limit::Store::redis && then.redis && now.redis) {
    if (then.redis->key_prefix != now.redis->key_prefix) return "\"redis.key_prefix\" has changed";
    if (before.shards != after.shards) return "\"shards\" has changed";
  }
  if (before.version != after.version) return "\"version\" has changed";
  if (keys_text(before) != keys_text(after)) return "\"per\" has changed";
  if (!renamed(before, after)) return {};
  if (algorithms_of(before) != algorithms_of(after)) return "the algorithm has changed";
  return "the periods have changed";
}

}  // namespace

std::string shape_of(const Limit& limit) {
  std::string out = keys_text(limit) + '\n' + std::to_string(limit.version) + ' ' + std::to_string(limit.shards) + ' ' +
                    (limit.mode == limit::Mode::observe ? "observe" : "enforce");
  if (limit.glitches) out += " glitches";
  if (limit.messages) out += " messages";
  for (const auto status : limit.counted_statuses) out += ' ' + std::to_string(status);
  if (limit.tier_from) out += '\n' + gateway::to_text(*limit.tier_from) + ' ' + limit.tiers[limit.default_tier].name;
  if (const auto& from = limit.size_from)
    out += "\nsize " + gateway::to_text(from->from) + ' ' + std::to_string(from->most) + ' ' +
           std::to_string(from->burst.value_or(0));
  std::vector<std::string> tiers;
  for (const auto& tier : limit.tiers) {
    std::vector<std::string> rules;
    for (const auto& rule : tier.rules) rules.push_back(shape_text(rule));
    std::sort(rules.begin(), rules.end());
    auto& text = tiers.emplace_back(tier.name);
    for (const auto& rule : rules) text += ';' + rule;
  }
  std::sort(tiers.begin(), tiers.end());
  for (const auto& tier : tiers) out += '\n' + tier;
  return out;
}

std::vector<limit::Fingerprint> fingerprints_of(const std::vector<Limit>& limits) {
  std::vector<limit::Fingerprint> out;
  for (const auto& limit : limits) {
    if (limit.store != limit::Store::redis) continue;
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(stable_hash(shape_of(limit))));
    out.push_back({limit.name, text.data()});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.limit < b.limit; });
  return out;
}

std::vector<BegunAnew> begun_anew(const config::Config& before, const config::Config& after) {
  std::unordered_map<std::string_view, const limit::Limit*> known;
  for (const auto& limit : before.limits) known.emplace(limit.name, &limit);
  std::vector<BegunAnew> out;
  for (const auto& limit : after.limits) {
    const auto old = known.find(limit.name);
    if (old == known.end()) continue;
    if (auto why = why_anew(*old->second, limit, before, after); !why.empty())
      out.push_back({limit.name, std::move(why)});
  }
  return out;
}

}  // namespace headgate::services
