// Sliding window, estimated from two counters. One counts the current window of the clock. The other counts the
// previous window and is weighted by the share of that window that is within the last period.
// lua/algorithms/sliding_window.lua is the same arithmetic and explains it.

#include "../count_pair.hpp"
#include "../window_rules.hpp"

namespace headgate::limit {
namespace {

// the numbers of State: microseconds since the epoch; a CountPair of requests, whose further bits are the number after
// these; requests
enum Number : std::size_t { kEnd, kCounters, kOwed };
enum Word : std::size_t { kCurrentNow, kPreviousNow, kElapsed, kOwedNow };

/// A period is divided into at most this many steps. A step is a millionth of the period, or a microsecond.
constexpr std::int64_t kMaxSteps = std::int64_t{1} << 20;
static_assert(kMaxCounted < std::int64_t{1} << 44);  // so that a counter times the steps is below 2^64

/// Returns the product of a counter and a number of steps.
std::uint64_t product(std::int64_t counter, std::int64_t steps) noexcept {
  return static_cast<std::uint64_t>(counter) * static_cast<std::uint64_t>(steps);
}

struct Grid {
  explicit Grid(const Rule& rule) noexcept
      : period(rule.rate.period.count()), step(divide_up(period, kMaxSteps)), steps(divide_up(period, step)) {}
  std::int64_t period;
  std::int64_t step;   // in microseconds
  std::int64_t steps;  // steps of a period; the last one may be shorter
};

struct Counters {
  std::int64_t current;
  std::int64_t previous;
  std::int64_t elapsed;  // time since the start of the current window, in microseconds
  std::int64_t owed;     // debt beyond the current window; each following window takes as much of it as it allows
  bool operator==(const Counters&) const = default;
};

Counters counters_of(std::span<const std::int64_t> words) noexcept {
  return {.current = words[kCurrentNow],
          .previous = words[kPreviousNow],
          .elapsed = words[kElapsed],
          .owed = words[kOwedNow]};
}

/// Returns the requests of the previous window that still count, rounded up so that no fraction of a request is lost.
std::int64_t weighed(const Counters& counters, const Grid& grid) noexcept {
  if (counters.previous == 0) return 0;  // saves two divisions
  const std::int64_t steps_left = divide_up(grid.period - counters.elapsed, grid.step);
  const auto steps = static_cast<std::uint64_t>(grid.steps);
  return static_cast<std::int64_t>((product(counters.previous, steps_left) + steps - 1) / steps);
}

std::int64_t room_of(const Rule& rule, const Counters& counters, const Grid& grid) noexcept {
  return count_of(rule) - counters.current - counters.owed - weighed(counters, grid);
}

/// Returns the counters after `cost`. `room` is how much may be taken. An attempt counts even beyond `room`, and is
/// forgotten with its window, after two periods.
Counters after(Counters counters, std::int64_t cost, std::int64_t room, CommitMode mode) noexcept {
  if (mode == CommitMode::attempt) room = kMaxCounted - counters.current;
  const std::int64_t used = counters.current + counters.previous;
  const Used left = after_cost({used, counters.owed}, cost, room, mode);
  counters.owed = left.owed;
  counters.current += left.used - used;
  if (counters.current < 0) {
    counters.previous += counters.current;
    counters.current = 0;
  }
  return counters;
}

/// Returns the time until all counters are 0.
Duration reset_of(const Counters& counters, const Rule& rule, const Grid& grid) noexcept {
  const Duration next(grid.period - counters.elapsed);
  const std::int64_t windows =
      1 + divide_up(counters.owed, count_of(rule));  // at the end of the last window that takes a part of the debt
  if (counters.current > 0 || counters.owed > 0) return std::min(kNever, next + times(rule.rate.period, windows));
  return counters.previous > 0 ? next : Duration(0);
}

/// Returns the largest number of steps in which a full window of `all` counts for no more than `part`.
std::int64_t steps_of(std::int64_t part, std::int64_t all, const Grid& grid) noexcept {
  return static_cast<std::int64_t>(product(part, grid.steps) / static_cast<std::uint64_t>(all));
}

/// Returns the shortest wait after which `cost` is allowed. `cost` is rejected now, and is at most the count.
Duration wait_of(const Rule& rule, std::int64_t cost, const Counters& counters, const Grid& grid) noexcept {
  const std::int64_t count = count_of(rule);
  const std::int64_t free = count - cost;
  // The cost may fit in this window, once so few steps are left that the previous window counts for no more than the
  // free part.
  if (counters.previous > 0 && free >= counters.current + counters.owed) {
    const std::int64_t steps = steps_of(free - counters.current - counters.owed, counters.previous, grid);
    if (steps > 0) return Duration(grid.period - steps * grid.step - counters.elapsed);
  }
  // Otherwise the cost fits in the first later window in which the debt leaves enough room (the next window if there is
  // no debt), or at the end of that window. The window before it is the current one, or is filled by the debt.
  const std::int64_t later = counters.owed > free ? divide_up(counters.owed - free, count) : 0;
  const std::int64_t before =
      later == 0 ? counters.current : std::min(count, owed_after(counters.owed, later - 1, count));
  const Duration begin = Duration(grid.period - counters.elapsed) + times(rule.rate.period, later);
  if (before == 0 || begin >= kNever) return std::min(begin, kNever);
  const std::int64_t steps = steps_of(free - owed_after(counters.owed, later, count), before, grid);
  return begin + Duration(std::max<std::int64_t>(grid.period - steps * grid.step, 0));
}

std::optional<RuleFault> check(const Rule& rule) { return check_clock_window(rule, "sliding_window"); }

std::string meaning(const Rule& rule, std::string_view noun) {
  return "at most " + std::to_string(rule.rate.count).append(noun) + " in " + any_period(rule) +
         ", estimated from two counters";
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const Grid grid(rule);
  const std::int64_t count = count_of(rule);
  const std::int64_t moment = now.time_since_epoch().count();
  const std::int64_t elapsed = moment % grid.period;
  const std::int64_t ends = state.numbers[kEnd] - (moment - elapsed);  // after the start of the current window
  const CountPair both = CountPair::in(state.numbers[kCounters], state.log.number());
  Counters counters{.current = both.first, .previous = both.second, .elapsed = elapsed, .owed = state.numbers[kOwed]};
  Outcome outcome;
  if (ends > grid.period) {
    outcome.stale = true;
  } else if (ends <= 0) {
    const std::int64_t begun = -ends / grid.period + 1;
    const std::int64_t owed = owed_after(counters.owed, begun - 1, count);
    counters.previous = begun == 1 ? counters.current : std::min(count, owed_after(counters.owed, begun - 2, count));
    counters.current = std::min(owed, count);
    counters.owed = owed - counters.current;
  }
  outcome.words = {counters.current, counters.previous, elapsed, counters.owed};
  outcome.allowed = allows(cost, room_of(rule, counters, grid));
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, CommitMode mode, Instant now,
               const Outcome& outcome) {
  const Grid grid(rule);
  const Counters before = counters_of(outcome.words);
  const bool fits = mode == CommitMode::take && outcome.allowed;  // saves two divisions
  const Counters left = after(before, cost, fits ? cost : room_of(rule, before, grid), mode);
  const Duration reset = reset_of(left, rule, grid);
  if (left == before && !outcome.stale) return now + reset;
  const std::int64_t end = now.time_since_epoch().count() - left.elapsed + grid.period;
  const CountPair both{left.current, left.previous};
  state.numbers = {};
  if (reset > Duration(0)) state.numbers = {end, both.usual(), left.owed};
  state.log.set_number(both.more());
  return now + reset;
}

std::optional<Decision> decision(const Rule& rule, std::int64_t cost, CommitMode mode,
                                 std::span<const std::int64_t> words) {
  const Grid grid(rule);
  const Counters before = counters_of(words);
  if (before.current < 0 || before.current > kMaxCounted || before.previous < 0 || before.previous > kMaxCounted ||
      before.owed < 0 || before.owed > kMaxCounted || before.elapsed < 0 || before.elapsed >= grid.period)
    return std::nullopt;
  const std::int64_t room = room_of(rule, before, grid);
  const Counters left = after(before, cost, room, mode);
  const std::int64_t room_left = left.previous == before.previous
                                     ? room + before.current + before.owed - left.current - left.owed
                                     : room_of(rule, left, grid);
  Decision decision;
  decision.allowed = allows(cost, room);
  decision.limit = rule.rate.count;
  decision.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(room_left, 0));
  if (!decision.allowed)
    decision.retry_after =
        cost > count_of(rule) ? kNever : wait_of(rule, cost, mode == CommitMode::attempt ? left : before, grid);
  decision.reset_after = reset_of(left, rule, grid);
  if (cost > 0 && decision.allowed && room_left < cost) [[unlikely]]
    decision.again_after = wait_of(rule, cost, left, grid);
  return decision;
}

void arguments(const Check& check, Instant /*now*/, ArgumentList& out) {
  const Grid grid(*check.rule);
  out.add(bounded(check.cost));
  out.add(check.rule->rate.count);
  out.add(grid.period);
  out.add(grid.step);
  out.add(grid.steps);
}

}  // namespace

extern const Algorithm sliding_window;
const Algorithm sliding_window{.name = "sliding_window",
                               .words = 4,
                               .leasable = false,
                               .by_window = true,
                               .default_burst = whole_count,
                               .check = check,
                               .meaning = meaning,
                               .peek = peek,
                               .commit = commit,
                               .decision = decision,
                               .arguments = arguments};

}  // namespace headgate::limit
