#include "amounts.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/usage/prices.hpp"

#include <algorithm>
#include <limits>

namespace headgate::gateway {

std::string currency_of(const Exchange& x) {
  const auto* const prices = x.snapshot->credentials ? x.snapshot->credentials->prices() : nullptr;
  return prices != nullptr ? prices->currency() : "USD";
}

std::string permits_in_words(const Exchange& x, std::uint64_t permits, limit::Unit unit) {
  if (unit != limit::Unit::money) return std::to_string(permits);
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return usage::to_units(static_cast<std::int64_t>(std::min(permits, kMax))) + ' ' + currency_of(x);
}

std::string rate_in_words(const Exchange& x, const limit::Rule& rule) {
  if (rule.unit == limit::Unit::money && limit::is_balance(rule)) return "balance of " + currency_of(x);
  if (rule.unit != limit::Unit::money) return limit::amount_in_words(rule);
  const auto rate = to_text(rule.rate);
  return permits_in_words(x, rule.rate.count, rule.unit) + rate.substr(rate.find('/'));
}

}  // namespace headgate::gateway
