#include "headgate/limit/known_rejections.hpp"

#include "refill.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace headgate::limit {
namespace {

/// Returns a hash of the parts of a rule that affect decisions. Rules with other decisions have the same hash only with
/// probability 2^-60.
std::uint64_t size_of_rule(const Rule& rule) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(rule.algorithm);
  for (const std::uint64_t part : {rule.burst, rule.rate.count, static_cast<std::uint64_t>(rule.rate.period.count()),
                                   static_cast<std::uint64_t>(rule.wait.count()), std::uint64_t{rule.from_first_use}})
    mixed = std::rotl((mixed ^ part) * kOdd, 29);
  return mixed;
}

Duration between(Moment from, Moment to) noexcept {
  return to > from ? std::chrono::ceil<Duration>(to - from) : Duration(0);
}

}  // namespace

/// Adds `known` to the rejected costs. Of two costs, the higher one always has the longer wait. A remembered cost that
/// contradicts this, or that fits into `remaining`, is dropped, because the state has changed since it was learnt.
void KnownRejections::learn(std::array<Known, kCosts>& costs, Known known, std::uint64_t remaining) noexcept {
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

void KnownRejections::put(const Check& check, const Decision& decision, Moment asked, Moment now) {
  const std::uint64_t size = size_of_rule(*check.rule);
  KnownRejection* rejection = table_.find(check.hash);
  if (rejection == nullptr)
    rejection = table_.insert(
        check.hash, [](const KnownRejection& a, const KnownRejection& b) { return a.until > b.until; },
        [](const KnownRejection&) { return false; });
  if (rejection->size != size || rejection->until <= asked) rejection->costs = {};
  rejection->size = size;
  rejection->limit = decision.limit;
  rejection->remaining = decision.remaining;
  rejection->full_at = now + decision.reset_after;
  const Moment allowed_at = decision.retry_after >= kNever ? Moment::max() : now + decision.retry_after;
  const bool lowest = rejection->costs[0].cost == 0 || check.cost <= rejection->costs[0].cost;
  learn(rejection->costs, {check.cost, allowed_at}, decision.remaining);
  // `until` is for the lowest cost, about which an answer for a higher cost says nothing new, unless the lowest cost
  // was dropped.
  if (lowest || rejection->costs[0].cost == check.cost)
    rejection->until = asked + std::min(decision.retry_after, kLongest);
}

void KnownRejections::put_spent(const Check& check, const Decision& decision, Moment asked, Moment now) {
  KnownRejection* rejection = table_.find(check.hash);
  if (rejection == nullptr)
    rejection = table_.insert(
        check.hash, [](const KnownRejection& a, const KnownRejection& b) { return a.until > b.until; },
        [now](const KnownRejection& other) { return other.until > now; });
  if (rejection == nullptr) return;
  rejection->size = size_of_rule(*check.rule);
  rejection->limit = decision.limit;
  rejection->remaining = decision.remaining;
  rejection->full_at = now + decision.reset_after;
  rejection->costs = {};
  rejection->costs[0] = {check.cost, now + decision.again_after};
  rejection->until = asked;
}

/// Returns the time at which Redis would allow `check`; empty if this cannot be determined without a call.
std::optional<Moment> KnownRejections::allowed_at(const KnownRejection& rejection, const Check& check) noexcept {
  if (check.cost > static_cast<std::int64_t>(check.rule->burst)) return Moment::max();
  const auto& costs = rejection.costs;
  const auto higher = std::ranges::find_if(costs, [&](const Known& k) { return k.cost == 0 || k.cost >= check.cost; });
  if (higher != costs.end() && higher->cost == check.cost) return higher->allowed_at;
  const Known& lower = *std::prev(higher);
  if (check.rule->algorithm->even) {
    const auto longer = Duration(round_up(time_of(check.cost - lower.cost, check.rule->rate)));
    return std::max(lower.allowed_at, std::min(lower.allowed_at + longer, rejection.full_at));
  }
  if (costs.back().cost == 0) return {};
  return higher != costs.end() ? std::min(higher->allowed_at, rejection.full_at) : rejection.full_at;
}

bool KnownRejections::find(const Check& check, Moment now, Decision& decision) const {
  const KnownRejection* const rejection = table_.find(check.hash);
  if (rejection == nullptr || rejection->until <= now || check.cost < rejection->costs[0].cost ||
      rejection->size != size_of_rule(*check.rule))
    return false;
  const auto moment = allowed_at(*rejection, check);
  if (!moment) return false;
  decision = {};
  decision.limit = rejection->limit;
  decision.remaining = rejection->remaining;
  decision.reset_after = between(now, rejection->full_at);
  decision.retry_after = *moment == Moment::max() ? kNever : between(now, *moment);
  return true;
}

Duration KnownRejections::wait(const Check& check, Moment now) const {
  const KnownRejection* const rejection = table_.find(check.hash);
  if (rejection == nullptr || check.cost <= 0 || check.cost < rejection->costs[0].cost ||
      rejection->size != size_of_rule(*check.rule))
    return Duration(0);
  const auto moment = allowed_at(*rejection, check);
  return !moment || *moment == Moment::max() ? Duration(0) : between(now, *moment);
}

std::optional<Moment> KnownRejections::ended(const Check& check, Moment asked) const {
  const KnownRejection* const rejection = table_.find(check.hash);
  if (rejection == nullptr || rejection->until > asked || rejection->until + kLongest < asked) return std::nullopt;
  return rejection->until;
}

void KnownRejections::forget(const Hash& hash) noexcept {
  if (const KnownRejection* const rejection = table_.find(hash)) table_.erase(*rejection);
}

void KnownRejections::forget_other_sizes(const Check& check) noexcept {
  const KnownRejection* const rejection = table_.find(check.hash);
  if (rejection != nullptr && rejection->size != size_of_rule(*check.rule)) table_.erase(*rejection);
}

}  // namespace headgate::limit
