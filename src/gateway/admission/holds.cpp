#include "holds.hpp"

#include "gateway/bodies/amounts.hpp"
#include "gateway/limits/limit_counters.hpp"
#include "gateway/limits/limit_fields.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/until_wait.hpp"
#include "headgate/limit/balance.hpp"

#include <algorithm>
#include <string>

namespace headgate::gateway {
namespace {

/// The bounds of a wait for calls under way.
constexpr Duration kMinWait = std::chrono::seconds(1);
constexpr Duration kMaxWait = std::chrono::seconds(30);

static_assert(Admission::kMax <= 32, "HoldPart::behind has a bit for each check");

bool holds(const CheckedLimit& checked) noexcept {
  return is_settled(checked.route_limit->cost) && !checked.route_limit->ready->in_flight;
}

/// Returns whether the counter may be below zero: it is full again only after more than the time in which all its
/// permits come back.
bool may_owe(const limit::Rule& rule, const limit::Decision& decision) noexcept {
  if (limit::is_balance(rule)) return decision.debt > 0;
  const auto whole = static_cast<double>(rule.rate.period.count()) * static_cast<double>(rule.burst) /
                     static_cast<double>(std::max<std::uint64_t>(rule.rate.count, 1));
  return static_cast<double>(decision.reset_after.count()) > whole + 1;
}

/// Returns whether only calls under way keep the rule from allowing the request.
bool is_behind_calls(const limit::HoldTable& table, const CheckedLimit& checked, const limit::Check& check,
                     const limit::Decision& decision, Clock::Steady now) noexcept {
  if (decision.allowed || (decision.retry_after >= limit::kNever && !limit::is_balance(*check.rule))) return false;
  const auto left = static_cast<std::int64_t>(decision.remaining);
  if (check.cost - left > table.held(check.hash, now)) return false;
  return !checked.route_limit->cost.debt || !may_owe(*check.rule, decision);
}

void show(const Exchange& x, const CompiledTier& tier, std::int64_t more) noexcept {
  x.snapshot->counters->of<TierCounters>().holds(tier, more);
}

std::string budget_in_words(const Exchange& x, const limit::Rule& rule) {
  return (limit::is_balance(rule) ? "" : "limit of ") + rate_in_words(x, rule);
}

/// Returns the sentence for a call with a settled cost, up to the time to wait.
std::string sentence_of(const limit::HoldTable* table, const Exchange& x, bool behind) {
  const auto& a = x.admission;
  const auto& rule = a.binding_rule();
  const auto& check = a.checks[a.rule];
  const auto remaining = a.decision().remaining;
  if (!behind && (remaining == 0 || !holds(*a.binding))) return "The " + budget_in_words(x, rule) + " is used up.";
  const auto cost = permits_in_words(x, static_cast<std::uint64_t>(check.cost), rule.unit);
  const auto left = permits_in_words(x, remaining, rule.unit);
  const std::string may_use = "This request may use " + cost + " of the " + budget_in_words(x, rule);
  const std::string are = remaining == 1 || rule.unit == limit::Unit::money ? " is left" : " are left";
  if (!behind) return may_use + ", and " + left + are + '.';
  const auto held = static_cast<std::uint64_t>(std::max<std::int64_t>(table->held(check.hash, x.clock->steady()), 0));
  return may_use + ". " + left + are + ", because calls under way hold " + permits_in_words(x, held, rule.unit) + '.';
}

/// Returns the sentence for a request that costs more than its balance.
std::string balance_is_used_up(const Exchange& x) {
  const auto& a = x.admission;
  const auto& rule = a.binding_rule();
  const auto left = a.decision().remaining;
  return "The " + rate_in_words(x, rule) + " is used up: this request needs " +
         permits_in_words(x, static_cast<std::uint64_t>(a.checks[a.rule].cost), rule.unit) + ", and " +
         permits_in_words(x, left, rule.unit) + (left == 1 || rule.unit == limit::Unit::money ? " is" : " are") +
         " left. Waiting does not help: the balance must be topped up.";
}

}  // namespace

void begin_holds(Path& path, Exchange& x, const Round& round) {
  auto* const table = path.services.holds;
  auto& a = x.admission;
  if (table == nullptr || a.peek) return;
  for (const auto& checked : round.limits()) {
    if (!holds(checked)) continue;
    bool shown = false;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      if (!a.decisions[i].allowed || a.checks[i].cost <= 0) continue;
      const auto until = checked.asked_at + a.decisions[i].reset_after;
      x.holds.taken.push_back({.permits = {*table, a.checks[i], until},
                               .seed = a.checks[i].rule->seed,
                               .shown = shown ? nullptr : checked.tier,
                               .since = checked.asked_at});
      if (!shown) show(x, *checked.tier, a.checks[i].cost);
      shown = true;
    }
  }
}

void raise_hold(Exchange& x, const limit::Check& more, Duration reset_after) {
  const auto now = x.clock->steady();
  for (auto& hold : x.holds.taken) {
    if (hold.permits.counter() != more.hash) continue;
    hold.permits.add(more.cost, now, now + reset_after);
    if (hold.shown != nullptr) show(x, *hold.shown, more.cost);
    return;
  }
}

void end_holds(Path& path, Exchange& x) {
  if (x.holds.taken.empty()) return;
  const auto now = x.clock->steady();
  for (const auto& hold : x.holds.taken) {
    if (hold.shown != nullptr) show(x, *hold.shown, -hold.permits.permits());
    if (x.admission.served)
      path.services.holds->lasted(hold.seed, std::chrono::duration_cast<Duration>(now - hold.since));
  }
  x.holds.taken.clear();
}

void expect_ends(Path& path, Exchange& x, const Round& round, bool agreed) {
  const auto* const table = path.services.holds;
  auto& a = x.admission;
  x.holds.behind = 0;
  if (table == nullptr || agreed) return;
  for (const auto& checked : round.limits()) {
    if (!holds(checked) || checked.route_limit->limit->count_rejected) continue;
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      auto& decision = a.decisions[i];
      if (!is_behind_calls(*table, checked, a.checks[i], decision, round.asked.steady)) continue;
      x.holds.behind |= 1U << i;
      const auto usual = std::clamp(table->usual(a.checks[i].rule->seed), kMinWait, kMaxWait);
      decision.retry_after = std::min(decision.retry_after, usual);
    }
  }
}

void tell_budget(Path& path, Exchange& x, Problem& told) {
  auto& a = x.admission;
  const auto& limit = *a.binding->route_limit->limit;
  const bool behind = (x.holds.behind >> a.rule & 1U) != 0;
  if (!behind) told.status = limit.spent_status;
  const bool of_budget = holds(*a.binding) && (behind || a.decision().remaining > 0);
  if (a.decision().retry_after >= limit::kNever) {
    told.detail = x.text.join({balance_is_used_up(x)});
    return;
  }
  told.retry_after = seconds_up(a.decision().retry_after);
  if (!of_budget && limit.unit != limit::Unit::money && told.status == kRejectedStatus) {
    told.until_wait = &a.rejection();
    return;
  }
  a.own_words = std::make_shared<const UntilWait>(
      until_wait(told.status, EndedBy::limit, sentence_of(path.services.holds, x, behind) + std::string(kUntil),
                 told.limit, a.rule_label()));
  told.until_wait = a.own_words.get();
}

}  // namespace headgate::gateway
