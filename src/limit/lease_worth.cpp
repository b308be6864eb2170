// How many permits of a counter to take ahead: depends on the demand here and on what is left.

#include "lease.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOneSecond = 1s;
constexpr unsigned kMinRequests = 4;          // fewer are not worth the risk that they stay unused
constexpr std::int64_t kMaxTokens = 1 << 24;  // half a second at more than any event loop decides
constexpr double kAtOnce = 0.02;  // seconds; permits used so soon do not stay unused, whoever else wants them

// Permits that refill slowly are worth more than the saved calls: a lease withholds them from the others.
constexpr double kSoonBack = 10;             // seconds
constexpr std::uint64_t kWorthSharing = 32;  // tokens for each sharer

constexpr double kReserved = 0.25;        // seconds of refill, for all sharers together
constexpr double kLongestReserved = 0.8;  // seconds; if so few come back that sharers get one in turn
constexpr double kMinAsks = 2;            // checks a second, for a reservation

/// Tokens that refill in a second.
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

// As worth() and reservable() below: what they find for the demand that is best for a lease.
bool may_be_leased(const Rule& rule, std::uint32_t sharers) noexcept {
  if (!rule.leases || rule.burst < kMinRequests) return false;
  const double back = back_a_second(rule);
  const bool reserved = rule.algorithm->even && static_cast<double>(sharers) / back <= kLongestReserved;
  return reserved || rule.burst / 2 / std::max(sharers, 1U) >= kWorthSharing || kSoonBack * back >= kMinRequests;
}

void Leases::RateEstimate::count(std::int64_t cost, Moment now) noexcept {
  const auto gone = now - since;
  if (gone >= kOneSecond) {
    const bool next = gone < 2 * kOneSecond;
    checks_before = next ? checks : 0;
    tokens_before = next ? tokens : 0;
    checks = 0;
    tokens = 0;
    since = next ? since + kOneSecond : now;
  }
  ++checks;
  tokens += static_cast<double>(cost);
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
  const double rate = std::min(estimate.tokens_per_second(now), 2.0 * kMaxTokens);
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
  if (!rule.algorithm->even || lease.cost > static_cast<std::int64_t>(rule.burst)) return 0;
  if (estimate.checks_per_second(now) < kMinAsks) return 0;
  const double back = back_a_second(rule);
  const double all = std::max(kReserved, options_.sharers * static_cast<double>(lease.cost) / back);
  if (all > kLongestReserved) return 0;
  const double share = std::max(back * all / options_.sharers, static_cast<double>(lease.cost));
  if (static_cast<double>(estimate.remaining) > share * options_.sharers) return 0;
  const double wanted = std::max(estimate.tokens_per_second(now) * kReserved, static_cast<double>(lease.cost));
  const auto most = static_cast<double>(std::min<std::uint64_t>(rule.burst, kMaxTokens));
  return static_cast<std::int64_t>(std::min({wanted, share, most}));
}

bool Leases::little_left(const RateEstimate& estimate, const Check& check) noexcept {
  return estimate.remaining / kMinRequests < static_cast<std::uint64_t>(check.cost);
}

}  // namespace headgate::limit
