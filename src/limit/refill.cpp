#include "refill.hpp"

#include <string>

namespace headgate::limit {
namespace {

// The largest integer in a RateLimit field (RFC 8941 section 3.3.1).
constexpr std::uint64_t kMaxBurst = 999'999'999'999'999;
constexpr Duration kLongestPeriod = std::chrono::hours(24) * 366;
constexpr Duration kLongestFill = kNever;
// Clients, and proxies in front of the gateway, commonly stop waiting for an answer after a minute. A permit that comes
// later would be lost.
constexpr Duration kLongestWait = std::chrono::minutes(1);

std::optional<RuleFault> check_rate(const Rate& rate) {
  if (rate.month)
    return RuleFault{"a bucket refills evenly, and calendar months have different lengths",
                     "write \"" + std::to_string(rate.count) + "/30d\", or \"algorithm\": \"fixed_window\""};
  if (rate.count < 1 || rate.count > kMaxRequests || rate.period < Duration(1) || rate.period > kLongestPeriod)
    return RuleFault{"this rate cannot be counted",
                     "a rate is 1 to " + std::to_string(kMaxRequests) + " requests in at most 366 days"};
  return std::nullopt;
}

std::optional<RuleFault> check_wait(Duration wait) {
  if (wait < Duration(0)) return RuleFault{"a wait cannot be negative", "leave the wait out"};
  if (wait <= kLongestWait) return std::nullopt;
  return RuleFault{"a wait of " + headgate::to_text(wait) + " is longer than clients wait for an answer",
                   "write at most \"" + headgate::to_text(kLongestWait) + '"'};
}

std::optional<RuleFault> check_burst(const Rule& rule) {
  if (rule.burst < 1) return RuleFault{"a burst of 0 never allows a request", "write a burst of at least 1"};
  const Wide most = Wide{kLongestFill.count()} * rule.rate.count / rule.rate.period.count();
  if (rule.burst <= kMaxBurst && Wide{rule.burst} <= most) return std::nullopt;
  const auto at_most = static_cast<std::uint64_t>(most < Wide{kMaxBurst} ? most : Wide{kMaxBurst});
  if (rule.burst > kMaxBurst && at_most == kMaxBurst)
    return RuleFault{"a burst of " + std::to_string(rule.burst) + " is too large for a RateLimit field",
                     "write at most " + std::to_string(kMaxBurst)};
  return RuleFault{
      "a bucket of " + std::to_string(rule.burst) + " takes over a hundred years to fill at " + to_text(rule.rate),
      at_most > 0 ? "lower the burst to at most " + std::to_string(at_most) + ", or raise the rate" : "raise the rate"};
}

/// Writes the rate as stored in Redis by lua/refill.lua: a two-digit form, then 14 digits of a period and 9 of a count.
/// In form 54 both are eleven times as large, so that an earlier version that shares the keys does not take the stored
/// period for its own (lua/refill.lua). A larger count follows in 28 digits more, after a similar rate for the versions
/// that do not know such counts.
void append_rate(const Rate& rate, std::string& out) {
  constexpr std::uint64_t kFactor = 11;
  constexpr std::uint64_t kPeriods = 100'000'000'000'000;
  constexpr std::uint64_t kMaxCount = 1'000'000'000;
  const auto digits = [&out](std::uint64_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    out.append(width - text.size(), '0').append(text);
  };
  const auto period = static_cast<std::uint64_t>(rate.period.count());
  const bool has_room = kFactor * rate.count < kMaxCount && kFactor * period < kPeriods;
  const std::uint64_t parts = (rate.count + kMaxCount - 1) / kMaxCount;
  out.append(has_room ? "54" : "55");
  digits(has_room ? kFactor * period : period / parts + 1, 14);
  digits(has_room ? kFactor * rate.count : rate.count / parts % kMaxCount, 9);
  if (parts == 1) return;
  digits(period, 14);
  digits(rate.count, 14);
}

}  // namespace

void refill_arguments(const Check& check, Instant /*now*/, ArgumentList& out) {
  const Rule& rule = *check.rule;
  const ExactDuration size = size_of(rule);
  const ExactDuration increment = increment_of(rule, check.cost);
  out.add(size.whole);
  out.add(size.part);
  out.add(increment.whole);
  out.add(increment.part);
  out.add(rule.rate.count);
  out.add(rule.wait.count());
  append_rate(rule.rate, out.next());
}

std::optional<RuleFault> check_refill(const Rule& rule) {
  if (auto fault = check_rate(rule.rate)) return fault;
  if (rule.calendar)
    return RuleFault{"a bucket refills evenly and never starts anew, so it has no calendar",
                     "leave the calendar out, or write \"algorithm\": \"fixed_window\""};
  if (auto fault = check_wait(rule.wait)) return fault;
  return check_burst(rule);
}

}  // namespace headgate::limit
