#include "headgate/limit/denials.hpp"

#include "refill.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace headgate::limit {
namespace {

/// Rules that answer alike have one size; others do not, but for odds of 2^-60.
std::uint64_t size_of_rule(const Rule& rule) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(rule.algorithm);
  for (const std::uint64_t part : {rule.burst, rule.rate.count, static_cast<std::uint64_t>(rule.rate.period.count()),
                                   static_cast<std::uint64_t>(rule.wait.count())})
    mixed = std::rotl((mixed ^ part) * kOdd, 29);
  return mixed;
}

Duration between(Moment from, Moment to) noexcept {
  return to > from ? std::chrono::ceil<Duration>(to - from) : Duration(0);
}

}  // namespace

/// Of two refusals of one state the higher cost waits longer. Where what is remembered says otherwise, or refuses what
/// is left, the state has changed since, and the newest is right.
void Denials::learn(std::array<Known, kCosts>& costs, Known known, std::uint64_t remaining) noexcept {
  std::array<Known, kCosts> kept{};
  std::size_t count = 0;
  bool placed = false;
  const auto place = [&](const Known& one) {
    if (count < kCosts) kept[count++] = one;
  };
  for (const auto& old : costs) {
    if (old.cost == 0) break;
    if (old.cost > known.cost && !std::exchange(placed, true)) place(known);
    const bool lower = old.cost < known.cost;
    if (old.cost == known.cost || static_cast<std::uint64_t>(old.cost) <= remaining ||
        (lower ? old.allowed_at > known.allowed_at : old.allowed_at < known.allowed_at))
      continue;
    if (count + (placed ? 0 : 1) < kCosts) place(old);
  }
  if (!placed) place(known);
  costs = kept;
}

void Denials::remember(const Ask& ask, const Verdict& verdict, Moment asked, Moment now) {
  const std::uint64_t size = size_of_rule(*ask.rule);
  Denial* denial = table_.find(ask.hash);
  if (denial == nullptr)
    denial = table_.insert(
        ask.hash, [](const Denial& a, const Denial& b) { return a.until > b.until; },
        [](const Denial&) { return false; });
  if (denial->size != size || denial->until <= asked) denial->costs = {};
  denial->size = size;
  denial->limit = verdict.limit;
  denial->remaining = verdict.remaining;
  denial->full_at = now + verdict.reset_after;
  const Moment allowed_at = verdict.retry_after >= kNever ? Moment::max() : now + verdict.retry_after;
  const bool lowest = denial->costs[0].cost == 0 || ask.cost <= denial->costs[0].cost;
  learn(denial->costs, {ask.cost, allowed_at}, verdict.remaining);
  // What was heard of a higher cost says nothing new of the lowest, unless that went.
  if (lowest || denial->costs[0].cost == ask.cost) denial->until = asked + std::min(verdict.retry_after, kLongest);
}

/// When Redis would let `ask` through; nothing where it must be asked.
std::optional<Moment> Denials::allowed_at(const Denial& denial, const Ask& ask) noexcept {
  if (ask.cost > static_cast<std::int64_t>(ask.rule->burst)) return Moment::max();
  const auto& costs = denial.costs;
  const auto higher = std::ranges::find_if(costs, [&](const Known& k) { return k.cost == 0 || k.cost >= ask.cost; });
  if (higher != costs.end() && higher->cost == ask.cost) return higher->allowed_at;
  const Known& lower = *std::prev(higher);
  if (ask.rule->algorithm->even) {
    const auto longer = Duration(round_up(time_of(ask.cost - lower.cost, ask.rule->rate)));
    return std::max(lower.allowed_at, std::min(lower.allowed_at + longer, denial.full_at));
  }
  if (costs.back().cost == 0) return {};
  return higher != costs.end() ? std::min(higher->allowed_at, denial.full_at) : denial.full_at;
}

bool Denials::find(const Ask& ask, Moment now, Verdict& verdict) const {
  const Denial* const denial = table_.find(ask.hash);
  if (denial == nullptr || denial->until <= now || ask.cost < denial->costs[0].cost ||
      denial->size != size_of_rule(*ask.rule))
    return false;
  const auto moment = allowed_at(*denial, ask);
  if (!moment) return false;
  verdict = {};
  verdict.limit = denial->limit;
  verdict.remaining = denial->remaining;
  verdict.reset_after = between(now, denial->full_at);
  verdict.retry_after = *moment == Moment::max() ? kNever : between(now, *moment);
  return true;
}

void Denials::forget(const Hash& hash) noexcept {
  if (const Denial* const denial = table_.find(hash)) table_.erase(*denial);
}

void Denials::forget_other_sizes(const Ask& ask) noexcept {
  const Denial* const denial = table_.find(ask.hash);
  if (denial != nullptr && denial->size != size_of_rule(*ask.rule)) table_.erase(*denial);
}

}  // namespace headgate::limit
