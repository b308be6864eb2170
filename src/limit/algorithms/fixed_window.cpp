// Fixed window: one counter, anew at each full period of the clock (of UTC), or with each day or month of a calendar.
// Known by what was used and by when its window ends. lua/algorithms/fixed_window.lua is the same, and says more of it.

#include "../window_rules.hpp"

#include "headgate/limit/calendar.hpp"

namespace headgate::limit {
namespace {

enum Number : std::size_t { kUsed, kEnd };  // of State: requests, microseconds since the epoch
enum Word : std::size_t { kUsedNow, kLeft };

constexpr Duration kLongestMonth = std::chrono::hours(24) * 33;  // 31 days, and what a zone may add to them

/// From `now` to the end of its window: above 0.
Duration left_of(const Rule& rule, Instant now) noexcept {
  if (rule.calendar != nullptr) return rule.calendar->at(now).end - now;
  return rule.rate.period - now.time_since_epoch() % rule.rate.period;
}

Duration longest_of(const Rule& rule) noexcept { return rule.calendar != nullptr ? kLongestMonth : rule.rate.period; }

std::optional<RuleFault> check(const Rule& rule) {
  const auto count = std::to_string(rule.rate.count);
  if (rule.calendar == nullptr) {
    if (rule.rate.month)
      return RuleFault{"a month has no length without a calendar",
                       R"(give the limit a time zone, as in "UTC", or write ")" + count + "/30d\""};
    return check_window(rule, "fixed_window");
  }
  const bool months = rule.calendar->unit() == Calendar::Unit::month;
  if (months != rule.rate.month || (!months && rule.rate.period != std::chrono::hours(24)))
    return RuleFault{(months ? "the months of " : "the days of ") + rule.calendar->zone() + " are not what " +
                         to_text(rule.rate) + " counts by",
                     "write \"" + count + (months ? "/month\"" : "/day\"") + ", or leave the time zone out"};
  return check_window(rule, "fixed_window");
}

std::string meaning(const Rule& rule, std::string_view noun) {
  std::string text = "at most " + std::to_string(rule.rate.count).append(noun) + ' ' + period_text(rule.rate);
  if (rule.calendar == nullptr) return text + ", anew on the clock";
  return text + ", anew with each " + (rule.rate.month ? "month" : "day") + " in " + rule.calendar->zone();
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const Duration left = left_of(rule, now);
  const std::int64_t end = state.numbers[kEnd];
  std::int64_t used = state.numbers[kUsed];
  Outcome outcome;
  if (end <= now.time_since_epoch().count()) {
    used = 0;
  } else if (end > (now + left).time_since_epoch().count()) {
    outcome.stale = true;
  }
  outcome.words = {used, left.count()};
  outcome.allowed = allows(cost, count_of(rule) - used);
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, Instant now, const Outcome& outcome) {
  std::int64_t used = outcome.words[kUsedNow];
  const std::int64_t change = change_of(cost, used, count_of(rule) - used);
  used += change;
  const Instant end = used > 0 ? now + Duration(outcome.words[kLeft]) : now;
  if (change == 0 && !outcome.stale) return end;
  state.numbers = {};  // never used, in whatever window
  if (used > 0) state.numbers = {used, end.time_since_epoch().count()};
  return end;
}

std::optional<Verdict> verdict(const Rule& rule, std::int64_t cost, Taken taken, std::span<const std::int64_t> words) {
  std::int64_t used = words[kUsedNow];
  const Duration left(words[kLeft]);
  if (used < 0 || used > kMostCounted || left <= Duration(0) || left > longest_of(rule)) return std::nullopt;
  const std::int64_t count = count_of(rule);
  Verdict verdict;
  verdict.allowed = allows(cost, count - used);
  if (taken == Taken::yes) used += change_of(cost, used, count - used);
  verdict.limit = rule.rate.count;
  verdict.remaining = used < count ? static_cast<std::uint64_t>(count - used) : 0;
  if (!verdict.allowed) verdict.retry_after = cost > count ? kNever : left;
  if (used > 0) verdict.reset_after = left;
  return verdict;
}

void arguments(const Rule& rule, std::int64_t cost, Instant now, ArgumentList& out) {
  out.add(bounded(cost));
  out.add(rule.rate.count);
  if (rule.calendar == nullptr) {
    out.add(rule.rate.period.count());
    return;
  }
  const auto current = rule.calendar->at(now);
  out.add(0);
  out.add(rule.calendar->at(current.start - Duration(1)).start.time_since_epoch().count());
  out.add(current.start.time_since_epoch().count());
  out.add(current.end.time_since_epoch().count());
  out.add(rule.calendar->at(current.end).end.time_since_epoch().count());
}

}  // namespace

extern const Algorithm fixed_window;
const Algorithm fixed_window{.name = "fixed_window",
                             .words = 2,
                             .leasable = true,
                             .usual_burst = whole_count,
                             .check = check,
                             .meaning = meaning,
                             .peek = peek,
                             .commit = commit,
                             .verdict = verdict,
                             .arguments = arguments};

}  // namespace headgate::limit
