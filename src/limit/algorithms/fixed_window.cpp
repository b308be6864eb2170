// Fixed window: one counter. The counter is reset at each full period of the clock (UTC), or with each day or month of
// a calendar; or its period begins with the first request of its key. Its state is the used requests, the end of the
// window, and the debt of later windows. lua/algorithms/fixed_window.lua is the same arithmetic and explains it.

#include "../window_rules.hpp"

#include "headgate/limit/calendar.hpp"

namespace headgate::limit {
namespace {

// the numbers of State: requests; microseconds since the epoch; requests
enum Number : std::size_t { kUsed, kEnd, kOwed };
enum Word : std::size_t { kUsedNow, kLeft, kOwedNow };

constexpr Duration kLongestMonth = std::chrono::hours(24) * 33;  // 31 days plus more than a time zone can add

/// Returns how many requests may come at once: the size of a window, or the burst if that is larger.
std::int64_t size_of_window(const Rule& rule) noexcept { return static_cast<std::int64_t>(rule.burst); }

/// Returns the time from `now` to the end of the window that contains it, above 0. `end` is the end of the stored
/// window; 0 if there is none.
Duration left_of(const Rule& rule, std::int64_t end, Instant now) noexcept {
  if (rule.from_first_use) {
    const Duration left(end - now.time_since_epoch().count());
    return left > Duration(0) ? std::min(left, rule.rate.period) : rule.rate.period;
  }
  if (rule.calendar != nullptr) return rule.calendar->at(now).end - now;
  return rule.rate.period - now.time_since_epoch() % rule.rate.period;
}

bool by_month(const Rule& rule) noexcept { return rule.calendar->unit() == Calendar::Unit::month; }

/// Returns how many windows have begun since the one that ended at `end`, which is not after `now`; at least 1. Windows
/// of a calendar are counted by their mean length. The error stays below half a window, even over many windows.
std::int64_t begun_since(std::int64_t end, const Rule& rule, Instant now) noexcept {
  constexpr std::int64_t kDay = Duration(std::chrono::hours(24)).count();
  constexpr std::int64_t kMonth = 2'629'746'000'000;
  if (rule.calendar == nullptr) return (now.time_since_epoch().count() - end) / rule.rate.period.count() + 1;
  const std::int64_t mean = by_month(rule) ? kMonth : kDay;
  const std::int64_t start = rule.calendar->at(now).start.time_since_epoch().count();
  return std::max<std::int64_t>(start - end + mean / 2, 0) / mean + 1;
}

/// Returns the maximum length of a later window, to compute how long a debt lasts. For a calendar this may be an hour
/// or some days too long.
Duration later_window(const Rule& rule) noexcept {
  if (rule.calendar == nullptr) return rule.rate.period;
  return by_month(rule) ? std::chrono::hours(31 * 24 + 1) : std::chrono::hours(25);
}

/// Returns the time until the counter equals an unused one.
Duration reset_of(const Used& used, const Rule& rule, Duration left) noexcept {
  if (used == Used{}) return Duration(0);
  return std::min(kNever, left + times(later_window(rule), divide_up(used.owed, count_of(rule))));
}

Duration longest_of(const Rule& rule) noexcept { return rule.calendar != nullptr ? kLongestMonth : rule.rate.period; }

/// Moves use beyond the count of this window to the next windows.
Used spread(Used used, std::int64_t most) noexcept {
  const std::int64_t beyond = std::max<std::int64_t>(used.used - most, 0);
  return {used.used - beyond, std::min(used.owed + beyond, kMaxCounted)};
}

Used after_window(const Rule& rule, Used before, std::int64_t cost, CommitMode mode) noexcept {
  const Used used = after_cost(before, cost, size_of_window(rule) - before.used - before.owed, mode);
  return spread(used, std::max(count_of(rule), before.used));
}

/// Returns the time until `cost` (at most the burst) is allowed if `owed` is taken from later windows. The cost is
/// never allowed in this window.
Duration wait_for(const Rule& rule, std::int64_t cost, std::int64_t owed, Duration left) noexcept {
  const std::int64_t too_much = std::max<std::int64_t>(owed - (size_of_window(rule) - cost), 0);
  return std::min(kNever, left + times(later_window(rule), divide_up(too_much, count_of(rule))));
}

std::optional<RuleFault> check_size(Rule rule) {
  if (rule.burst < rule.rate.count)
    return RuleFault{"a fixed_window allows all of its " + std::to_string(rule.rate.count) + " requests at once",
                     "leave \"burst\" out, or write a larger one: the part above the rate refills over later windows"};
  if (rule.burst > kMaxRequests)
    return RuleFault{"a burst of " + std::to_string(rule.burst) + " cannot be counted",
                     "write at most " + std::to_string(kMaxRequests)};
  const std::uint64_t windows = (rule.burst - 1) / rule.rate.count;
  if (rule.rate.period > Duration(0) && windows > static_cast<std::uint64_t>(kNever / rule.rate.period) - 1)
    return RuleFault{"a burst of " + std::to_string(rule.burst) + " would take more than a hundred years to come back",
                     "write a smaller one, or a larger rate"};
  rule.burst = rule.rate.count;
  return check_window(rule, "fixed_window");
}

std::optional<RuleFault> check(const Rule& rule) {
  const auto count = std::to_string(rule.rate.count);
  if (rule.calendar == nullptr) {
    if (rule.rate.month)
      return RuleFault{"a month has no length without a calendar",
                       R"(give the limit a time zone, as in "UTC", or write ")" + count + "/30d\""};
    return check_size(rule);
  }
  const bool months = rule.calendar->unit() == Calendar::Unit::month;
  if (months != rule.rate.month || (!months && rule.rate.period != std::chrono::hours(24)))
    return RuleFault{(months ? "the months of " : "the days of ") + rule.calendar->zone() +
                         " do not match the period of " + to_text(rule.rate),
                     "write \"" + count + (months ? "/month\"" : "/day\"") + ", or leave the time zone out"};
  if (rule.from_first_use)
    return RuleFault{"a window that begins with a key's first request cannot follow the " +
                         std::string(months ? "months" : "days") + " of a time zone",
                     "remove \"window\", or write \"" + count + (months ? "/30d\"" : "/24h\"") + " and no time zone"};
  return check_size(rule);
}

std::string meaning(const Rule& rule, std::string_view noun) {
  std::string text = "at most " + std::to_string(rule.rate.count).append(noun) + ' ' + period_text(rule.rate);
  if (rule.burst > rule.rate.count)
    text = std::to_string(rule.rate.count).append(noun) + " more " + period_text(rule.rate) + ", at most " +
           std::to_string(rule.burst) + " at once";
  if (rule.from_first_use) return text + ", from the first request of a key on";
  if (rule.calendar == nullptr) return text + ", anew on the clock";
  return text + ", anew with each " + (rule.rate.month ? "month" : "day") + " in " + rule.calendar->zone();
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const std::int64_t end = state.numbers[kEnd];
  Duration left = left_of(rule, end, now);
  const std::int64_t count = count_of(rule);
  Used used{state.numbers[kUsed], state.numbers[kOwed]};
  Outcome outcome;
  if (end <= now.time_since_epoch().count()) {
    const std::int64_t begun = used.owed == 0 ? 1 : begun_since(end, rule, now);
    const std::int64_t owed = owed_after(used.owed, begun - 1, count);
    // Windows in debt follow each other; without debt the next window begins with a request.
    if (rule.from_first_use && owed > 0)
      left = Duration(end - now.time_since_epoch().count()) + rule.rate.period * begun;
    used = {std::min(owed, count), owed - std::min(owed, count)};
  } else if (end > (now + left).time_since_epoch().count()) {
    outcome.stale = true;
  }
  outcome.words = {used.used, left.count(), used.owed};
  outcome.allowed = allows(cost, size_of_window(rule) - used.used - used.owed);
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
               const Outcome& outcome) {
  const Used before{outcome.words[kUsedNow], outcome.words[kOwedNow]};
  const Duration left(outcome.words[kLeft]);
  const Used used = after_window(rule, before, cost, mode);
  const Instant full_at = now + reset_of(used, rule, left);
  if (used == before && !outcome.stale) return full_at;
  state.numbers = {};  // unused, in any window
  if (used != Used{}) state.numbers = {used.used, (now + left).time_since_epoch().count(), used.owed};
  return full_at;
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const Used before{words[kUsedNow], words[kOwedNow]};
  const Duration left(words[kLeft]);
  if (before.used < 0 || before.used > kMaxCounted || before.owed < 0 || before.owed > kMaxCounted ||
      left <= Duration(0) || left > longest_of(rule))
    return std::nullopt;
  const std::int64_t size = size_of_window(rule);
  const Used used = after_window(rule, before, cost, mode);
  Decision decision;
  decision.allowed = allows(cost, size - before.used - before.owed);
  decision.limit = rule.burst;
  decision.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(size - used.used - used.owed, 0));
  if (!decision.allowed) decision.retry_after = cost > size ? kNever : wait_for(rule, cost, used.owed, left);
  decision.reset_after = reset_of(used, rule, left);
  if (cost > 0 && decision.allowed && decision.remaining < static_cast<std::uint64_t>(cost)) [[unlikely]]
    decision.again_after = wait_for(rule, cost, used.owed, left);
  return decision;
}

void arguments(const Check& check, Instant now, ArgumentList& out) {
  const Rule& rule = *check.rule;
  out.add(bounded(check.cost));
  out.add(rule.rate.count);
  out.add(rule.burst);
  if (rule.calendar == nullptr) {
    out.add(rule.from_first_use ? -rule.rate.period.count() : rule.rate.period.count());
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
