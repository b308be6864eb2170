// Sliding log: the moment of every request of the last period, so that in no period, wherever it begins, there are more
// than the count. lua/algorithms/sliding_log.lua is the same, and says more of it.

#include "../window_rules.hpp"

#include <vector>

namespace headgate::limit {
namespace {

using Log = std::vector<std::int64_t>;  // of State: ascending microseconds since the epoch, one for each request

enum Number : std::size_t { kDead };  // of State: how many at the front of the log no longer count
enum Word : std::size_t { kUsed, kWait, kReset };

constexpr std::int64_t kMostRemembered = 10'000;  // 80 kB a key

/// What of a log counts: later than a period ago.
struct Live {
  const std::int64_t* begin = nullptr;
  std::int64_t size = 0;
};

Live live_of(const State& state, const Rule& rule, Instant now) noexcept {
  if (state.log == nullptr) return {};
  const Log& log = *state.log;
  const std::int64_t* end = log.data() + log.size();
  const std::int64_t* begin =
      std::upper_bound(log.data() + state.numbers[kDead], end, (now - rule.rate.period).time_since_epoch().count());
  return {begin, end - begin};
}

/// Until the `index`th of them counts no longer. One of a clock ahead counts as of now.
std::int64_t until_gone(const Live& live, std::int64_t index, const Rule& rule, Instant now) noexcept {
  const std::int64_t moment = now.time_since_epoch().count();
  return std::min(live.begin[index], moment) + rule.rate.period.count() - moment;
}

/// Makes room behind the log for `more`, where it can by moving what counts to the front: it holds a sixteenth more
/// than the count at most, so that each request is moved sixteen times at most.
void make_room(Log& log, std::int64_t& dead, std::size_t more, std::size_t count) {
  if (log.size() + more <= log.capacity()) return;
  const std::size_t live = log.size() - static_cast<std::size_t>(dead);
  const std::size_t most = count + count / 16 + 1;
  if (dead > 0 && (log.size() + more > most || live < log.capacity() / 2)) {
    log.erase(log.begin(), log.begin() + dead);
    dead = 0;
  }
  if (log.size() + more > log.capacity())
    log.reserve(std::max(log.size() + more, std::min(std::max<std::size_t>(2 * log.capacity(), 4), most)));
}

std::optional<RuleFault> check(const Rule& rule) {
  if (rule.rate.count > static_cast<std::uint64_t>(kMostRemembered) &&
      rule.rate.count <= static_cast<std::uint64_t>(kMostCounted))
    return RuleFault{"a sliding_log remembers each request: " + to_text(rule.rate) + " would take " +
                         size_text(rule.rate.count * sizeof(std::int64_t)) + " a key",
                     "write at most " + std::to_string(kMostRemembered) +
                         " requests a period, or use sliding_window, which takes the same few bytes for any count"};
  return check_clock_window(rule, "sliding_log");
}

std::string meaning(const Rule& rule, std::string_view noun) {
  return "at most " + std::to_string(rule.rate.count).append(noun) + " in " + any_period(rule) + ", exactly";
}

Outcome peek(const State& state, const Rule& rule, std::int64_t cost, Instant now) {
  const Live live = live_of(state, rule, now);
  const std::int64_t count = count_of(rule);
  Outcome outcome;
  outcome.allowed = allows(cost, count - live.size);
  outcome.words[kUsed] = live.size;
  if (live.size == 0) return outcome;
  outcome.stale = live.begin[live.size - 1] > now.time_since_epoch().count();
  outcome.words[kReset] = until_gone(live, live.size - 1, rule, now);
  if (!outcome.allowed && cost <= count) {
    outcome.words[kWait] = until_gone(live, live.size + cost - count - 1, rule, now);
  } else if (const std::int64_t left = live.size + change_of(cost, live.size, 0); cost < 0 && left > 0) {
    outcome.words[kWait] = until_gone(live, left - 1, rule, now);
  }
  return outcome;
}

Instant commit(State& state, const Rule& rule, std::int64_t cost, Instant now, const Outcome& outcome) {
  const std::int64_t moment = now.time_since_epoch().count();
  const std::int64_t used = outcome.words[kUsed];
  const std::int64_t change = change_of(cost, used, count_of(rule) - used);
  if (change == 0 && !outcome.stale) return now + Duration(outcome.words[kReset]);
  if (used + change == 0) {
    state = State();
    return now;
  }
  if (state.log == nullptr) state.log = std::make_unique<Log>();
  Log& log = *state.log;
  state.numbers[kDead] = static_cast<std::int64_t>(log.size()) - used;
  if (outcome.stale) std::fill(std::upper_bound(log.begin(), log.end(), moment), log.end(), moment);
  if (change > 0) {
    make_room(log, state.numbers[kDead], static_cast<std::size_t>(change), rule.rate.count);
    log.insert(log.end(), static_cast<std::size_t>(change), moment);
  } else {
    log.resize(log.size() - static_cast<std::size_t>(-change));
  }
  return Instant(Duration(log.back())) + rule.rate.period;
}

std::optional<Verdict> verdict(const Rule& rule, std::int64_t cost, Taken taken, std::span<const std::int64_t> words) {
  const std::int64_t used = words[kUsed];
  const std::int64_t count = count_of(rule);
  const std::int64_t period = rule.rate.period.count();
  if (used < 0 || used > kMostRemembered || words[kWait] < 0 || words[kWait] > period || words[kReset] < 0 ||
      words[kReset] > period || (used > 0) != (words[kReset] > 0))
    return std::nullopt;
  const std::int64_t change = taken == Taken::yes ? change_of(cost, used, count - used) : 0;
  Verdict verdict;
  verdict.allowed = allows(cost, count - used);
  verdict.limit = rule.rate.count;
  verdict.remaining = static_cast<std::uint64_t>(std::max<std::int64_t>(count - used - change, 0));
  if (!verdict.allowed) verdict.retry_after = cost > count ? kNever : Duration(words[kWait]);
  verdict.reset_after = Duration(change > 0 ? period : change < 0 ? words[kWait] : words[kReset]);
  return verdict;
}

void arguments(const Rule& rule, std::int64_t cost, Instant /*now*/, ArgumentList& out) {
  out.add(bounded(cost));
  out.add(rule.rate.count);
  out.add(rule.rate.period.count());
}

}  // namespace

extern const Algorithm sliding_log;
const Algorithm sliding_log{.name = "sliding_log",
                            .words = 3,
                            .leasable = false,
                            .gives_back_late = false,
                            .usual_burst = whole_count,
                            .check = check,
                            .meaning = meaning,
                            .peek = peek,
                            .commit = commit,
                            .verdict = verdict,
                            .arguments = arguments};

}  // namespace headgate::limit
