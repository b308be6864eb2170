#include "headgate/limit/limit.hpp"

#include "wide.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/limit/calendar.hpp"

namespace headgate::limit {

std::string amount_in_words(const Rule& rule) {
  if (is_balance(rule))
    return rule.unit == Unit::request ? "balance of requests"
           : rule.unit == Unit::token ? "balance of tokens"
                                      : "balance of micro-units";
  auto out = to_text(rule.rate);
  const bool one = rule.rate.count == 1;
  if (rule.unit == Unit::token) out.insert(out.find('/'), one ? " token" : " tokens");
  if (rule.unit == Unit::money) out.insert(out.find('/'), one ? " micro-unit" : " micro-units");
  return out;
}

void name_rule(Rule& rule, bool one_of_several, PeriodInKey period) {
  const Algorithm* const algorithm = rule.algorithm;
  rule.name = one_of_several ? headgate::to_text(rule.rate) : std::string();
  rule.suffix = ':' + rule.limit;
  if (one_of_several || period == PeriodInKey::yes || (algorithm != nullptr && algorithm->by_window))
    rule.suffix += ':' + (rule.rate.month ? "month" : headgate::to_text(rule.rate.period));
  // A month needs no algorithm in the suffix, because only one algorithm counts months. So quotas keep the counters of
  // earlier versions, which named no algorithm.
  if (rule.calendar != nullptr && !(rule.rate.month && rule.calendar->zone() == "UTC"))
    rule.suffix += ':' + rule.calendar->zone();
  if (algorithm != nullptr && algorithm->name != kDefaultAlgorithm && !rule.rate.month)
    rule.suffix.append(1, ':').append(algorithm->name);
  if (rule.glitches) rule.suffix += ":glitches";
  if (rule.version != 1) rule.suffix += ":v" + std::to_string(rule.version);
  rule.seed = stable_hash(rule.suffix);
}

bool binds_before(const Decision& a, const Decision& b) noexcept {
  if (a.allowed != b.allowed) return !a.allowed;
  if (!a.allowed) return a.retry_after > b.retry_after;
  if ((a.limit == 0) != (b.limit == 0)) return b.limit == 0;
  const UnsignedWide share_a = UnsignedWide{a.remaining} * b.limit;
  const UnsignedWide share_b = UnsignedWide{b.remaining} * a.limit;
  return share_a != share_b ? share_a < share_b : a.reset_after > b.reset_after;
}

const Decision* binding(std::span<const Decision> decisions) noexcept {
  const Decision* best = nullptr;
  for (const Decision& decision : decisions)
    if (best == nullptr || binds_before(decision, *best)) best = &decision;
  return best;
}

}  // namespace headgate::limit
