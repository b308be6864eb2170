#include "own_size.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

using limit::Rule;

bool same_period(const Rule& rule, const Rate& rate) noexcept {
  return rule.rate.period == rate.period && rule.rate.month == rate.month;
}

/// Returns the rule of the limit that is copied for `rate`; only the size of the copy differs.
const Rule* model_of(const limit::Limit& limit, const Rate& rate) {
  const Rule* model = nullptr;
  for (const auto& tier : limit.tiers) {
    for (const auto& rule : tier.rules) {
      if (model == nullptr || same_period(rule, rate)) model = &rule;
      if (same_period(rule, rate)) return model;
    }
  }
  return model;
}

}  // namespace

Result<limit::Tier, std::string> own_size(const limit::Limit& limit, std::span<const Rate> rates,
                                          std::optional<std::uint64_t> burst) {
  using Made = Result<limit::Tier, std::string>;
  const auto fail = [](std::string why) { return Made(boost::system::in_place_error, std::move(why)); };
  const bool several = rates.size() > 1;
  const bool tiers = limit.tiers.size() > 1 || !limit.tiers.front().name.empty();
  limit::Tier tier;
  tier.name = limit.tiers[limit.default_tier].name;
  for (const auto& rate : rates) {
    const Rule* const model = model_of(limit, rate);
    if (model == nullptr) return fail("the limit is unlimited for everybody, so no rate says how to count");
    if (limit::is_balance(*model)) return fail("the limit is a balance, which is topped up and has no rate");
    if (!model->algorithm->refills) return fail("the limit counts requests in flight, which no rate can replace");
    Rule rule = *model;
    const bool same = same_period(rule, rate);
    if (rate.month && !same)
      return fail("the limit does not count by months, so it is not known in which time zone they begin");
    if (!same) rule.calendar = nullptr;
    rule.rate = rate;
    rule.burst = burst && !several ? *burst : rule.algorithm->default_burst(rule);
    limit::name_rule(rule, several, tiers ? limit::PeriodInKey::yes : limit::PeriodInKey::no);
    if (auto fault = rule.algorithm->check(rule)) return fail(std::move(fault->message));
    tier.rules.push_back(std::move(rule));
  }
  return tier;
}

}  // namespace headgate::gateway
