#pragma once
// Code that windows and logs share. A rule of these algorithms is only a rate, and their use is a number of requests.

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::limit {

inline constexpr std::int64_t kMaxCounted = kMaxRequests;
inline constexpr Duration kLongestWindow = std::chrono::hours(24) * 366;

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

inline std::int64_t count_of(const Rule& rule) noexcept { return static_cast<std::int64_t>(rule.rate.count); }

inline std::uint64_t whole_count(const Rule& rule) { return rule.rate.count; }  // Implements Algorithm::default_burst.

/// Bounds a cost, so that sums do not overflow. At most the counts of two windows and a debt can be in use, so all
/// costs beyond that sum have the same result.
inline std::int64_t bounded(std::int64_t cost) noexcept {
  constexpr std::int64_t kMax = 3 * kMaxCounted + 1;
  return std::clamp(cost, -kMax, kMax);
}

/// The use of a window, and the debt beyond it. Each following window pays as much of the debt as it allows.
struct Used {
  std::int64_t used = 0;
  std::int64_t owed = 0;
  bool operator==(const Used&) const = default;
};

/// Returns the use after `cost`, if `room` is left. A cost takes at most `room`; if `mode` is debt, the rest becomes a
/// debt of at most kMaxCounted. A negative cost gives back at most the use and the debt, beginning with the debt.
inline Used after_cost(Used before, std::int64_t cost, std::int64_t room, CommitMode mode) noexcept {
  if (mode == CommitMode::none) return before;
  cost = bounded(cost);
  if (cost < 0) {
    const std::int64_t forgiven = std::min(before.owed, -cost);
    return {before.used - std::min(before.used, -cost - forgiven), before.owed - forgiven};
  }
  const std::int64_t taking = std::min(cost, std::max<std::int64_t>(room, 0));
  const std::int64_t owing = mode == CommitMode::debt ? cost - taking : 0;
  return {before.used + taking, std::min(before.owed + owing, kMaxCounted)};
}

/// Returns the debt after `windows` more windows have begun, each of which pays up to `count` of it.
inline std::int64_t owed_after(std::int64_t owed, std::int64_t windows, std::int64_t count) noexcept {
  return windows >= divide_up(owed, count) ? 0 : owed - windows * count;
}

inline bool allows(std::int64_t cost, std::int64_t room) noexcept { return cost <= 0 || cost <= room; }

/// Returns `count` periods, at most kNever.
inline Duration times(Duration period, std::int64_t count) noexcept {
  return count > kNever / period ? kNever : period * count;
}

/// Returns "any minute" or "any 5m".
inline std::string any_period(const Rule& rule) {
  const std::string period = period_text(rule.rate);
  return "any" + period.substr(period.find(' '));
}

/// Returns the fault of a rule for a window, which may only have a rate.
inline std::optional<RuleFault> check_window(const Rule& rule, std::string_view algorithm) {
  const Rate& rate = rule.rate;
  const std::string name(algorithm);
  if (rate.count < 1 || rate.count > static_cast<std::uint64_t>(kMaxCounted) || rate.period < Duration(1) ||
      rate.period > kLongestWindow)
    return RuleFault{"this rate cannot be counted",
                     "a rate is 1 to " + std::to_string(kMaxRequests) + " requests in at most 366 days"};
  if (rule.wait != Duration(0))
    return RuleFault{"a " + name + " cannot make a request wait",
                     "leave \"wait\" out, or use token_bucket or leaky_bucket"};
  if (rule.burst != rate.count)
    return RuleFault{"a " + name + " has no burst: " + std::to_string(rate.count) + " may come at once",
                     "leave \"burst\" out, or use token_bucket"};
  return std::nullopt;
}

/// Does the same for an algorithm without a calendar.
inline std::optional<RuleFault> check_clock_window(const Rule& rule, std::string_view algorithm) {
  if (rule.rate.month)
    return RuleFault{"a " + std::string(algorithm) + " does not count by calendar months",
                     "write \"" + std::to_string(rule.rate.count) + "/30d\", or use fixed_window"};
  if (rule.calendar != nullptr)
    return RuleFault{"a " + std::string(algorithm) + " does not count by the days of a time zone",
                     "leave the time zone out, or use fixed_window"};
  return check_window(rule, algorithm);
}

}  // namespace headgate::limit
