// Fixed window: one counter, which starts anew at each full period of the clock (UTC), or with each day or month of a
// calendar. Its state is the used requests, the end of the window, and the debt. lua/algorithms/fixed_window.lua is the
// same arithmetic and explains it.

#include "../window_rules.hpp"

#include "headgate/limit/calendar.hpp"

namespace headgate::limit {
namespace {

enum Number : std::size_t { kUsed, kEnd, kOwed };  // of State: requests; microseconds since the epoch; requests
enum Word : std::size_t { kUsedNow, kLeft, kOwedNow };

constexpr Duration kLongestMonth = std::chrono::hours(24) * 33;  // 31 days, and the most that a time zone may add

/// The time from `now` to the end of its window: above 0.
Duration left_of(const Rule& rule, Instant now) noexcept {
  if (rule.calendar != nullptr) return rule.calendar->at(now).end - now;
  return rule.rate.period - now.time_since_epoch() % rule.rate.period;
}

bool by_month(const Rule& rule) noexcept { return rule.calendar->unit() == Calendar::Unit::month; }

/// How many windows have begun since the one that ended at `end`, which is not after `now`: at least 1. Windows of a
/// calendar count by their mean length; many of them together differ from it by less than half a window.
std::int64_t begun_since(std::int64_t end, const Rule& rule, Instant now) noexcept {
  constexpr std::int64_t kDay = Duration(std::chrono::hours(24)).count();
  constexpr std::int64_t kMonth = 2'629'746'000'000;
  if (rule.calendar == nullptr) return (now.time_since_epoch().count() - end) / rule.rate.period.count() + 1;
  const std::int64_t mean = by_month(rule) ? kMonth : kDay;
  const std::int64_t start = rule.calendar->at(now).start.time_since_epoch().count();
  return std::max<std::int64_t>(start - end + mean / 2, 0) / mean + 1;
}

/// The most that a later window takes, to compute how long a debt lasts. For a calendar this may be an hour or some
/// days too much.
Duration later_window(const Rule& rule) noexcept {
  if (rule.calendar == nullptr) return rule.rate.period;
  return by_month(rule) ? std::chrono::hours(31 * 24 + 1) : std::chrono::hours(25);
}

/// The time until the counter is as if never used.
Duration reset_of(const Used& used, const Rule& rule, Duration left) noexcept {
  if (used == Used{}) return Duration(0);
  return std::min(kNever, left + times(later_window(rule), divide_up(used.owed, count_of(rule))));
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
  const std::int64_t count = count_of(rule);
  const std::int64_t end = state.numbers[kEnd];
  Used used{state.numbers[kUsed], state.numbers[kOwed]};
  Outcome outcome;
  if (end <= now.time_since_epoch().count()) {
    const std::int64_t owed = used.owed == 0 ? 0 : owed_after(used.owed, begun_since(end, rule, now) - 1, count);
    used = {std::min(owed, count), owed - std::min(owed, count)};
  } else if (end > (now + left).time_since_epoch().count()) {
    outcome.stale = true;
  }
  outcome.words = {used.used, left.count(), used.owed};
  outcome.allowed = allows(cost, count - used.used - used.owed);
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, Taken taken, Instant now, const Outcome& outcome) {
  const Used before{outcome.words[kUsedNow], outcome.words[kOwedNow]};
  const Duration left(outcome.words[kLeft]);
  const Used used = after_cost(before, cost, count_of(rule) - before.used - before.owed, taken);
  const Instant full_at = now + reset_of(used, rule, left);
  if (used == before && !outcome.stale) return full_at;
  state.numbers = {};  // never used, in any window
  if (used != Used{}) state.numbers = {used.used, (now + left).time_since_epoch().count(), used.owed};
  return full_at;
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, Taken taken,
                                 std::span<const std::int64_t> words) {
  const Used before{words[kUsedNow], words[kOwedNow]};
  const Duration left(words[kLeft]);
  if (before.used < 0 || before.used > kMaxCounted || before.owed < 0 || before.owed > kMaxCounted ||
      left <= Duration(0) || left > longest_of(rule))
    return std::nullopt;
  const std::int64_t count = count_of(rule);
  const std::int64_t room = count - before.used - before.owed;
  const Used used = after_cost(before, cost, room, taken);
  Decision decision;
  decision.allowed = allows(cost, room);
  decision.limit = rule.rate.count;
  decision.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(count - used.used - used.owed, 0));
  if (!decision.allowed && cost > count) {
    decision.retry_after = kNever;
  } else if (!decision.allowed) {  // the next window begins with the debt, and has room if that leaves enough
    const std::int64_t too_much = std::max<std::int64_t>(before.owed - (count - cost), 0);
    decision.retry_after = std::min(kNever, left + times(later_window(rule), divide_up(too_much, count)));
  }
  decision.reset_after = reset_of(used, rule, left);
  if (cost > 0 && decision.allowed && decision.remaining < static_cast<std::uint64_t>(cost)) [[unlikely]]
    decision.again_after = left;  // what was allowed leaves no debt
  return decision;
}

void arguments(const Check& check, Instant now, ArgumentList& out) {
  const Rule& rule = *check.rule;
  out.add(bounded(check.cost));
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
                             .words = 3,
                             .leasable = true,
                             .by_calendar = true,
                             .by_window = true,
                             .default_burst = whole_count,
                             .check = check,
                             .meaning = meaning,
                             .peek = peek,
                             .commit = commit,
                             .decision = decision,
                             .arguments = arguments};

}  // namespace headgate::limit
