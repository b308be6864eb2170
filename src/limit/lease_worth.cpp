// How much of a counter is worth to be taken ahead: from how often it is asked here, and from what is left of it.

#include "lease.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSecond = 1s;
constexpr unsigned kLeastRequests = 4;         // fewer are not worth what they may strand
constexpr std::int64_t kMostTokens = 1 << 24;  // half a second of more than any loop decides
constexpr double kAtOnce = 0.02;  // seconds: what is asked here so soon strands nothing, whoever else wants it

// What comes back slowly is worth more than the calls a lease would spare: what lies in one is withheld from others.
constexpr double kSoonBack = 10;             // seconds
constexpr std::uint64_t kWorthSharing = 32;  // tokens for each sharer

constexpr double kReserved = 0.25;        // seconds of what comes back, among all sharers
constexpr double kLongestReserved = 0.8;  // where so few come back that each gets one in turn
constexpr double kLeastAsks = 2;          // a second: to be worth a reservation

/// Tokens that come back in a second.
double back_a_second(const Rule& rule) noexcept {
  return static_cast<double>(rule.rate.count) / std::chrono::duration<double>(rule.rate.period).count();
}

double a_second(double these, double before, std::chrono::nanoseconds gone) noexcept {
  if (gone >= 2 * kSecond) return 0;
  if (gone >= kSecond) {
    before = std::exchange(these, 0.0);
    gone -= kSecond;
  }
  return these + before * (1 - std::chrono::duration<double>(gone).count());
}

}  // namespace

void Leases::Heat::count(std::int64_t cost, Moment now) noexcept {
  const auto gone = now - since;
  if (gone >= kSecond) {
    const bool next = gone < 2 * kSecond;
    asks_before = next ? asks : 0;
    tokens_before = next ? tokens : 0;
    asks = 0;
    tokens = 0;
    since = next ? since + kSecond : now;
  }
  ++asks;
  tokens += static_cast<double>(cost);
}

double Leases::Heat::asks_a_second(Moment now) const noexcept { return a_second(asks, asks_before, now - since); }
double Leases::Heat::tokens_a_second(Moment now) const noexcept { return a_second(tokens, tokens_before, now - since); }

std::int64_t Leases::worth(const Heat& heat, const Rule& rule, const Lease* lease, std::int64_t cost,
                           Moment now) const noexcept {
  if (heat.asks_a_second(now) <= kHot) return 0;
  const double rate = std::min(heat.tokens_a_second(now), 2.0 * kMostTokens);
  const auto wanted = static_cast<std::uint64_t>(rate / 2);
  const auto at_once = static_cast<std::uint64_t>(rate * kAtOnce);
  const std::uint64_t share = heat.remaining / 2 / options_.sharers;
  if (share<kWorthSharing&& static_cast<double>(heat.remaining)> kSoonBack * back_a_second(rule)) return 0;
  auto ahead = static_cast<std::int64_t>(std::max(std::min(wanted, share), std::min(at_once, heat.remaining)));
  if (lease != nullptr) ahead >>= lease->caution;
  return ahead / kLeastRequests >= cost ? ahead : 0;
}

std::int64_t Leases::reservable(const Lease& lease, Moment now) const noexcept {
  const Rule& rule = *lease.rule;
  const Heat& heat = *lease.heat;
  if (!rule.algorithm->even || lease.cost > static_cast<std::int64_t>(rule.burst)) return 0;
  if (heat.asks_a_second(now) < kLeastAsks) return 0;
  const double back = back_a_second(rule);
  const double all = std::max(kReserved, options_.sharers * static_cast<double>(lease.cost) / back);
  if (all > kLongestReserved) return 0;
  const double share = std::max(back * all / options_.sharers, static_cast<double>(lease.cost));
  if (static_cast<double>(heat.remaining) > share * options_.sharers) return 0;
  const double wanted = std::max(heat.tokens_a_second(now) * kReserved, static_cast<double>(lease.cost));
  const auto most = static_cast<double>(std::min<std::uint64_t>(rule.burst, kMostTokens));
  return static_cast<std::int64_t>(std::min({wanted, share, most}));
}

bool Leases::little_left(const Heat& heat, const Ask& ask) noexcept {
  return heat.remaining / kLeastRequests < static_cast<std::uint64_t>(ask.cost);
}

}  // namespace headgate::limit
