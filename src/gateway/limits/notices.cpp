#include "notices.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/gateway/cost_source.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

bool settled_by_answer(const CheckedLimit& checked) noexcept {
  return checked.route_limit->limit->messages || is_settled(checked.route_limit->cost) ||
         !checked.route_limit->limit->counted_statuses.empty();
}

/// Returns whether the decision leads to no notice. This includes decisions while Redis is down: the local share is
/// then counted from zero, so the decision does not show the use of the quota.
bool says_nothing(const CheckedLimit& checked) noexcept {
  return checked.route_limit->limit->notify_at.empty() || checked.decision == LimitDecision::kept ||
         checked.source == Source::fallback || checked.asked_at == Clock::Steady();
}

}  // namespace

void Notices::admitted(Exchange& x) {
  x.quotas_noticed = true;
  for (const auto& checked : x.admission.limits)
    if (!settled_by_answer(checked)) look(x, checked);
}

void Notices::ended(Exchange& x) {
  for (const auto& checked : x.admission.limits)
    if (!x.quotas_noticed || settled_by_answer(checked)) look(x, checked);
}

void Notices::look(const Exchange& x, const CheckedLimit& checked) {
  const auto& a = x.admission;
  if (inbox_ == nullptr || a.peek || says_nothing(checked)) return;
  const bool taken = (a.outcome == Admission::Outcome::allowed || a.late) && !a.returned && checked.used > 0;
  for (std::size_t at = checked.first; at < checked.first + std::size_t{checked.count}; ++at) {
    const auto& decision = a.decisions[at];
    // The part of a cost that exceeds the hold is charged to the period in which the answer arrives. If that is a later
    // period, its use is not known here.
    const bool later = checked.used > a.checks[at].cost && clock_.steady() - checked.asked_at >= decision.reset_after;
    const auto use = limit::quota_use(decision, taken && !later);
    if (!use) continue;
    if (const auto bits = limit::reached(checked.route_limit->limit->notify_at, *use))
      leave(x, checked, at, *use, bits);
  }
}

void Notices::leave(const Exchange& x, const CheckedLimit& checked, std::size_t at, const limit::QuotaUse& use,
                    std::uint8_t reached) {
  const auto& check = x.admission.checks[at];
  const auto now = clock_.steady();
  auto* left = left_.find(check.hash);
  if (left != nullptr && left->until <= now) {
    left_.erase(*left);
    left = nullptr;
  }
  unsigned before = left == nullptr ? 0 : left->reached;
  if ((reached & ~before) == 0) return;
  const auto& limit = *checked.route_limit->limit;
  const auto period = limit::period_of(*check.rule, checked.asked_at_wall, x.admission.decisions[at].reset_after);
  for (std::size_t i = 0; i < limit.notify_at.size(); ++i) {
    const auto bit = 1U << i;
    if ((reached & bit) == 0 || (before & bit) != 0) continue;
    const bool put = inbox_->put({.limit = limit.name,
                                  .rate = to_text(check.rule->rate),
                                  .key = std::string(check.key),
                                  .owner = x.caller.known_key != nullptr ? x.caller.known_key->owner : std::string(),
                                  .tier = checked.tier->name,
                                  .unit = limit.unit,
                                  .percent = limit.notify_at[i],
                                  .used = use.used,
                                  .size = use.size,
                                  .since = period.start,
                                  .until = period.end,
                                  .rejected = use.rejected,
                                  .observed = limit.mode == limit::Mode::observe,
                                  .store = limit.store});
    if (put) before |= bit;
  }
  const auto lasts_longer = [](const Left& a, const Left& b) { return a.until > b.until; };
  if (left == nullptr && before != 0) {
    left = left_.insert(check.hash, lasts_longer, [](const Left&) { return false; });
    const auto rest = period.end - checked.asked_at_wall;
    left->until = now + std::clamp(rest, Duration(0), kSilent);
  }
  if (left != nullptr) left->reached = static_cast<std::uint8_t>(before);
}

}  // namespace headgate::gateway
