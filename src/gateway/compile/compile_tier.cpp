// Compiles a tier of the configuration into a CompiledTier, so that the check of a request needs no further
// preparation.

#include "headgate/core/hash.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/scale.hpp"
#include "headgate/limit/shards.hpp"

#include <memory>
#include <utility>

namespace headgate::gateway {
namespace {

/// Returns RateLimit-Policy for all rules of a tier: quota, its unit if the unit is not requests, and window in seconds
/// (draft-ietf-httpapi-ratelimit-headers section 3). A balance has no quota, and so no policy.
std::string policy_of(const std::vector<limit::Rule>& rules) {
  std::string out;
  for (const auto& rule : rules) {
    if (limit::is_balance(rule)) continue;
    if (!out.empty()) out += ", ";
    out += '"' + rule_label(rule) + "\";q=" + std::to_string(rule.algorithm->refills ? rule.rate.count : rule.burst);
    if (rule.unit == limit::Unit::token) out += ";qu=\"tokens\"";
    if (rule.unit == limit::Unit::money) out += ";qu=\"micro-units\"";
    // The window is a number of whole seconds, so any other period is omitted.
    if (!rule.algorithm->refills) {
      out += ";qu=\"concurrent-requests\"";
      continue;
    }
    if (rule.rate.period.count() % 1'000'000 == 0) out += ";w=" + std::to_string(rule.rate.period.count() / 1'000'000);
  }
  return out;
}

/// Returns the name of the limit for this part of its rate, as in CompiledLimit::limit.
std::string name_of(const limit::Rule& rule, const Fraction& share) {
  return share.is_partial() ? rule.limit + "@" + share.route : rule.limit;
}
std::string name_of(const limit::Tier& tier, const Fraction& share) {
  return tier.rules.empty() ? std::string() : name_of(tier.rules.front(), share);
}

/// Returns, for example, "The limit of 5/minute is used up. Try again in 12 seconds."
UntilWait rejection_of(const limit::Rule& rule, std::string_view limit) {
  if (rule.algorithm == &limit::in_flight)
    return until_wait(429, EndedBy::limit,
                      "The limit of " + std::to_string(rule.burst) + (rule.burst == 1 ? " request" : " requests") +
                          " at the same time is reached. Try again in ",
                      limit, rule_label(rule));
  return until_wait(429, EndedBy::limit, "The limit of " + limit::amount_in_words(rule) + " is used up. Try again in ",
                    limit, rule_label(rule));
}

/// Gives the rule a counter of its own for this route.
void use_own_counter(limit::Rule& rule, std::string_view route) {
  rule.suffix.insert(1 + rule.limit.size(), "@" + std::string(route));
  rule.seed = stable_hash(rule.suffix);
}

std::shared_ptr<const ForSharers<LocalShare>> local_shares(const std::vector<limit::Rule>& rules, std::string limit,
                                                           const Fraction& share) {
  return std::make_shared<const ForSharers<LocalShare>>(
      share.sharers,
      [rules, limit = std::move(limit), up = share.alone_up, down = share.alone_down](std::uint32_t gateways) {
        LocalShare out;
        out.rules.reserve(rules.size());
        for (const auto& rule : rules) {
          out.rules.push_back(up > 0 ? limit::scaled(rule, up, down) : limit::scaled(rule, 1, gateways));
          if (rule.algorithm->check(out.rules.back())) out.rules.back() = rule;  // a larger part cannot be counted
          out.rejections.push_back(rejection_of(out.rules.back(), limit));
        }
        return out;
      });
}

}  // namespace

std::string rule_label(const limit::Rule& rule) {
  return rule.name.empty() ? rule.limit : rule.limit + "-" + rule.name;
}

CompiledTier compile_tier(const limit::Tier& tier, const Fraction& share, std::uint32_t shards) {
  CompiledTier out;
  out.name = tier.name;
  out.rules.reserve(tier.rules.size());
  for (const auto& rule : tier.rules) {
    auto sized = limit::scaled(rule, share.up, share.down);
    if (share.is_partial()) use_own_counter(sized, share.route);
    const auto name = name_of(rule, share);
    out.rejections.push_back(rejection_of(sized, name));
    out.labels.push_back(rule_label(rule));
    out.rules.push_back(std::move(sized));
  }
  out.shards = limit::shards_of(out.rules, shards);
  if (out.shards > 1) out.shard = limit::one_shard(out.rules, out.shards);
  out.local = local_shares(out.rules, name_of(tier, share), share);
  out.policy = policy_of(out.rules);
  return out;
}

}  // namespace headgate::gateway
