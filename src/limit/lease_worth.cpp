// Computes how many permits of a counter to take in advance. The number depends on the local demand and on the
// remaining permits.

#include "lease.hpp"
#include "mixed.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOneSecond = 1s;
constexpr unsigned kMinRequests = 4;  // a lease for fewer requests is not worth the risk that its permits stay unused
// seconds of demand that a lease may hold beyond its fair share: these permits are used so soon that other limiters do
// not need them
constexpr double kAtOnce = 0.02;

// A lease withholds permits from other limiters. If permits refill slowly, this outweighs the saved calls, so a lease
// must meet one of these two conditions.
constexpr double kSoonBack = 10;             // seconds
constexpr std::uint64_t kWorthSharing = 32;  // tokens for each sharer

constexpr double kReserved = 0.25;  // seconds of refill that all sharers together may reserve
constexpr double kMinEarly = 2;     // rejected checks per second that make a reservation worthwhile

/// Returns whether permits of the rule are ever reserved. Four times `cost` must refill within kQueue, so that no
/// reservation makes a caller wait for more than a second.
bool may_be_reserved(const Rule& rule, std::int64_t cost) noexcept {
  return rule.algorithm->even && cost <= static_cast<std::int64_t>(rule.burst) &&
         time_of(4 * cost, rule.rate).whole <= Leases::kQueue.count();
}

/// Returns the number of tokens that refill in a second.
double back_a_second(const Rule& rule) noexcept {
  return static_cast<double>(rule.rate.count) / std::chrono::duration<double>(rule.rate.period).count();
}

double a_second(double these, double before, std::chrono::nanoseconds gone) noexcept {
  if (gone >= 2 * kOneSecond) return 0;
  if (gone >= kOneSecond) {
    before = std::exchange(these, 0.0);
    gone -= kOneSecond;
  }
  return these + before * (1 - std::chrono::duration<double>(gone).count());
}

}  // namespace

// Uses the same conditions as worth() and reservable() below, for the demand that is best for a lease.
bool may_be_leased(const Rule& rule, std::uint32_t sharers) noexcept {
  if (!rule.leases || rule.burst < kMinRequests) return false;
  return may_be_reserved(rule, 1) || rule.burst / 2 / std::max(sharers, 1U) >= kWorthSharing ||
         kSoonBack * back_a_second(rule) >= kMinRequests;
}

void Leases::RateEstimate::count(std::int64_t cost, Moment now) noexcept {
  const auto gone = now - since;
  if (gone >= kOneSecond) {
    const bool next = gone < 2 * kOneSecond;
    checks_before = next ? checks : 0;
    early_before = next ? early : 0;
    tokens_before = next ? tokens : 0;
    checks = 0;
    early = 0;
    tokens = 0;
    since = next ? since + kOneSecond : now;
  }
  ++checks;
  tokens += static_cast<double>(cost);
}

void Leases::RateEstimate::count_early() noexcept {
  if (early < std::numeric_limits<std::uint16_t>::max()) ++early;
}

double Leases::RateEstimate::early_per_second(Moment now) const noexcept {
  return a_second(early, early_before, now - since);
}
double Leases::RateEstimate::checks_per_second(Moment now) const noexcept {
  return a_second(checks, checks_before, now - since);
}
double Leases::RateEstimate::tokens_per_second(Moment now) const noexcept {
  return a_second(tokens, tokens_before, now - since);
}

std::int64_t Leases::worth(const RateEstimate& estimate, const Rule& rule, const Lease* lease, std::int64_t cost,
                           Moment now) const noexcept {
  if (estimate.checks_per_second(now) <= kHot) return 0;
  const double rate = std::min(estimate.tokens_per_second(now), 2.0 * kMaxRequests);
  const auto wanted = static_cast<std::uint64_t>(rate / 2);
  const auto at_once = static_cast<std::uint64_t>(rate * kAtOnce);
  const std::uint64_t share = estimate.remaining / 2 / options_.sharers;
  if (share<kWorthSharing&& static_cast<double>(estimate.remaining)> kSoonBack * back_a_second(rule)) return 0;
  auto ahead = static_cast<std::int64_t>(std::max(std::min(wanted, share), std::min(at_once, estimate.remaining)));
  if (lease != nullptr) ahead >>= lease->caution;
  return ahead / kMinRequests >= cost ? ahead : 0;
}

std::int64_t Leases::reservable(const Lease& lease, Moment now) const noexcept {
  const Rule& rule = *lease.rule;
  const RateEstimate& estimate = *lease.estimate;
  const bool contended = lease.short_of || lease.among_others || estimate.early_per_second(now) >= kMinEarly;
  if (!contended || !may_be_reserved(rule, lease.cost)) return 0;
  const double back = back_a_second(rule);
  const auto cost = static_cast<double>(lease.cost);
  const double share = std::max(back * kReserved / options_.sharers / (1U << lease.crowded), cost);
  if (static_cast<double>(estimate.remaining) > share * options_.sharers) return 0;
  const double wanted = std::max(estimate.tokens_per_second(now) * kReserved, cost);
  const auto most = static_cast<double>(rule.burst);
  return static_cast<std::int64_t>(std::min({wanted, share, most}));
}

bool Leases::is_contended(const Check& check, const Decision& decision, Moment now) const noexcept {
  if (decision.allowed || !leasable(check) || !may_be_reserved(*check.rule, check.cost) ||
      decision.remaining / kMinRequests >= static_cast<std::uint64_t>(check.cost) || decision.retry_after > 2 * kQueue)
    return false;
  // a wait longer than the time of one cost shows that the counter is below zero
  if (decision.retry_after > Duration(round_up(time_of(check.cost, check.rule->rate)))) return true;
  const RateEstimate* const estimate = estimate_.find(check.hash);
  return estimate != nullptr && estimate->early_per_second(now) >= kMinEarly;
}

Duration Leases::random_pause(Duration longest) noexcept {
  return Duration(static_cast<std::int64_t>(mixed(random_++) % static_cast<std::uint64_t>(longest.count())));
}

void Leases::came_together(const Check& check) noexcept {
  RateEstimate* const estimate = estimate_.find(check.hash);
  if (estimate != nullptr && little_left(*estimate, check)) estimate->count_early();
}

Duration Leases::spread(const Check& check, Moment ended) const noexcept {
  const Rule& rule = *check.rule;
  if (rule.rate.month || check.cost <= 0) return Duration(0);
  const auto more = static_cast<std::int64_t>(rule.burst) - check.cost;
  // A second is enough to spread the callers. Without this bound, the spread of a slow limit, whose permits come hours
  // apart, would be too long.
  const auto most = std::min({time_of(check.cost, rule.rate).whole,
                              time_of(std::max<std::int64_t>(more, 0), rule.rate).whole, kQueue.count()});
  if (most <= 0) return Duration(0);
  const auto number =
      mixed(check.hash.low ^ mixed(options_.seed + static_cast<std::uint64_t>(ended.time_since_epoch().count())));
  return Duration(static_cast<std::int64_t>(number % static_cast<std::uint64_t>(most)));
}

Duration Leases::told_here(const Check& check, Duration wait) noexcept {
  if (wait >= kNever || !leasable(check) || !may_be_reserved(*check.rule, 1)) return wait;
  return std::max(wait, kQueue + Duration(round_up(time_of(check.cost, check.rule->rate))));
}

bool Leases::little_left(const RateEstimate& estimate, const Check& check) noexcept {
  return estimate.remaining / kMinRequests < static_cast<std::uint64_t>(check.cost);
}

}  // namespace headgate::limit
