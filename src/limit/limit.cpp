#include "headgate/limit/limit.hpp"

#include "wide.hpp"

namespace headgate::limit {

void name_rule(Rule& rule, bool one_of_several, PeriodInKey period) {
  rule.name = one_of_several ? headgate::to_text(rule.rate) : std::string();
  rule.suffix = ':' + rule.limit;
  if (one_of_several || period == PeriodInKey::yes)
    rule.suffix += ':' + (rule.rate.month ? "month" : headgate::to_text(rule.rate.period));
  rule.seed = stable_hash(rule.suffix);
}

bool binds_before(const Decision& a, const Decision& b) noexcept {
  if (a.allowed != b.allowed) return !a.allowed;
  if (!a.allowed) return a.retry_after > b.retry_after;
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
